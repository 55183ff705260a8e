"""Rules about the dashboard in the translated template, and about what its resources depend on."""

import hashlib
import json
import re

import dependencies
import project
from template import APPLICATION_ACCESS, ENDPOINT_ACTIONS, TABLES, Deployed, assert_reads, only, rule

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
    # The pattern of a path.
    "resourcePath",
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
    queues = [{"Fn::GetAtt": [name, "Arn"]} for name in ["Requests", "DocumentSets", "Notifications"]]
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
    assert (found, len(statements)) == (RIGHTS, len(RIGHTS))


# The routes of the dashboard's function for PDFs, with the file that names the path of each.
PDF_ROUTES = {"ReportPdf": ("pdf", "PDF"), "Archive": ("archive", "ARCHIVE")}
# The attributes of a set of documents.
SET_ATTRIBUTES = [
    "by",
    "changedAt",
    "choice",
    "documents",
    "done",
    "expiresAt",
    "missing",
    "pk",
    "requestedAt",
    "setId",
    "sk",
    "state",
    "v",
    "version",
    "which",
]


@rule
def pdfs_are_made_by_a_function_that_only_reads_and_records_it(deployed: Deployed) -> None:
    reads, records, sets, files, lists, queue = deployed.policies("ReportPdfFunction")
    assert_reads([reads], ENDPOINT_ACTIONS, "ORG#*")
    # Without the attribute `memberId`, it can write no session.
    assert (records["Action"], records["Resource"]) == ("dynamodb:PutItem", TABLES)
    assert records["Condition"] == only("ORG#*", ENTRY_ATTRIBUTES)
    assert (sets["Action"], sets["Resource"], sets["Condition"]) == ("dynamodb:PutItem", TABLES, only("ORG#*", SET_ATTRIBUTES))
    assert files["Action"] == ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"]
    assert files["Resource"] == {"Fn::Sub": "${Assessments.Arn}/documents/*"}
    assert (lists["Action"], lists["Resource"]) == ("s3:ListBucket", {"Fn::GetAtt": ["Assessments", "Arn"]})
    assert lists["Condition"] == {"StringLike": {"s3:prefix": "documents/*"}}
    actions = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:SendMessage"]
    assert (queue["Action"], queue["Resource"]) == (actions, {"Fn::GetAtt": ["DocumentSets", "Arn"]})
    integration = deployed.resources["ReportPdfIntegration"]["Properties"]
    assert integration["IntegrationUri"] == {"Fn::GetAtt": ["ReportPdfFunction", "Arn"]}
    for name, (file, constant) in PDF_ROUTES.items():
        # The path is the dashboard's own.
        source = (project.ROOT / f"shared/web/src/{file}.rs").read_text()
        (path,) = re.findall(rf'pub const {constant}: Route =\s+route::get\(\s*"([^"]+)",', source)
        route = deployed.resources[f"{name}Route"]["Properties"]
        assert (route["RouteKey"], route["Target"]) == (f"GET {path}", {"Fn::Sub": "integrations/${ReportPdfIntegration}"})
        for api, permission in [("DashboardApi", name), ("LimitedDashboard", f"Limited{name}")]:
            allowed = deployed.resources[f"{permission}Permission"]["Properties"]["SourceArn"]["Fn::Sub"]
            assert allowed.endswith(f"${{{api}}}/*/GET" + re.sub(r"\{\w+\}", "*", path))


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
    assert whole == {"ThrottlingRateLimit": 100, "ThrottlingBurstLimit": 200}
    pdf = deployed.resources["ReportPdfRoute"]["Properties"]["RouteKey"]
    assert stage["RouteSettings"] == {pdf: {"ThrottlingRateLimit": 10, "ThrottlingBurstLimit": 20}}


@rule
def the_dashboards_log_holds_no_paths(deployed: Deployed) -> None:
    (stage,) = deployed.of_type("AWS::ApiGatewayV2::Stage").values()
    form = stage["AccessLogSettings"]["Format"]
    variables = set(re.findall(r"\$context\.([\w.]+)", form))
    assert variables <= LOGGED, variables - LOGGED
    # A REST API has another name for the route.
    limited = deployed.resources["LimitedDashboardStage"]["Properties"]
    assert limited["AccessLogSetting"]["Format"] == form.replace("routeKey", "resourcePath")
    assert limited["AccessLogSetting"]["DestinationArn"] == stage["AccessLogSettings"]["DestinationArn"]
    assert limited["TracingEnabled"] is False


@rule
def an_address_can_be_limited(deployed: Deployed) -> None:
    assert deployed.parameters["DashboardRequestsPerAddress"]["Default"] == 0
    filters = deployed.of_type("AWS::WAFv2::WebACL")["AddressLimit"]
    assert (filters["Scope"], filters["DefaultAction"]) == ("REGIONAL", {"Allow": {}})
    (limit,) = filters["Rules"]
    statement = {
        "AggregateKeyType": "IP",
        "EvaluationWindowSec": 60,
        "Limit": {"Ref": "DashboardRequestsPerAddress"},
    }
    assert (limit["Action"], limit["Statement"]) == ({"Block": {}}, {"RateBasedStatement": statement})
    # Samples would contain paths, which contain secrets of invitations.
    assert not any(it["VisibilityConfig"]["SampledRequestsEnabled"] for it in (filters, limit))
    stage = "arn:${AWS::Partition}:apigateway:${AWS::Region}::/restapis/${LimitedDashboard}/stages/${LimitedDashboardStage}"
    association = deployed.resources["AddressLimitAssociation"]["Properties"]
    assert association == {"ResourceArn": {"Fn::Sub": stage}, "WebACLArn": {"Fn::GetAtt": ["AddressLimit", "Arn"]}}


@rule
def with_a_limit_no_other_address_leads_to_the_dashboard(deployed: Deployed) -> None:
    parts = {name: it for name, it in deployed.resources.items() if name.startswith(("Limited", "AddressLimit"))}
    assert {it["Condition"] for it in parts.values()} == {"LimitsAddresses"}
    assert parts["LimitedDashboard"]["Properties"]["DisableExecuteApiEndpoint"] is True
    # Only with a domain, the other API has no address of its own.
    needed = deployed.rules["AddressLimitHasDomain"]
    without = {"Fn::Equals": [{"Ref": "DashboardRequestsPerAddress"}, 0]}
    assert needed["RuleCondition"] == {"Fn::Not": [without]}
    (assertion,) = needed["Assertions"]
    assert assertion["Assert"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "DashboardDomainName"}, ""]}]}
    the_dashboard_has_one_address(deployed)
    mapping = deployed.resources["DashboardDomainMapping"]["Properties"]
    for name, usual, limited in [
        ("ApiId", "DashboardApi", "LimitedDashboard"),
        ("Stage", "DashboardStage", "LimitedDashboardStage"),
    ]:
        assert mapping[name] == {"Fn::If": ["LimitsAddresses", {"Ref": limited}, {"Ref": usual}]}


@rule
def the_limited_dashboard_serves_every_path_of_the_other(deployed: Deployed) -> None:
    api = deployed.resources["LimitedDashboard"]["Properties"]
    assert api["BinaryMediaTypes"] == ["*/*"]
    paths = api["Body"]["paths"]
    functions = {(path, method): deployed.function_of(it) for path, of in paths.items() for method, it in of.items()}
    for name in PDF_ROUTES:
        route = deployed.resources[f"{name}Route"]["Properties"]["RouteKey"].removeprefix("GET ")
        for end in [match.start() for match in re.finditer("/", route)][1:]:
            assert route[:end] in paths
        assert functions.pop((route, "get")) == "ReportPdfFunction"
    assert functions == {(path, "x-amazon-apigateway-any-method"): "DashboardFunction" for path in paths}
    assert {"/", "/{proxy+}", "/tenants/{tenant}/{proxy+}"} < set(paths)
    for name in deployed.of_type("AWS::ApiGatewayV2::Integration").values():
        function = deployed.resources[name["IntegrationUri"]["Fn::GetAtt"][0]]["Properties"]
        assert function["Environment"]["Variables"]["AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH"] == "true"


@rule
def the_limited_dashboard_has_the_limits_of_the_other(deployed: Deployed) -> None:
    (stage,) = deployed.of_type("AWS::ApiGatewayV2::Stage").values()
    limits = {"/*": stage["DefaultRouteSettings"]}
    for route, settings in stage["RouteSettings"].items():
        limits["/" + route.removeprefix("GET ").replace("/", "~1")] = settings
    for setting in deployed.resources["LimitedDashboardStage"]["Properties"]["MethodSettings"]:
        assert setting.items() >= limits.pop(setting["ResourcePath"]).items()
        assert (setting["LoggingLevel"], setting["DataTraceEnabled"]) == ("OFF", False)
    assert limits == {}


@rule
def a_change_of_the_limited_dashboard_is_deployed(deployed: Deployed) -> None:
    body = json.dumps(deployed.resources["LimitedDashboard"]["Properties"]["Body"], sort_keys=True)
    name = f"LimitedDashboardDeployment{hashlib.sha256(body.encode()).hexdigest()[:8]}"
    assert name in deployed.resources, f"rename the deployment in template.yaml to {name}"
    assert deployed.resources["LimitedDashboardStage"]["Properties"]["DeploymentId"] == {"Ref": name}


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
