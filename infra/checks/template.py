"""What the template has to be once it is translated, where no tool looks.

The validators accept a misspelt transfer mode, key source or gateway response, an authorizer that caches and a route
without a limit. Each rule here is a function of the deployed template; `test_template.py` also breaks the template once
for every rule and sees it noticed.
"""

import json
import os
import re
from collections.abc import Callable

import project

# The tools look up what a region offers. Nothing of the template depends on which.
REGION = "eu-central-1"
os.environ["AWS_DEFAULT_REGION"] = REGION
# What they are told by the environment.
TOOLS = {"AWS_REGION": REGION, "SAM_CLI_TELEMETRY": "0"}

from samtranslator.translator.transform import transform  # noqa: E402
from samtranslator.yaml_helper import yaml_parse  # noqa: E402

SAMPLE_KEY = "spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF"

# API Gateway lets an account set no more per stage and plan.
METHOD_THROTTLES = 20

# Every kind of failure that API Gateway answers itself, with the status and the code of the contract.
GATEWAY_ANSWERS = {
    "ACCESS_DENIED": (401, "UNAUTHORIZED"),
    "API_CONFIGURATION_ERROR": (500, "INTERNAL_ERROR"),
    "AUTHORIZER_CONFIGURATION_ERROR": (500, "INTERNAL_ERROR"),
    "AUTHORIZER_FAILURE": (500, "INTERNAL_ERROR"),
    "BAD_REQUEST_BODY": (400, "INVALID_REQUEST"),
    "BAD_REQUEST_PARAMETERS": (400, "INVALID_REQUEST"),
    # A status here would override that of every failure without an answer of its own.
    "DEFAULT_4XX": (None, "INVALID_REQUEST"),
    "DEFAULT_5XX": (None, "INTERNAL_ERROR"),
    "EXPIRED_TOKEN": (404, "NOT_FOUND"),
    "INTEGRATION_FAILURE": (500, "INTERNAL_ERROR"),
    "INTEGRATION_TIMEOUT": (503, "UNAVAILABLE"),
    "INVALID_API_KEY": (503, "UNAVAILABLE"),
    "INVALID_SIGNATURE": (404, "NOT_FOUND"),
    "MISSING_AUTHENTICATION_TOKEN": (404, "NOT_FOUND"),
    "QUOTA_EXCEEDED": (429, "RATE_LIMITED"),
    "REQUEST_TOO_LARGE": (400, "INVALID_REQUEST"),
    "RESOURCE_NOT_FOUND": (404, "NOT_FOUND"),
    "THROTTLED": (429, "RATE_LIMITED"),
    "UNAUTHORIZED": (401, "UNAUTHORIZED"),
    "UNSUPPORTED_MEDIA_TYPE": (405, "METHOD_NOT_ALLOWED"),
    "WAF_FILTERED": (400, "INVALID_REQUEST"),
}

EXTRA_HEADERS = {401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After"}

# What the access log may hold: nothing of keys, query values or the caller's address.
LOGGED = {
    "authorizer.latency",
    "authorizer.organizationId",
    "error.responseType",
    "httpMethod",
    "integration.latency",
    "requestId",
    "requestTime",
    "resourcePath",
    "responseLatency",
    "responseLength",
    "status",
}

ALARMS = {
    "AuthorizerErrorsAlarm",
    "AuthorizerLatencyAlarm",
    "FailedImportsAlarm",
    "FunctionErrorsAlarm",
    "LatencyAlarm",
    "ServerErrorsAlarm",
    "TableThrottlesAlarm",
}

ENDPOINT_ACTIONS = {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:BatchGetItem"}


class _NoManagedPolicies:
    """The template names its policies in full, so that none is looked up by name."""

    def load(self) -> dict:
        return {}


def read() -> dict:
    """The template as written, every alias a copy of its own."""
    return json.loads(json.dumps(yaml_parse(project.TEMPLATE.read_text())))


def translate(template: dict) -> dict:
    """The template as CloudFormation gets it."""
    template = json.loads(json.dumps(template))
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://bucket/key"
    return json.loads(json.dumps(transform(template, {}, _NoManagedPolicies())))


class Deployed:
    """A translated template, taken apart."""

    def __init__(self, template: dict) -> None:
        self.resources = template["Resources"]
        self.parameters = template["Parameters"]
        self.api = self.resources["Api"]["Properties"]
        self.paths = self.api["Body"]["paths"]
        self.stage = self.resources["ApiStage"]["Properties"]
        self.plan = self.resources["UsagePlan"]

    def of_type(self, kind: str) -> dict[str, dict]:
        """The properties of all resources of a type."""
        return {name: item["Properties"] for name, item in self.resources.items() if item["Type"] == kind}

    def routes(self) -> dict[str, dict]:
        """The GET of every path."""
        return {path: methods["get"] for path, methods in self.paths.items()}

    def function_of(self, route: dict) -> str:
        """Name of the function behind a route."""
        uri = json.dumps(route["x-amazon-apigateway-integration"]["uri"])
        return re.search(r"\$\{(\w+)\.Arn\}", uri)[1]

    def policies(self, function: str) -> list[dict]:
        """The statements of a function's own policies."""
        role = self.resources[f"{function}Role"]["Properties"]
        statements = [policy["PolicyDocument"]["Statement"] for policy in role.get("Policies", [])]
        return [statement for group in statements for statement in group]


RULES: list[Callable[[Deployed], None]] = []


def rule(function: Callable[[Deployed], None]) -> Callable[[Deployed], None]:
    """Registers a rule: it raises AssertionError where the template breaks it."""
    RULES.append(function)
    return function


@rule
def routes_are_those_of_the_interface(deployed: Deployed) -> None:
    assert set(deployed.paths) == set(project.interface()["paths"])
    for path, methods in deployed.paths.items():
        assert set(methods) == {"get", "x-amazon-apigateway-any-method"}, path


@rule
def every_route_leads_to_its_function(deployed: Deployed) -> None:
    for path, route in deployed.routes().items():
        binary = deployed.resources[deployed.function_of(route)]["Metadata"]["BuildProperties"]["Binary"]
        assert binary == path.rsplit("/", 1)[1], path


@rule
def every_route_is_limited(deployed: Deployed) -> None:
    (stage,) = deployed.plan["Properties"]["ApiStages"]
    limits = stage["Throttle"]
    assert set(limits) == {f"{path}/GET" for path in deployed.paths}
    assert len(limits) <= METHOD_THROTTLES
    for route, limit in limits.items():
        assert limit == {"BurstLimit": 10, "RateLimit": 0.1666}, route
    whole = deployed.plan["Properties"]["Throttle"]
    assert whole["BurstLimit"] > sum(limit["BurstLimit"] for limit in limits.values())
    assert whole["RateLimit"] > sum(limit["RateLimit"] for limit in limits.values())


@rule
def limits_count_by_organization(deployed: Deployed) -> None:
    assert deployed.api["ApiKeySourceType"] == "AUTHORIZER"


@rule
def usage_plan_waits_for_the_stage(deployed: Deployed) -> None:
    (stage,) = deployed.plan["Properties"]["ApiStages"]
    assert stage["ApiId"] == {"Ref": "Api"}
    assert stage["Stage"] == {"Ref": "ApiStage"} or "ApiStage" in deployed.plan.get("DependsOn", [])


@rule
def authorizer_is_asked_every_time(deployed: Deployed) -> None:
    scheme = deployed.api["Body"]["securityDefinitions"]["KeyAuthorizer"]
    authorizer = scheme["x-amazon-apigateway-authorizer"]
    assert (scheme["name"], authorizer["type"]) == ("Authorization", "token")
    assert authorizer["authorizerResultTtlInSeconds"] == 0
    assert "AuthorizerFunction" in json.dumps(authorizer["authorizerUri"])


@rule
def authorizer_is_asked_about_keys_alone(deployed: Deployed) -> None:
    scheme = deployed.api["Body"]["securityDefinitions"]["KeyAuthorizer"]
    form = re.compile(scheme["x-amazon-apigateway-authorizer"]["identityValidationExpression"])
    assert form.fullmatch(f"Bearer {SAMPLE_KEY}")
    for text in [SAMPLE_KEY, f"bearer {SAMPLE_KEY}", f"Bearer {SAMPLE_KEY}x", f"Bearer  {SAMPLE_KEY}", "Bearer spk_"]:
        assert not form.fullmatch(text), text


@rule
def every_route_needs_a_key(deployed: Deployed) -> None:
    assert {"KeyAuthorizer", "api_key"} <= set(deployed.api["Body"]["securityDefinitions"])
    for path, route in deployed.routes().items():
        needed = {name for requirement in route["security"] for name in requirement}
        assert needed == {"KeyAuthorizer", "api_key"}, path


@rule
def every_route_streams(deployed: Deployed) -> None:
    for path, route in deployed.routes().items():
        integration = route["x-amazon-apigateway-integration"]
        assert integration["responseTransferMode"] == "STREAM", path
        assert json.dumps(integration["uri"]).endswith('/response-streaming-invocations"}'), path
        assert "/2021-11-15/" in json.dumps(integration["uri"]), path


@rule
def other_methods_are_refused_without_a_key(deployed: Deployed) -> None:
    for path, methods in deployed.paths.items():
        method = methods["x-amazon-apigateway-any-method"]
        integration = method["x-amazon-apigateway-integration"]
        answer = integration["responses"]["default"]
        assert "security" not in method, path
        assert (integration["type"], answer["statusCode"]) == ("mock", "405"), path
        _assert_failure(answer["responseTemplates"], "METHOD_NOT_ALLOWED")
        _assert_headers(answer["responseParameters"], "method.response.header.", 405)


@rule
def every_failure_of_the_gateway_has_its_answer(deployed: Deployed) -> None:
    answers = deployed.api["Body"]["x-amazon-apigateway-gateway-responses"]
    assert set(answers) == set(GATEWAY_ANSWERS)
    for kind, (status, code) in GATEWAY_ANSWERS.items():
        answer = answers[kind]
        assert answer.get("statusCode") == (status and str(status)), kind
        _assert_failure(answer["responseTemplates"], code)
        _assert_headers(answer["responseParameters"], "gatewayresponse.header.", status)


def _assert_failure(templates: dict[str, str], code: str) -> None:
    """Asserts an error body of the contract that repeats nothing of the request."""
    assert set(templates) == {"application/json"}
    text = templates["application/json"]
    assert "$" not in text, text
    body = json.loads(text)
    assert set(body) == {"error"}
    assert body["error"]["code"] == code
    assert set(body["error"]) <= {"code", "message", "details"} and body["error"]["message"]


def _assert_headers(parameters: dict[str, str], prefix: str, status: int | None) -> None:
    """Asserts the fixed headers and the one that the status adds. A header of text is quoted."""
    headers = {name.removeprefix(prefix): value for name, value in parameters.items()}
    fixed = {"Content-Type": "'application/json'", "Cache-Control": "'no-store'", "X-Content-Type-Options": "'nosniff'"}
    assert headers.items() >= fixed.items(), headers
    extra = EXTRA_HEADERS.get(status)
    assert set(headers) - set(fixed) == ({extra} if extra else set()), headers
    assert all(re.fullmatch("'[^']+'", value) for value in headers.values()), headers


@rule
def the_table_keeps_its_data(deployed: Deployed) -> None:
    table = deployed.resources["Table"]
    properties = table["Properties"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["SSESpecification"] == {"SSEEnabled": True}


@rule
def the_table_has_two_keys_and_no_index(deployed: Deployed) -> None:
    table = deployed.resources["Table"]["Properties"]
    keys = [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]]
    assert keys == [("pk", "HASH"), ("sk", "RANGE")]
    assert {item["AttributeName"]: item["AttributeType"] for item in table["AttributeDefinitions"]} == {"pk": "S", "sk": "S"}
    assert not {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} & set(table)
    assert table["BillingMode"] == "PAY_PER_REQUEST"


@rule
def the_authorizer_reads_keys_alone(deployed: Deployed) -> None:
    (statement,) = deployed.policies("AuthorizerFunction")
    _assert_reads(statement, {"dynamodb:GetItem"}, "KEY#*")


@rule
def endpoints_read_organizations_alone(deployed: Deployed) -> None:
    for path, route in deployed.routes().items():
        (statement,) = deployed.policies(deployed.function_of(route))
        _assert_reads(statement, ENDPOINT_ACTIONS, "ORG#*")


def _assert_reads(statement: dict, actions: set[str], keys: str) -> None:
    """Asserts a statement that allows actions on some of the table's keys, and nothing else."""
    allowed = statement["Action"]
    assert statement["Effect"] == "Allow"
    assert {allowed} == actions if isinstance(allowed, str) else set(allowed) == actions
    assert statement["Resource"] == {"Fn::GetAtt": ["Table", "Arn"]}
    assert statement["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}}


@rule
def roles_hold_nothing_but_logs_traces_and_their_own(deployed: Deployed) -> None:
    for name in deployed.of_type("AWS::Lambda::Function"):
        managed = deployed.resources[f"{name}Role"]["Properties"]["ManagedPolicyArns"]
        names = {json.dumps(arn).rsplit("/", 1)[1].rstrip('"}') for arn in managed}
        assert names <= {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"}, name


@rule
def functions_are_small_native_binaries(deployed: Deployed) -> None:
    assert deployed.parameters["Architecture"]["Default"] == "arm64"
    for name, function in deployed.of_type("AWS::Lambda::Function").items():
        assert (function["Runtime"], function["Handler"]) == ("provided.al2023", "bootstrap"), name
        assert function["Architectures"] == [{"Ref": "Architecture"}], name
        assert {"TABLE_NAME", "DASHBOARD_URL"} <= set(function["Environment"]["Variables"]), name


@rule
def every_function_logs_to_a_group_that_expires(deployed: Deployed) -> None:
    groups = deployed.of_type("AWS::Logs::LogGroup")
    used = [function["LoggingConfig"]["LogGroup"]["Ref"] for function in deployed.of_type("AWS::Lambda::Function").values()]
    assert len(used) == len(set(used))
    assert set(used) < set(groups)
    for name, group in groups.items():
        assert "RetentionInDays" in group, name


@rule
def the_stage_is_limited_as_a_whole(deployed: Deployed) -> None:
    (setting,) = deployed.stage["MethodSettings"]
    assert (setting["ResourcePath"], setting["HttpMethod"]) == ("/*", "*")
    plan = deployed.plan["Properties"]["Throttle"]
    assert setting["ThrottlingBurstLimit"] > plan["BurstLimit"]
    assert setting["ThrottlingRateLimit"] > plan["RateLimit"]


@rule
def alarms_tell_of_what_fails(deployed: Deployed) -> None:
    alarms = deployed.of_type("AWS::CloudWatch::Alarm")
    assert set(alarms) == ALARMS
    for name, alarm in alarms.items():
        sent = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}
        assert alarm["AlarmActions"] == alarm["OKActions"] == sent, name
        assert alarm["TreatMissingData"] == "notBreaching", name


@rule
def errors_of_the_authorizer_are_counted(deployed: Deployed) -> None:
    counter = deployed.resources["AuthorizerErrors"]["Properties"]
    assert counter["LogGroupName"] == {"Ref": "AccessLogs"}
    (name, pattern) = re.fullmatch(r'\{ \$\.(\w+) = "(\w+)\*" \}', counter["FilterPattern"]).groups()
    assert f'"{name}":"$context.error.responseType"' in deployed.stage["AccessLogSetting"]["Format"]
    counted = {answer for answer in GATEWAY_ANSWERS if answer.startswith(pattern)}
    assert counted == {"AUTHORIZER_CONFIGURATION_ERROR", "AUTHORIZER_FAILURE"}
    (metric,) = counter["MetricTransformations"]
    alarm = deployed.resources["AuthorizerErrorsAlarm"]["Properties"]
    assert (metric["MetricNamespace"], metric["MetricName"]) == (alarm["Namespace"], alarm["MetricName"])


@rule
def logs_tell_neither_keys_nor_queries(deployed: Deployed) -> None:
    variables = set(re.findall(r"\$context\.([\w.]+)", deployed.stage["AccessLogSetting"]["Format"]))
    assert variables <= LOGGED, variables - LOGGED
    for setting in deployed.stage["MethodSettings"]:
        assert (setting["LoggingLevel"], setting["DataTraceEnabled"]) == ("OFF", False)
