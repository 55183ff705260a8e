"""The template is valid for its tools and keeps every rule, and every rule is seen broken once."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import project
import template

CHECKS = Path(__file__).parent
# In an environment of its own: it needs other versions of what the SAM CLI needs.
CHECKOV = Path(sys.prefix) / "checkov" / "bin" / "checkov"


@pytest.mark.parametrize("arguments", [["--lint"], []], ids=["lint", "plain"])
def test_sam_accepts_the_template(arguments: list[str]) -> None:
    command = ["sam", "validate", "--template-file", str(project.TEMPLATE), *arguments]
    subprocess.run(command, check=True, env=os.environ | template.TOOLS)


def test_cfn_lint_accepts_the_template() -> None:
    subprocess.run(["cfn-lint", "--config-file", str(CHECKS / "cfn-lint.yaml"), str(project.TEMPLATE)], check=True)


def test_checkov_accepts_the_template() -> None:
    options = ["--file", str(project.TEMPLATE), "--config-file", str(CHECKS / "checkov.yaml"), "--output", "json"]
    found = subprocess.run([str(CHECKOV), *options], check=False, capture_output=True, text=True).stdout
    results = json.loads(found)["results"]
    assert results["parsing_errors"] == []
    assert [(it["check_id"], it["resource"]) for it in results["failed_checks"]] == []
    assert len(results["passed_checks"]) > len(template.read()["Resources"]) / 2


def test_cfn_lint_accepts_the_translated_template(tmp_path: Path) -> None:
    translated = tmp_path / "template.json"
    translated.write_text(json.dumps(template.translate(template.read())))
    subprocess.run(["cfn-lint", "--regions", template.REGION, "--template", str(translated)], check=True)


@pytest.mark.parametrize("rule", template.RULES, ids=lambda rule: rule.__name__)
def test_the_template_keeps(rule: Callable) -> None:
    rule(template.Deployed(template.translate(template.read())))


BREAKS: list[tuple[Callable, Callable[[dict], None]]] = []


def breaks(rule: Callable) -> Callable:
    """Registers a change of the template that the rule has to notice."""

    def register(change: Callable[[dict], None]) -> Callable[[dict], None]:
        BREAKS.append((rule, change))
        return change

    return register


def _api(source: dict) -> dict:
    return source["Resources"]["Api"]["Properties"]


def _properties(source: dict, resource: str) -> dict:
    return source["Resources"][resource]["Properties"]


def _event(source: dict) -> dict:
    return _properties(source, "TenantsFunction")["Events"]["Get"]["Properties"]


def _statement(source: dict, function: str) -> dict:
    return _properties(source, function)["Policies"][0]["Statement"][0]


def _other_methods(source: dict) -> dict:
    return _api(source)["DefinitionBody"]["paths"]["/v1/tenants"]["x-amazon-apigateway-any-method"]


@breaks(template.routes_are_those_of_the_interface)
def a_path_is_misspelt(source: dict) -> None:
    _event(source)["Path"] = "/v1/tenant"


@breaks(template.routes_are_those_of_the_interface)
def a_method_is_added(source: dict) -> None:
    _event(source)["Method"] = "post"


@breaks(template.every_route_leads_to_its_function)
def a_function_is_built_of_another_binary(source: dict) -> None:
    source["Resources"]["TenantsFunction"]["Metadata"]["BuildProperties"]["Binary"] = "usage"


@breaks(template.every_route_is_limited)
def a_route_has_no_limit(source: dict) -> None:
    del _properties(source, "UsagePlan")["ApiStages"][0]["Throttle"]["/v1/tenants/GET"]


@breaks(template.every_route_is_limited)
def a_route_has_a_higher_limit(source: dict) -> None:
    _properties(source, "UsagePlan")["ApiStages"][0]["Throttle"]["/v1/tenants/GET"]["RateLimit"] = 10


@breaks(template.every_route_is_limited)
def the_whole_plan_is_stricter_than_its_routes(source: dict) -> None:
    _properties(source, "UsagePlan")["Throttle"]["BurstLimit"] = 10


@breaks(template.limits_count_by_organization)
def the_key_comes_from_a_header(source: dict) -> None:
    _api(source)["ApiKeySourceType"] = "HEADER"


@breaks(template.usage_plan_waits_for_the_stage)
def the_plan_names_the_stage_by_its_text(source: dict) -> None:
    _properties(source, "UsagePlan")["ApiStages"][0]["Stage"] = {"Ref": "Stage"}


@breaks(template.authorizer_is_asked_every_time)
def the_authorizer_caches(source: dict) -> None:
    del _api(source)["Auth"]["Authorizers"]["KeyAuthorizer"]["Identity"]["ReauthorizeEvery"]


@breaks(template.authorizer_is_asked_about_keys_alone)
def every_bearer_passes(source: dict) -> None:
    _api(source)["Auth"]["Authorizers"]["KeyAuthorizer"]["Identity"]["ValidationExpression"] = "^Bearer .*$"


@breaks(template.every_route_needs_a_key)
def a_route_is_open(source: dict) -> None:
    del _event(source)["Auth"]["Authorizer"]


@breaks(template.every_route_needs_a_key)
def a_route_counts_nobody(source: dict) -> None:
    del _event(source)["Auth"]["ApiKeyRequired"]


@breaks(template.every_route_needs_a_key)
def the_scheme_of_counted_keys_is_missing(source: dict) -> None:
    del _api(source)["DefinitionBody"]["securityDefinitions"]["api_key"]


@breaks(template.every_route_streams)
def a_transfer_mode_is_misspelt(source: dict) -> None:
    _event(source)["ResponseTransferMode"] = "STREAM"


@breaks(template.other_methods_are_refused_without_a_key)
def other_methods_need_a_key(source: dict) -> None:
    _api(source)["Auth"]["DefaultAuthorizer"] = "KeyAuthorizer"


@breaks(template.other_methods_are_refused_without_a_key)
def other_methods_are_answered_with_success(source: dict) -> None:
    integration = _other_methods(source)["x-amazon-apigateway-integration"]
    integration["responses"]["default"]["statusCode"] = "200"


@breaks(template.every_failure_of_the_gateway_has_its_answer)
def an_answer_is_misspelt(source: dict) -> None:
    answers = _api(source)["GatewayResponses"]
    answers["THROTTELED"] = answers.pop("THROTTLED")


@breaks(template.every_failure_of_the_gateway_has_its_answer)
def an_answer_repeats_the_request(source: dict) -> None:
    text = '{"error":{"code":"NOT_FOUND","message":$context.error.messageString}}'
    _api(source)["GatewayResponses"]["MISSING_AUTHENTICATION_TOKEN"]["ResponseTemplates"]["application/json"] = text


@breaks(template.every_failure_of_the_gateway_has_its_answer)
def a_default_has_a_status(source: dict) -> None:
    _api(source)["GatewayResponses"]["DEFAULT_4XX"]["StatusCode"] = 400


@breaks(template.every_failure_of_the_gateway_has_its_answer)
def a_header_is_not_quoted(source: dict) -> None:
    _api(source)["GatewayResponses"]["THROTTLED"]["ResponseParameters"]["Headers"]["Retry-After"] = "6"


@breaks(template.the_table_keeps_its_data)
def the_table_goes_with_the_stack(source: dict) -> None:
    source["Resources"]["Table"]["DeletionPolicy"] = "Delete"


@breaks(template.the_table_keeps_its_data)
def the_table_can_be_deleted(source: dict) -> None:
    _properties(source, "Table")["DeletionProtectionEnabled"] = False


@breaks(template.the_table_keeps_its_data)
def the_table_has_no_past(source: dict) -> None:
    _properties(source, "Table")["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] = False


@breaks(template.the_table_keeps_its_data)
def the_table_lets_others_in(source: dict) -> None:
    _properties(source, "Table")["ResourcePolicy"] = {"PolicyDocument": {"Statement": []}}


@breaks(template.the_bucket_keeps_its_files)
def the_bucket_goes_with_the_stack(source: dict) -> None:
    source["Resources"]["Assessments"]["DeletionPolicy"] = "Delete"


@breaks(template.the_bucket_keeps_its_files)
def the_bucket_stays_after_a_failed_start(source: dict) -> None:
    source["Resources"]["Assessments"]["DeletionPolicy"] = "Retain"


@breaks(template.the_role_of_the_accounts_logs_stays)
def a_failed_start_takes_the_accounts_role(source: dict) -> None:
    source["Resources"]["ApiGatewayLogRole"]["DeletionPolicy"] = "RetainExceptOnCreate"


@breaks(template.the_table_keeps_its_data)
def the_table_is_not_encrypted(source: dict) -> None:
    del _properties(source, "Table")["SSESpecification"]


@breaks(template.the_table_has_two_keys_and_no_index)
def the_table_has_an_index(source: dict) -> None:
    index = {"IndexName": "sk", "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}]}
    _properties(source, "Table")["GlobalSecondaryIndexes"] = [index]


@breaks(template.the_authorizer_reads_keys_alone)
def the_authorizer_reads_everything(source: dict) -> None:
    del _statement(source, "AuthorizerFunction")["Condition"]


@breaks(template.endpoints_read_organizations_alone)
def an_endpoint_reads_keys(source: dict) -> None:
    _statement(source, "TenantsFunction")["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] = "*"


@breaks(template.endpoints_read_organizations_alone)
def an_endpoint_writes(source: dict) -> None:
    _statement(source, "TenantsFunction")["Action"].append("dynamodb:PutItem")


def _attach(source: dict, kind: str, function: str, **properties: object) -> None:
    """Adds a policy that lies outside a function's role, and lets the role do everything."""
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    role = {"Ref": f"{function}Role"}
    named = {"RoleName": role} if kind == "AWS::IAM::RolePolicy" else {"Roles": [role]}
    source["Resources"]["Other"] = {"Type": kind, "Properties": {"PolicyDocument": document, **named, **properties}}


@breaks(template.endpoints_read_organizations_alone)
def a_separate_policy_is_attached_to_an_endpoint(source: dict) -> None:
    _attach(source, "AWS::IAM::RolePolicy", "TenantsFunction", PolicyName="other")


@breaks(template.endpoints_read_organizations_alone)
def a_managed_policy_is_attached_to_an_endpoint(source: dict) -> None:
    _attach(source, "AWS::IAM::ManagedPolicy", "TenantsFunction")


@breaks(template.the_authorizer_reads_keys_alone)
def a_shared_policy_is_attached_to_the_authorizer(source: dict) -> None:
    _attach(source, "AWS::IAM::Policy", "AuthorizerFunction", PolicyName="other")


@breaks(template.the_import_reaches_organizations_and_the_bucket_alone)
def the_import_reads_keys(source: dict) -> None:
    condition = _statement(source, "ImportAssessmentFunction")["Condition"]
    condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] = "*"


@breaks(template.the_import_reaches_organizations_and_the_bucket_alone)
def the_import_writes_where_files_are_put(source: dict) -> None:
    statement = _properties(source, "ImportAssessmentBucketAccess")["PolicyDocument"]["Statement"][1]
    statement["Resource"] = {"Fn::Sub": "${Assessments.Arn}/assessments/*"}


@breaks(template.roles_hold_nothing_but_logs_traces_and_their_own)
def a_function_holds_a_policy_of_the_stack(source: dict) -> None:
    _properties(source, "TenantsFunction")["Policies"].append({"Ref": "Other"})


@breaks(template.roles_hold_nothing_but_logs_traces_and_their_own)
def a_function_may_do_everything(source: dict) -> None:
    _properties(source, "TenantsFunction")["Policies"].append("arn:aws:iam::aws:policy/AdministratorAccess")


@breaks(template.functions_are_small_native_binaries)
def a_function_has_another_runtime(source: dict) -> None:
    _properties(source, "TenantsFunction")["Runtime"] = "provided.al2"


@breaks(template.every_function_logs_to_a_group_that_expires)
def a_log_is_kept_for_ever(source: dict) -> None:
    del _properties(source, "TenantsLogs")["RetentionInDays"]


@breaks(template.every_function_logs_to_a_group_that_expires)
def two_functions_share_a_log(source: dict) -> None:
    _properties(source, "TenantsFunction")["LoggingConfig"]["LogGroup"] = {"Ref": "UsageLogs"}


@breaks(template.the_stage_is_limited_as_a_whole)
def whoever_has_no_key_is_not_limited(source: dict) -> None:
    del _api(source)["MethodSettings"][0]["ThrottlingRateLimit"]


@breaks(template.alarms_tell_of_what_fails)
def nobody_is_told_of_server_errors(source: dict) -> None:
    del source["Resources"]["ServerErrorsAlarm"]


@breaks(template.alarms_tell_of_what_fails)
def an_alarm_is_sent_nowhere(source: dict) -> None:
    del _properties(source, "LatencyAlarm")["AlarmActions"]


@breaks(template.alarms_tell_of_what_fails)
def an_alarm_watches_another_metric(source: dict) -> None:
    _properties(source, "ServerErrorsAlarm")["MetricName"] = "4XXError"


@breaks(template.alarms_tell_of_what_fails)
def an_alarm_watches_another_stage(source: dict) -> None:
    _properties(source, "ServerErrorsAlarm")["Dimensions"][1]["Value"] = "prod"


@breaks(template.alarms_tell_of_what_fails)
def an_alarm_stays_silent_for_seldom_callers(source: dict) -> None:
    _properties(source, "ServerErrorsAlarm")["Threshold"] = 5


@breaks(template.alarms_tell_of_what_fails)
def an_alarm_waits_for_a_second_failure(source: dict) -> None:
    _properties(source, "ServerErrorsAlarm")["DatapointsToAlarm"] = 2


@breaks(template.alarms_tell_of_what_fails)
def an_alarm_looks_at_the_mean(source: dict) -> None:
    _properties(source, "TableThrottlesAlarm")["Statistic"] = "Average"


@breaks(template.alarms_tell_of_what_fails)
def an_alarm_compares_the_wrong_way(source: dict) -> None:
    _properties(source, "FailedAnswersAlarm")["ComparisonOperator"] = "LessThanThreshold"


@breaks(template.every_endpoint_is_watched)
def an_endpoint_is_not_watched(source: dict) -> None:
    _properties(source, "FunctionErrorsAlarm")["Metrics"].pop()


@breaks(template.every_endpoint_is_watched)
def calls_are_watched_instead_of_errors(source: dict) -> None:
    _properties(source, "FunctionErrorsAlarm")["Metrics"][1]["MetricStat"]["Metric"]["MetricName"] = "Invocations"


@breaks(template.failures_that_endpoints_log_are_counted)
def answers_that_are_cut_off_are_not_counted(source: dict) -> None:
    del source["Resources"]["TenantsFailures"]


@breaks(template.failures_that_endpoints_log_are_counted)
def another_level_is_counted(source: dict) -> None:
    _properties(source, "TenantsFailures")["FilterPattern"] = '{ $.level = "WARN" }'


@breaks(template.failures_that_endpoints_log_are_counted)
def failures_count_for_another_alarm(source: dict) -> None:
    _properties(source, "FailedAnswersAlarm")["MetricName"] = "AuthorizerErrors"


@breaks(template.failures_that_endpoints_log_are_counted)
def a_function_logs_text(source: dict) -> None:
    _properties(source, "TenantsFunction")["LoggingConfig"]["LogFormat"] = "Text"


@breaks(template.errors_of_the_authorizer_are_counted)
def refused_keys_are_counted_as_errors(source: dict) -> None:
    _properties(source, "AuthorizerErrors")["FilterPattern"] = '{ $.failure = "UNAUTHORIZED*" }'


@breaks(template.errors_of_the_authorizer_are_counted)
def the_log_names_failures_otherwise(source: dict) -> None:
    setting = _api(source)["AccessLogSetting"]
    setting["Format"] = setting["Format"].replace('"failure"', '"error"')


@breaks(template.logs_tell_neither_keys_nor_queries)
def the_log_tells_the_callers_address(source: dict) -> None:
    _api(source)["AccessLogSetting"]["Format"] += "$context.identity.sourceIp"


@breaks(template.logs_tell_neither_keys_nor_queries)
def requests_are_traced_in_full(source: dict) -> None:
    _api(source)["MethodSettings"][0]["DataTraceEnabled"] = True


@breaks(template.logs_tell_neither_keys_nor_queries)
def traces_hold_the_query(source: dict) -> None:
    _api(source)["TracingEnabled"] = True


@pytest.mark.parametrize(("rule", "change"), BREAKS, ids=[change.__name__ for _, change in BREAKS])
def test_a_broken_template_is_noticed_when(rule: Callable, change: Callable[[dict], None]) -> None:
    source = template.read()
    change(source)
    deployed = template.Deployed(template.translate(source))
    with pytest.raises((AssertionError, KeyError)):
        rule(deployed)


def test_every_rule_is_seen_broken() -> None:
    assert {rule for rule, _ in BREAKS} == set(template.RULES)
