"""Rules about the translated template that no validator checks.

Validators accept a misspelt transfer mode, key source or gateway response, an authorizer that caches, and a route
without a limit. Each rule is a function of the deployed template; `test_template.py` breaks each one once.
"""

import json
import os
import re
from collections.abc import Callable

import project

# The tools look up the features of a region. The template does not depend on the region.
REGION = "eu-central-1"
os.environ["AWS_DEFAULT_REGION"] = REGION
# Environment of the tools.
TOOLS = {"AWS_REGION": REGION, "SAM_CLI_TELEMETRY": "0"}

from samtranslator.translator.transform import transform  # noqa: E402
from samtranslator.yaml_helper import yaml_parse  # noqa: E402

SAMPLE_KEY = "spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF"

# Responds without a function.
INDEX = "/"
# The most that API Gateway allows per stage and plan.
METHOD_THROTTLES = 20
# Limits of an account in the smallest regions: at once, and a second.
SMALLEST_BURST = 1250
SMALLEST_RATE = 2500

# Every kind of failure that API Gateway responds to itself, with the status and the code of the contract.
GATEWAY_RESPONSES = {
    "ACCESS_DENIED": (401, "UNAUTHORIZED"),
    "API_CONFIGURATION_ERROR": (500, "INTERNAL_ERROR"),
    "AUTHORIZER_CONFIGURATION_ERROR": (500, "INTERNAL_ERROR"),
    "AUTHORIZER_FAILURE": (503, "UNAVAILABLE"),
    "BAD_REQUEST_BODY": (400, "INVALID_REQUEST"),
    "BAD_REQUEST_PARAMETERS": (400, "INVALID_REQUEST"),
    # A status here would override that of every failure without its own response.
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

# The fields that the access log may hold: no texts of keys and no query values.
LOGGED = {
    "authorizer.importOrganizationId",
    "authorizer.latency",
    "authorizer.organizationId",
    "authorizer.principalId",
    "error.responseType",
    "httpMethod",
    "identity.sourceIp",
    "integration.latency",
    "integration.requestId",
    "integration.timeToFirstContent",
    "requestId",
    "requestTime",
    "resourcePath",
    "responseLatency",
    "responseLength",
    "status",
}

# The table that is read and written: the stack's own, or a restored one in its place.
TABLE_IN_SERVICE = {
    "Fn::If": ["HasRestoredTable", {"Fn::Sub": "${AWS::StackName}-restored-${RestoredTable}"}, {"Ref": "Table"}]
}
# The tables that the functions may use: always both, so that a change of the table has no gap.
TABLES = [
    {"Fn::GetAtt": ["Table", "Arn"]},
    {
        "Fn::Sub": "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}"
        ":table/${AWS::StackName}-restored-*"
    },
]

# Dimensions of the alarms' metrics.
OF_THE_STAGE = {"ApiName": {"Ref": "AWS::StackName"}, "Stage": {"Ref": "Stage"}}
OF_THE_DASHBOARD = {"ApiId": {"Ref": "DashboardApi"}}
OF_THE_LIMITED_DASHBOARD = {
    "ApiName": {"Fn::Sub": "${AWS::StackName}-limited-dashboard"},
    "Stage": {"Ref": "LimitedDashboardStage"},
}
OF_THE_AUTHORIZER = {"FunctionName": {"Ref": "AuthorizerFunction"}}
OF_THE_TABLE = {"TableName": TABLE_IN_SERVICE}
OF_FAILED_IMPORTS = {"QueueName": {"Fn::GetAtt": ["FailedImports", "QueueName"]}}
OF_FAILED_REQUESTS = {"QueueName": {"Fn::GetAtt": ["FailedRequests", "QueueName"]}}
OF_FAILED_DOCUMENT_SETS = {"QueueName": {"Fn::GetAtt": ["FailedDocumentSets", "QueueName"]}}
OF_REQUESTS = {"QueueName": {"Fn::GetAtt": ["Requests", "QueueName"]}}
OF_FAILED_NOTIFICATIONS = {"QueueName": {"Fn::GetAtt": ["FailedNotifications", "QueueName"]}}
OF_DISPATCH = {"FunctionName": {"Ref": "DispatchFunction"}}
OF_SCHEDULES = {"FunctionName": {"Ref": "ScheduleFunction"}}
OF_THE_STACK: dict[str, dict] = {}

# Every alarm: metric with its dimensions; statistic; threshold; number of breaching periods, of how many, in seconds.
ALARMS = {
    "AuthorizerErrorsAlarm": ("AuthorizerErrors", OF_THE_STACK, "Sum", ">= 1", (1, 1, 300)),
    "AuthorizerLatencyAlarm": ("AWS/Lambda Duration", OF_THE_AUTHORIZER, "p99", "> 1000", (3, 3, 300)),
    "DashboardServerErrorsAlarm": ("AWS/ApiGateway 5xx", OF_THE_DASHBOARD, "Sum", ">= 1", (1, 1, 300)),
    "LimitedDashboardErrorsAlarm": ("AWS/ApiGateway 5XXError", OF_THE_LIMITED_DASHBOARD, "Sum", ">= 1", (1, 1, 300)),
    "FailedResponsesAlarm": ("FailedResponses", OF_THE_STACK, "Sum", ">= 1", (1, 1, 300)),
    "FailedImportsAlarm": ("AWS/SQS ApproximateNumberOfMessagesVisible", OF_FAILED_IMPORTS, "Maximum", ">= 1", (1, 1, 300)),
    "FailedRequestsAlarm": ("AWS/SQS ApproximateNumberOfMessagesVisible", OF_FAILED_REQUESTS, "Maximum", ">= 1", (1, 1, 300)),
    "FailedDocumentSetsAlarm": (
        "AWS/SQS ApproximateNumberOfMessagesVisible",
        OF_FAILED_DOCUMENT_SETS,
        "Maximum",
        ">= 1",
        (1, 1, 300),
    ),
    # It has several metrics: `every_endpoint_is_watched`.
    "FunctionErrorsAlarm": (None, OF_THE_STACK, None, ">= 1", (1, 1, None)),
    "WaitingRequestsAlarm": ("AWS/SQS ApproximateAgeOfOldestMessage", OF_REQUESTS, "Maximum", ">= 21600", (1, 1, 300)),
    "FailedNotificationsAlarm": (
        "AWS/SQS ApproximateNumberOfMessagesVisible",
        OF_FAILED_NOTIFICATIONS,
        "Maximum",
        ">= 1",
        (1, 1, 300),
    ),
    "WaitingEventsAlarm": ("AWS/Lambda IteratorAge", OF_DISPATCH, "Maximum", ">= 3600000", (1, 1, 300)),
    "ScheduleErrorsAlarm": ("AWS/Lambda Errors", OF_SCHEDULES, "Sum", ">= 1", (3, 3, 300)),
    "NoRoundsAlarm": ("AWS/Lambda Invocations", OF_SCHEDULES, "Sum", "< 1", (3, 3, 300)),
    "LatencyAlarm": ("AWS/ApiGateway Latency", OF_THE_STAGE, "p50", "> 1000", (3, 3, 300)),
    # A client that asks twice an hour never fails twice in five minutes.
    "ServerErrorsAlarm": ("AWS/ApiGateway 5XXError", OF_THE_STAGE, "Sum", ">= 1", (1, 12, 300)),
    "ReadThrottlesAlarm": ("AWS/DynamoDB ReadThrottleEvents", OF_THE_TABLE, "Sum", ">= 1", (3, 5, 60)),
    "WriteThrottlesAlarm": ("AWS/DynamoDB WriteThrottleEvents", OF_THE_TABLE, "Sum", ">= 1", (3, 5, 60)),
}

COMPARISONS = {"GreaterThanThreshold": ">", "GreaterThanOrEqualToThreshold": ">=", "LessThanThreshold": "<"}
# The alarms for which no data is bad news: a function that is not invoked has none.
WITHOUT_DATA = {"NoRoundsAlarm"}

# How the functions' log names the level of a failure.
LOGGED_ERROR = '{ $.level = "ERROR" }'

# Resources that attach policies to roles, in addition to the roles' own policies.
SEPARATE_POLICIES = {"AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::RolePolicy"}

MANAGED_POLICIES = {
    f"arn:aws:iam::aws:policy/{name}" for name in ["service-role/AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"]
}

ENDPOINT_ACTIONS = {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:BatchGetItem"}
# A transaction first reads what it writes over, with one `BatchGetItem`. Replacing a report checks its tenant's version.
IMPORT_ACTIONS = ENDPOINT_ACTIONS | {"dynamodb:ConditionCheckItem", "dynamodb:PutItem", "dynamodb:DeleteItem"}
# Permissions of the import outside of the table.
IMPORT_ACCESS = [
    ("Allow", "s3:GetObject", {"Fn::Sub": "${Assessments.Arn}/assessments/*"}),
    ("Allow", ["s3:DeleteObject", "s3:GetObject"], {"Fn::Sub": "${Assessments.Arn}/imports/*"}),
    ("Allow", "s3:PutObject", {"Fn::Sub": "${Assessments.Arn}/assessments/*.import.json"}),
    ("Allow", "s3:ListBucket", {"Fn::GetAtt": ["Assessments", "Arn"]}),
    ("Allow", "sqs:SendMessage", {"Fn::GetAtt": ["FailedImports", "Arn"]}),
]
# Imports by the API: the function keeps them, and sends files to the bucket.
SENDING_ACTIONS = ENDPOINT_ACTIONS | {"dynamodb:PutItem"}
SENDING_ACCESS = [("Allow", "s3:PutObject", {"Fn::Sub": "${Assessments.Arn}/imports/*"})]
# Methods beside GET and HEAD, by path.
POSTS = {"/v1/imports", "/mcp"}
# Limits of routes that are not 10 requests a minute.
FASTER = {"/mcp/POST", "/v1/imports/POST", "/v1/imports/{importId}/GET"}
# Permissions of the function that works on requests, outside of the table.
# The application that reads tenants: a key that signs, or AWS's word for the role.
NO_VALUE = {"Ref": "AWS::NoValue"}
APPLICATION_ACCESS = [
    ("Allow", "kms:Sign", {"Ref": "GraphKeyArn"}),
    ("Allow", "sts:GetWebIdentityToken", "*"),
]
COLLECT_ACCESS = [
    ("Allow", ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"], {"Fn::Sub": "${Snapshots.Arn}/*"}),
    (
        "Allow",
        "sqs:SendMessage",
        [{"Fn::GetAtt": ["Requests", "Arn"]}, {"Fn::GetAtt": ["FailedRequests", "Arn"]}],
    ),
    (
        "Allow",
        ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"],
        {"Fn::GetAtt": ["Requests", "Arn"]},
    ),
    *APPLICATION_ACCESS,
]


def if_own(value: object, otherwise: object = NO_VALUE) -> dict:
    """Returns the value of a setting with the operator's own key."""
    return {"Fn::If": ["HasDataKey", value, otherwise]}


# The operator's own key, where there is one.
OWN_KEY = if_own({"Ref": "DataKeyArn"})


class _NoManagedPolicies:
    """An empty map: the template names its policies by ARN, so none is looked up by name."""

    def load(self) -> dict:
        return {}


def read() -> dict:
    """Returns the template as written, with each alias as a separate copy."""
    return json.loads(json.dumps(yaml_parse(project.TEMPLATE.read_text())))


def translate(template: dict) -> dict:
    """Returns the template as CloudFormation receives it."""
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
        self.outputs = template["Outputs"]
        self.rules = template["Rules"]
        self.api = self.resources["Api"]["Properties"]
        self.paths = self.api["Body"]["paths"]
        self.stage = self.resources["ApiStage"]["Properties"]
        self.plan = self.resources["UsagePlan"]

    def of_type(self, kind: str) -> dict[str, dict]:
        """Returns the properties of all resources of a type."""
        return {name: item["Properties"] for name, item in self.resources.items() if item["Type"] == kind}

    def routes(self) -> dict[str, dict]:
        """Returns the GET of every path with a function."""
        return {path: methods["get"] for path, methods in self.paths.items() if "get" in methods and path != INDEX}

    def all_routes(self) -> list[dict]:
        """Returns the GET and the POST of every path with a function."""
        posts = (methods["post"] for methods in self.paths.values() if "post" in methods)
        return [*self.routes().values(), *posts]

    def function_of(self, route: dict) -> str:
        """Returns the name of the function behind a route."""
        uri = json.dumps(route["x-amazon-apigateway-integration"]["uri"])
        return re.search(r"\$\{(\w+)\.Arn\}", uri)[1]

    def endpoints(self) -> list[str]:
        """Returns names of the functions behind the routes."""
        return sorted({self.function_of(route) for route in self.all_routes()})

    def responding(self) -> list[str]:
        """Returns the names of all functions that serve requests: endpoints, and those behind the dashboard's API."""
        integrations = self.of_type("AWS::ApiGatewayV2::Integration").values()
        return [*self.endpoints(), *(it["IntegrationUri"]["Fn::GetAtt"][0] for it in integrations)]

    def role_of(self, function: str) -> str:
        """Returns the name of a function's role."""
        (role, _) = self.resources[function]["Properties"]["Role"]["Fn::GetAtt"]
        return role

    def policies(self, function: str) -> list[dict]:
        """Returns all policy statements of a function, also conditional ones: those of its role, and those attached to it."""
        role = self.role_of(function)
        documents = [policy["PolicyDocument"] for policy in self.resources[role]["Properties"].get("Policies", [])]
        documents += [policy["PolicyDocument"] for policy in self._separate_policies(role)]
        statements = [statement for document in documents for statement in document["Statement"]]
        return [statement.get("Fn::If", [None, statement])[1] for statement in statements]

    def _separate_policies(self, role: str) -> list[dict]:
        """Returns the policies that are attached to a role, in any form."""
        found = [policy for kind in SEPARATE_POLICIES for policy in self.of_type(kind).values()]
        return [policy for policy in found if role in json.dumps([policy.get("RoleName"), policy.get("Roles")])]


RULES: list[Callable[[Deployed], None]] = []


def rule(function: Callable[[Deployed], None]) -> Callable[[Deployed], None]:
    """Registers a rule, which raises AssertionError if the template breaks it."""
    RULES.append(function)
    return function


@rule
def routes_are_those_of_the_interface(deployed: Deployed) -> None:
    assert set(deployed.paths) == set(project.interface()["paths"])
    for path, methods in deployed.paths.items():
        posts = {"post"} if path in POSTS else set()
        reads = set() if path == "/mcp" else {"get", "head"}
        assert set(methods) == reads | posts | {"x-amazon-apigateway-any-method"}, path


@rule
def every_route_leads_to_its_function(deployed: Deployed) -> None:
    for path, route in deployed.routes().items():
        binary = deployed.resources[deployed.function_of(route)]["Metadata"]["BuildProperties"]["Binary"]
        # A single element of a list has the list's function, or one whose name is the list's in the singular.
        names = {re.sub(ending, "", path).rsplit("/", 1)[1] for ending in (r"/\{\w+\}$", r"s/\{\w+\}$")}
        assert binary in names, path


@rule
def a_head_is_served_like_its_get(deployed: Deployed) -> None:
    for path, methods in deployed.paths.items():
        if "get" not in methods:
            continue
        get, head = (json.loads(json.dumps(methods[name])) for name in ("get", "head"))
        # The longest time of a response is for its body.
        get["x-amazon-apigateway-integration"].pop("timeoutInMillis", None)
        assert head == get, path


@rule
def the_index_names_every_endpoint_to_a_key(deployed: Deployed) -> None:
    index = deployed.paths[INDEX]["get"]
    assert {name for requirement in index["security"] for name in requirement} == {"KeyAuthorizer", "api_key"}
    integration = index["x-amazon-apigateway-integration"]
    response = integration["responses"]["default"]
    assert (integration["type"], response["statusCode"]) == ("mock", "200")
    body = json.loads(response["responseTemplates"]["application/json"])
    interface = project.interface()["info"]
    assert (body["name"], body["version"]) == (interface["title"], interface["version"])
    assert sorted(body["links"].values()) == sorted(path[1:] for path in deployed.paths if path != INDEX)
    _assert_headers(response["responseParameters"], "method.response.header.", 200)


@rule
def every_route_is_limited(deployed: Deployed) -> None:
    (stage,) = deployed.plan["Properties"]["ApiStages"]
    limits = stage["Throttle"]
    assert set(limits) == {f"{path}/GET" for path in deployed.routes()} | {f"{path}/POST" for path in POSTS}
    assert len(limits) <= METHOD_THROTTLES
    for route, limit in limits.items():
        is_faster = route in FASTER
        assert limit == {"BurstLimit": 60 if is_faster else 10, "RateLimit": 1 if is_faster else 0.16667}, route
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
    for route in deployed.all_routes():
        needed = {name for requirement in route["security"] for name in requirement}
        assert needed == {"KeyAuthorizer", "api_key"}, route


@rule
def every_route_streams(deployed: Deployed) -> None:
    for route in deployed.all_routes():
        integration = route["x-amazon-apigateway-integration"]
        assert integration["responseTransferMode"] == "STREAM", route
        assert json.dumps(integration["uri"]).endswith('/response-streaming-invocations"}'), route
        assert "/2021-11-15/" in json.dumps(integration["uri"]), route


@rule
def other_methods_are_refused_without_a_key(deployed: Deployed) -> None:
    for path, methods in deployed.paths.items():
        method = methods["x-amazon-apigateway-any-method"]
        integration = method["x-amazon-apigateway-integration"]
        response = integration["responses"]["default"]
        assert "security" not in method, path
        assert (integration["type"], response["statusCode"]) == ("mock", "405"), path
        _assert_failure(response["responseTemplates"], "METHOD_NOT_ALLOWED")
        _assert_headers(response["responseParameters"], "method.response.header.", 405)


@rule
def every_failure_of_the_gateway_has_its_response(deployed: Deployed) -> None:
    responses = deployed.api["Body"]["x-amazon-apigateway-gateway-responses"]
    assert set(responses) == set(GATEWAY_RESPONSES)
    for kind, (status, code) in GATEWAY_RESPONSES.items():
        response = responses[kind]
        assert response.get("statusCode") == (status and str(status)), kind
        _assert_failure(response["responseTemplates"], code)
        _assert_headers(response["responseParameters"], "gatewayresponse.header.", status)


def _assert_failure(templates: dict[str, str], code: str) -> None:
    """Asserts that a template is an error body of the contract and repeats nothing of the request."""
    assert set(templates) == {"application/json"}
    text = templates["application/json"]
    assert "$" not in text, text
    body = json.loads(text)
    assert set(body) == {"error"}
    assert body["error"]["code"] == code
    assert set(body["error"]) <= {"code", "message", "details"} and body["error"]["message"]


def _assert_headers(parameters: dict[str, str], prefix: str, status: int | None) -> None:
    """Asserts the fixed headers, and the header that depends on the status. Text values are quoted."""
    headers = {name.removeprefix(prefix): value for name, value in parameters.items()}
    fixed = {
        "Content-Type": "'application/json; charset=utf-8'",
        "Cache-Control": "'no-store'",
        "X-Content-Type-Options": "'nosniff'",
        # Requests and seconds, as the usage plan limits each route.
        "RateLimit-Policy": "'\"default\";q=10;w=60'",
    }
    assert headers.items() >= fixed.items(), headers
    extra = EXTRA_HEADERS.get(status)
    assert set(headers) - set(fixed) == ({extra} if extra else set()), headers
    assert all(re.fullmatch("'[^']+'", value) for value in headers.values()), headers


@rule
def data_outlives_the_stack(deployed: Deployed) -> None:
    # If the first deployment fails, the buckets, which are empty then, are deleted; the others are kept.
    kept = {"Table": "Retain", "ApiGatewayLogRole": "Retain"}
    for name, on_delete in {**kept, "Assessments": "RetainExceptOnCreate", "Snapshots": "RetainExceptOnCreate"}.items():
        resource = deployed.resources[name]
        assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == (on_delete, "Retain"), name


@rule
def the_table_is_protected(deployed: Deployed) -> None:
    table = deployed.resources["Table"]["Properties"]
    # A resource policy of the table could allow anyone.
    assert "ResourcePolicy" not in table
    assert table["DeletionProtectionEnabled"] is True
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["SSESpecification"] == {"SSEEnabled": True, "SSEType": if_own("KMS"), "KMSMasterKeyId": OWN_KEY}


@rule
def a_restored_table_is_switched_in_as_a_whole(deployed: Deployed) -> None:
    """Every function, every alarm, the CloudWatch dashboard and the output name the table in service."""
    assert deployed.parameters["RestoredTable"]["Default"] == ""
    for name, function in deployed.of_type("AWS::Lambda::Function").items():
        assert function["Environment"]["Variables"]["TABLE_NAME"] == TABLE_IN_SERVICE, name
    assert deployed.outputs["TableName"]["Value"] == TABLE_IN_SERVICE
    body, values = deployed.resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    assert values == {"TableInService": TABLE_IN_SERVICE}
    assert '"TableName", "${TableInService}"' in body


@rule
def the_table_has_two_keys_and_no_index(deployed: Deployed) -> None:
    table = deployed.resources["Table"]["Properties"]
    keys = [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]]
    assert keys == [("pk", "HASH"), ("sk", "RANGE")]
    assert {item["AttributeName"]: item["AttributeType"] for item in table["AttributeDefinitions"]} == {
        "pk": "S",
        "sk": "S",
    }
    assert not {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} & set(table)
    assert table["BillingMode"] == "PAY_PER_REQUEST"


@rule
def functions_reach_their_own_data_alone(deployed: Deployed) -> None:
    reads, notes = deployed.policies("AuthorizerFunction")
    assert_reads([reads], {"dynamodb:GetItem"}, "KEY#*")
    assert (notes["Action"], notes["Resource"]) == ("dynamodb:UpdateItem", TABLES)
    assert notes["Condition"] == only("KEY#*", ["pk", "sk", "lastUsedOn"])
    for function in set(deployed.endpoints()) - {"ImportsFunction"}:
        assert_reads(deployed.policies(function), ENDPOINT_ACTIONS, "ORG#*")
    for function, actions, access in [
        ("ImportAssessmentFunction", IMPORT_ACTIONS, IMPORT_ACCESS),
        ("CollectFunction", IMPORT_ACTIONS, COLLECT_ACCESS),
        ("ImportsFunction", SENDING_ACTIONS, SENDING_ACCESS),
    ]:
        statements = deployed.policies(function)
        of_table = [it for it in statements if "dynamodb" in json.dumps(it["Action"])]
        assert_reads(of_table, actions, "ORG#*")
        others = [(it["Effect"], it["Action"], it["Resource"]) for it in statements if it not in of_table]
        assert sorted(map(str, others)) == sorted(map(str, access)), function


@rule
def what_is_due_is_requested_with_its_own_rights(deployed: Deployed) -> None:
    statements = deployed.policies("ScheduleFunction")
    of_organizations, of_due, to_queue = statements
    assert_reads([of_organizations], IMPORT_ACTIONS, "ORG#*")
    assert_reads([of_due], {"dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:Query"}, "DUE")
    queues = [{"Fn::GetAtt": [name, "Arn"]} for name in ["Requests", "DocumentSets"]]
    assert (to_queue["Action"], to_queue["Resource"]) == ("sqs:SendMessage", queues)
    (schedule,) = deployed.of_type("AWS::Scheduler::Schedule").values()
    assert schedule["ScheduleExpression"] == "rate(5 minutes)"
    assert schedule["Target"]["Arn"] == {"Fn::GetAtt": ["ScheduleFunction", "Arn"]}
    (role, _) = schedule["Target"]["RoleArn"]["Fn::GetAtt"]
    (policy,) = deployed.resources[role]["Properties"]["Policies"]
    (allowed,) = policy["PolicyDocument"]["Statement"]
    assert (allowed["Action"], allowed["Resource"]) == ("lambda:InvokeFunction", schedule["Target"]["Arn"])
    # The next round does what one left.
    assert schedule["Target"]["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert deployed.resources["ScheduleFunctionEventInvokeConfig"]["Properties"]["MaximumRetryAttempts"] == 0


@rule
def events_are_sent_with_their_own_rights(deployed: Deployed) -> None:
    of_organizations, of_stream, to_queue = deployed.policies("DispatchFunction")
    assert_reads([of_organizations], {"dynamodb:GetItem", "dynamodb:Query"}, "ORG#*")
    streams = {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"}
    assert set(of_stream["Action"]) == streams
    assert of_stream["Resource"] == [
        {"Fn::Sub": "${Table.Arn}/stream/*"},
        {"Fn::Sub": TABLES[1]["Fn::Sub"] + "/stream/*"},
    ]
    queue = {"Fn::GetAtt": ["Notifications", "Arn"]}
    of_bus = {"Fn::If": ["HasEventBus", {"Fn::GetAtt": ["BusEvents", "Arn"]}, NO_VALUE]}
    assert (to_queue["Action"], to_queue["Resource"]) == ("sqs:SendMessage", [queue, of_bus])
    of_organizations, of_queue, of_mail = deployed.policies("DeliverFunction")
    allowed = {f"dynamodb:{action}" for action in ("BatchGetItem", "GetItem", "PutItem", "Query")}
    assert_reads([of_organizations], allowed, "ORG#*")
    actions = ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "ReceiveMessage"]
    assert (of_queue["Action"], of_queue["Resource"]) == ([f"sqs:{action}" for action in actions], queue)
    from_address = {"StringEquals": {"ses:FromAddress": {"Ref": "MailFrom"}}}
    assert (of_mail["Action"], of_mail["Condition"]) == (["ses:SendEmail", "ses:SendRawEmail"], from_address)
    resource = "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:"
    domain = {"Fn::Select": [1, {"Fn::Split": ["@", {"Fn::Sub": "${MailFrom}@"}]}]}
    assert of_mail["Resource"] == [
        {"Fn::Sub": resource + "identity/${MailFrom}"},
        {"Fn::Sub": [resource + "identity/${Domain}", {"Domain": domain}]},
        {"Fn::Sub": resource + "configuration-set/*"},
    ]
    for function in ("DeliverFunction", "DashboardFunction"):
        variables = deployed.resources[function]["Properties"]["Environment"]["Variables"]
        assert variables["MAIL_FROM"] == {"Ref": "MailFrom"}, function


@rule
def the_bus_receives_events_with_their_own_rights(deployed: Deployed) -> None:
    names = ["BusEvents", "BusPipe", "BusPipeRole"]
    queue, pipe, role = (deployed.resources[name]["Properties"] for name in names)
    assert all(deployed.resources[name]["Condition"] == "HasEventBus" for name in names)
    assert (queue["FifoQueue"], queue["DeduplicationScope"]) == (True, "messageGroup")
    # Its messages contain names.
    assert queue["KmsMasterKeyId"] == {"Fn::If": ["HasDataKey", {"Ref": "DataKeyArn"}, NO_VALUE]}
    failed = deployed.resources["FailedNotifications"]["Properties"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["FailedNotifications", "Arn"]}
    assert failed["KmsMasterKeyId"] == queue["KmsMasterKeyId"]
    source = {"Fn::GetAtt": ["BusEvents", "Arn"]}
    assert (pipe["Source"], pipe["RoleArn"]) == (source, {"Fn::GetAtt": ["BusPipeRole", "Arn"]})
    described = {"Source": "security-posture", "DetailType": "$.body.kind", "Time": "$.body.occurredAt"}
    assert pipe["TargetParameters"] == {"EventBridgeEventBusParameters": described, "InputTemplate": "<$.body>"}
    # A log of the pipe would contain the events.
    assert "LogConfiguration" not in pipe
    (policy,) = role["Policies"]
    of_queue, to_bus = policy["PolicyDocument"]["Statement"]
    actions = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
    assert (of_queue["Action"], of_queue["Resource"]) == (actions, source)
    assert (to_bus["Action"], to_bus["Resource"]) == ("events:PutEvents", pipe["Target"])
    url = deployed.resources["DispatchFunction"]["Properties"]["Environment"]["Variables"]["BUS_QUEUE_URL"]
    assert url == {"Fn::If": ["HasEventBus", {"Ref": "BusEvents"}, ""]}


def only(keys: str, attributes: list[str]) -> dict:
    """Returns the condition that allows only these attributes of items with these keys."""
    return {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys},
        "ForAllValues:StringEquals": {"dynamodb:Attributes": attributes},
    }


def assert_reads(statements: list[dict], actions: set[str], keys: str) -> None:
    """Asserts a single statement, which allows only these actions on some of the table's keys."""
    assert len(statements) == 1
    allowed = statements[0]["Action"]
    assert statements[0]["Effect"] == "Allow"
    assert {allowed} == actions if isinstance(allowed, str) else set(allowed) == actions
    assert statements[0]["Resource"] == TABLES
    assert statements[0]["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}}


@rule
def roles_hold_nothing_but_logs_traces_and_their_own(deployed: Deployed) -> None:
    for name in deployed.of_type("AWS::Lambda::Function"):
        managed = deployed.resources[deployed.role_of(name)]["Properties"]["ManagedPolicyArns"]
        assert {json.dumps(arn) for arn in managed} <= {json.dumps(arn) for arn in MANAGED_POLICIES}, name


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
    used = [
        function["LoggingConfig"]["LogGroup"]["Ref"] for function in deployed.of_type("AWS::Lambda::Function").values()
    ]
    assert len(used) == len(set(used))
    assert set(used) < set(groups)
    for name, group in groups.items():
        assert "RetentionInDays" in group, name


@rule
def the_stage_is_limited_as_a_whole(deployed: Deployed) -> None:
    (setting,) = deployed.stage["MethodSettings"]
    assert (setting["ResourcePath"], setting["HttpMethod"]) == ("/*", "*")
    plan = deployed.plan["Properties"]["Throttle"]
    assert plan["BurstLimit"] < setting["ThrottlingBurstLimit"] <= SMALLEST_BURST
    assert plan["RateLimit"] < setting["ThrottlingRateLimit"] <= SMALLEST_RATE


@rule
def a_bulk_import_leaves_concurrency_to_the_api(deployed: Deployed) -> None:
    reserved = deployed.resources["ImportAssessmentFunction"]["Properties"]["ReservedConcurrentExecutions"]
    assert reserved == {"Fn::If": ["HasImportConcurrency", {"Ref": "ImportConcurrency"}, {"Ref": "AWS::NoValue"}]}


@rule
def a_web_acl_filters_the_stage(deployed: Deployed) -> None:
    association = deployed.resources["WebAclAssociation"]
    assert association["Condition"] == "HasWebAcl"
    address = "arn:${AWS::Partition}:apigateway:${AWS::Region}::/restapis/${Api}/stages/${ApiStage}"
    assert association["Properties"] == {"ResourceArn": {"Fn::Sub": address}, "WebACLArn": {"Ref": "WebAclArn"}}


@rule
def alarms_watch_what_fails(deployed: Deployed) -> None:
    alarms = deployed.of_type("AWS::CloudWatch::Alarm")
    assert {name: _summary(alarm) for name, alarm in alarms.items()} == ALARMS
    for name, alarm in alarms.items():
        sent = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}
        assert alarm["AlarmActions"] == alarm["OKActions"] == sent, name
        assert alarm["TreatMissingData"] == ("breaching" if name in WITHOUT_DATA else "notBreaching"), name


def _summary(alarm: dict) -> tuple:
    """Returns an alarm in the form of `ALARMS`."""
    metric = alarm.get("MetricName")
    # The stack's own metrics are in a namespace with its name.
    if metric and alarm["Namespace"] != {"Ref": "AWS::StackName"}:
        metric = f"{alarm['Namespace']} {metric}"
    dimensions = {it["Name"]: it["Value"] for it in alarm.get("Dimensions", [])}
    statistic = alarm.get("Statistic", alarm.get("ExtendedStatistic"))
    limit = f"{COMPARISONS[alarm['ComparisonOperator']]} {alarm['Threshold']}"
    periods = alarm["EvaluationPeriods"]
    return metric, dimensions, statistic, limit, (alarm.get("DatapointsToAlarm", periods), periods, alarm.get("Period"))


@rule
def every_endpoint_is_watched(deployed: Deployed) -> None:
    whole, *parts = deployed.resources["FunctionErrorsAlarm"]["Properties"]["Metrics"]
    assert whole["Expression"] == "SUM(METRICS())" and whole.get("ReturnData", True)
    watched = []
    for part in parts:
        stat = part["MetricStat"]
        (function,) = stat["Metric"]["Dimensions"]
        assert (part["ReturnData"], stat["Stat"], stat["Period"]) == (False, "Sum", 300)
        assert (stat["Metric"]["Namespace"], stat["Metric"]["MetricName"]) == ("AWS/Lambda", "Errors")
        assert function["Name"] == "FunctionName"
        watched.append(function["Value"]["Ref"])
    assert sorted(watched) == sorted(deployed.responding())


@rule
def failures_that_endpoints_log_are_counted(deployed: Deployed) -> None:
    filters = deployed.of_type("AWS::Logs::MetricFilter").values()
    counters = [it for it in filters if it["MetricTransformations"][0]["MetricName"] == "FailedResponses"]
    for counter in counters:
        assert counter["FilterPattern"] == LOGGED_ERROR
        _assert_counts(counter, deployed.resources["FailedResponsesAlarm"]["Properties"])
    functions = [deployed.resources[name]["Properties"] for name in deployed.responding()]
    assert all(function["LoggingConfig"]["LogFormat"] == "JSON" for function in functions)
    logs = [function["LoggingConfig"]["LogGroup"]["Ref"] for function in functions]
    assert sorted(counter["LogGroupName"]["Ref"] for counter in counters) == sorted(logs)


def _assert_counts(counter: dict, alarm: dict) -> None:
    """Asserts that a metric filter adds one to an alarm's metric for every line."""
    (metric,) = counter["MetricTransformations"]
    assert (metric["MetricNamespace"], metric["MetricName"]) == (alarm["Namespace"], alarm["MetricName"])
    assert (metric["MetricValue"], metric["DefaultValue"]) == ("1", 0)


@rule
def errors_of_the_authorizer_are_counted(deployed: Deployed) -> None:
    counter = deployed.resources["AuthorizerErrors"]["Properties"]
    assert counter["LogGroupName"] == {"Ref": "AccessLogs"}
    (name, pattern) = re.fullmatch(r'\{ \$\.(\w+) = "(\w+)\*" \}', counter["FilterPattern"]).groups()
    assert f'"{name}":"$context.error.responseType"' in deployed.stage["AccessLogSetting"]["Format"]
    counted = {response for response in GATEWAY_RESPONSES if response.startswith(pattern)}
    assert counted == {"AUTHORIZER_CONFIGURATION_ERROR", "AUTHORIZER_FAILURE"}
    _assert_counts(counter, deployed.resources["AuthorizerErrorsAlarm"]["Properties"])


@rule
def logs_hold_neither_keys_nor_queries(deployed: Deployed) -> None:
    variables = set(re.findall(r"\$context\.([\w.]+)", deployed.stage["AccessLogSetting"]["Format"]))
    assert variables <= LOGGED, variables - LOGGED
    for setting in deployed.stage["MethodSettings"]:
        assert (setting["LoggingLevel"], setting["DataTraceEnabled"]) == ("OFF", False)
    # Traces of the stage would contain the caller's address and the whole query.
    assert deployed.stage["TracingEnabled"] is False
