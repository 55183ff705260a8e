"""Rules about the dashboard in the translated template, and about what its resources depend on."""

import json
import re

import dependencies
import project
from template import APPLICATION_ACCESS, ENDPOINT_ACTIONS, TABLES, Deployed, only, rule

DASHBOARD_URL = {
    "Fn::If": [
        "HasDashboardDomain",
        {"Fn::Sub": "https://${DashboardDomainName}"},
        {"Fn::GetAtt": ["DashboardApi", "ApiEndpoint"]},
    ]
}

# The rights of the dashboard, by the beginning of an item's partition key.
READS = {"dynamodb:GetItem", "dynamodb:Query"}
WRITES = {"dynamodb:DeleteItem", "dynamodb:PutItem"}
RIGHTS = {
    ("ORG#*",): READS | WRITES | {"dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:UpdateItem"},
    ("IDENTITY#*", "INVITATION#*"): READS | WRITES,
    # By a hash alone, for the day of its last use. No page can show a key: there is no text of one.
    ("KEY#*",): {"dynamodb:GetItem"},
    ("KEY#*", "DUE"): WRITES,
}

# The attributes of an entry of the audit trail.
ENTRY_ATTRIBUTES = ["action", "at", "authorId", "authorName", "changes", "expiresAt", "pk", "sk", "subject", "v"]

# The fields that the access log may hold: no path, no query.
LOGGED = {
    "error.responseType",
    "httpMethod",
    "identity.sourceIp",
    "integration.requestId",
    "integrationLatency",
    "requestId",
    "requestTime",
    "responseLatency",
    "responseLength",
    "routeKey",
    "status",
}


@rule
def nothing_waits_for_itself(deployed: Deployed) -> None:
    assert dependencies.circles(deployed.resources) == []


@rule
def report_links_lead_to_the_dashboard(deployed: Deployed) -> None:
    assert deployed.outputs["DashboardUrl"]["Value"] == DASHBOARD_URL
    for name, function in deployed.of_type("AWS::Lambda::Function").items():
        assert function["Environment"]["Variables"]["DASHBOARD_URL"] == DASHBOARD_URL, name


@rule
def the_dashboard_has_its_own_rights(deployed: Deployed) -> None:
    found = {}
    of_function = deployed.policies("DashboardFunction")
    statements = [it for it in of_function if "dynamodb" in json.dumps(it["Action"])]
    others = [(it["Effect"], it["Action"], it["Resource"]) for it in of_function if it not in statements]
    queues = [{"Fn::GetAtt": [name, "Arn"]} for name in ["Requests", "Notifications"]]
    access = [
        ("Allow", "sqs:SendMessage", queues),
        ("Allow", "secretsmanager:GetSecretValue", {"Ref": "SignInClientSecretArn"}),
        *APPLICATION_ACCESS,
    ]
    assert sorted(map(str, others)) == sorted(map(str, access))
    for statement in statements:
        assert (statement["Effect"], statement["Resource"]) == ("Allow", TABLES)
        ((condition, keys),) = statement["Condition"]["ForAllValues:StringLike"].items()
        assert condition == "dynamodb:LeadingKeys"
        found[(keys,) if isinstance(keys, str) else tuple(keys)] = set(statement["Action"])
    assert found == RIGHTS


@rule
def pdfs_are_made_by_a_function_that_only_reads_and_records_it(deployed: Deployed) -> None:
    reads, records = deployed.policies("ReportPdfFunction")
    assert set(reads["Action"]) == ENDPOINT_ACTIONS
    assert reads["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "ORG#*"}}
    # Without the attribute `memberId`, it can write no session.
    assert (records["Action"], records["Resource"]) == ("dynamodb:PutItem", TABLES)
    assert records["Condition"] == only("ORG#*", ENTRY_ATTRIBUTES)
    # The path is the dashboard's own.
    source = (project.ROOT / "shared/web/src/pdf.rs").read_text()
    (path,) = re.findall(r'pub const PDF: Route = route::get\(\s*"(.+)",', source)
    route = deployed.resources["ReportPdfRoute"]["Properties"]
    assert (route["RouteKey"], route["Target"]) == (f"GET {path}", {"Fn::Sub": "integrations/${ReportPdfIntegration}"})
    integration = deployed.resources["ReportPdfIntegration"]["Properties"]
    assert integration["IntegrationUri"] == {"Fn::GetAtt": ["ReportPdfFunction", "Arn"]}
    permission = deployed.resources["ReportPdfPermission"]["Properties"]["SourceArn"]["Fn::Sub"]
    assert permission.endswith("${DashboardApi}/*/GET" + re.sub(r"\{\w+\}", "*", path))


@rule
def the_dashboard_responds_at_the_root_of_its_address(deployed: Deployed) -> None:
    (stage,) = deployed.of_type("AWS::ApiGatewayV2::Stage").values()
    # Any other stage would be a part of every path.
    assert stage["StageName"] == "$default"
    integrations = deployed.of_type("AWS::ApiGatewayV2::Integration")
    assert all(it["PayloadFormatVersion"] == "2.0" for it in integrations.values())
    routes = {it["RouteKey"]: it["Target"]["Fn::Sub"] for it in deployed.of_type("AWS::ApiGatewayV2::Route").values()}
    assert routes["$default"] == "integrations/${DashboardIntegration}"
    assert integrations["DashboardIntegration"]["IntegrationUri"] == {"Fn::GetAtt": ["DashboardFunction", "Arn"]}


@rule
def the_dashboard_has_one_address(deployed: Deployed) -> None:
    (api,) = deployed.of_type("AWS::ApiGatewayV2::Api").values()
    assert api["DisableExecuteApiEndpoint"] == {"Fn::If": ["HasDashboardDomain", True, False]}


@rule
def the_dashboard_is_limited_as_a_whole(deployed: Deployed) -> None:
    (stage,) = deployed.of_type("AWS::ApiGatewayV2::Stage").values()
    whole = stage["DefaultRouteSettings"]
    assert set(stage["RouteSettings"]) == {deployed.resources["ReportPdfRoute"]["Properties"]["RouteKey"]}
    for settings in [whole, *stage["RouteSettings"].values()]:
        assert 0 < settings["ThrottlingRateLimit"] <= settings["ThrottlingBurstLimit"] <= whole["ThrottlingBurstLimit"] <= 500


@rule
def the_dashboards_log_holds_no_paths(deployed: Deployed) -> None:
    (stage,) = deployed.of_type("AWS::ApiGatewayV2::Stage").values()
    variables = set(re.findall(r"\$context\.([\w.]+)", stage["AccessLogSettings"]["Format"]))
    assert variables <= LOGGED, variables - LOGGED


@rule
def what_has_ended_is_deleted(deployed: Deployed) -> None:
    table = deployed.resources["Table"]["Properties"]
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expiresAt", "Enabled": True}


@rule
def nobody_signs_up_and_a_password_is_not_enough(deployed: Deployed) -> None:
    pool = deployed.resources["UserPool"]
    assert (pool["DeletionPolicy"], pool["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    settings = pool["Properties"]
    assert settings["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}
    assert (settings["MfaConfiguration"], settings["EnabledMfas"]) == ("ON", ["SOFTWARE_TOKEN_MFA"])
    assert settings["DeletionProtection"] == "ACTIVE"
    assert settings["Policies"]["PasswordPolicy"]["MinimumLength"] >= 14


@rule
def the_pool_leads_back_to_the_dashboard_alone(deployed: Deployed) -> None:
    client = deployed.resources["UserPoolClient"]["Properties"]
    for addresses, path in [("CallbackURLs", "/sign-in/callback"), ("LogoutURLs", "/signed-out")]:
        assert client[addresses] == [{"Fn::Sub": ["${Url}" + path, {"Url": DASHBOARD_URL}]}]
    assert (client["AllowedOAuthFlows"], client["AllowedOAuthFlowsUserPoolClient"]) == (["code"], True)
    assert set(client["AllowedOAuthScopes"]) == {"openid", "email", "profile"}
    assert client["SupportedIdentityProviders"] == ["COGNITO"]
    assert client["PreventUserExistenceErrors"] == "ENABLED"


@rule
def the_pool_has_pages(deployed: Deployed) -> None:
    # The newer pages respond with an error until the client has a branding.
    assert deployed.resources["UserPoolDomain"]["Properties"]["ManagedLoginVersion"] == 2
    branding = deployed.resources["UserPoolBranding"]["Properties"]
    assert (branding["ClientId"], branding["UserPoolId"]) == ({"Ref": "UserPoolClient"}, {"Ref": "UserPool"})
    assert branding["UseCognitoProvidedValues"] is True


@rule
def another_issuer_replaces_the_pool(deployed: Deployed) -> None:
    pool = [name for name in deployed.resources if name.startswith("UserPool")]
    assert {deployed.resources[name]["Condition"] for name in pool} == {"CreatesUserPool"}
    variables = deployed.resources["DashboardFunction"]["Properties"]["Environment"]["Variables"]
    issuer = {"Fn::GetAtt": ["UserPool", "ProviderURL"]}
    assert variables["SIGN_IN_ISSUER"] == {"Fn::If": ["CreatesUserPool", issuer, {"Ref": "SignInIssuer"}]}
    client = {"Ref": "UserPoolClient"}
    assert variables["SIGN_IN_CLIENT_ID"] == {"Fn::If": ["CreatesUserPool", client, {"Ref": "SignInClientId"}]}
    # The function reads the secret's text when somebody signs in: it is in no setting of the function.
    assert variables["SIGN_IN_CLIENT_SECRET_ARN"] == {"Ref": "SignInClientSecretArn"}
    assert "resolve:secretsmanager" not in json.dumps(deployed.resources)
