"""The template is valid for its tools and follows every rule, and every rule detects a change that breaks it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import dashboard_rules
import dependencies
import project
import template

CHECKS = Path(__file__).parent
# In a separate environment, because it needs other versions of the SAM CLI's dependencies.
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


# For every rule, the path of a property and a value that breaks the rule. `None` removes the property.
PROPERTIES = "Resources/{}/Properties/"
API, PLAN, TABLE = (PROPERTIES.format(name) for name in ("Api", "UsagePlan", "Table"))
DASHBOARD, DASHBOARD_STAGE = (PROPERTIES.format(name) for name in ("DashboardFunction", "DashboardStage"))
TENANTS = PROPERTIES.format("TenantsFunction")
AUTHORIZER = API + "Auth/Authorizers/KeyAuthorizer/Identity/"
OTHER_METHODS = API + "DefinitionBody/paths/|v1|tenants/x-amazon-apigateway-any-method/x-amazon-apigateway-integration/"
KEYS = "Policies/0/Statement/0/Condition/ForAllValues:StringLike/dynamodb:LeadingKeys"
BREAKS: dict[Callable, tuple[str, object]] = {
    template.routes_are_those_of_the_interface: (TENANTS + "Events/Get/Properties/Path", "/v1/tenant"),
    template.every_route_leads_to_its_function: (
        "Resources/TenantsFunction/Metadata/BuildProperties/Binary",
        "usage",
    ),
    template.a_head_is_served_like_its_get: (TENANTS + "Events/Head/Properties/Auth/ApiKeyRequired", None),
    template.the_index_names_every_endpoint_to_a_key: (API + "DefinitionBody/paths/|/get/security", []),
    template.every_route_is_limited: (PLAN + "ApiStages/0/Throttle/|v1|tenants|GET", None),
    template.limits_count_by_organization: (API + "ApiKeySourceType", "HEADER"),
    template.usage_plan_waits_for_the_stage: (PLAN + "ApiStages/0/Stage", {"Ref": "Stage"}),
    template.authorizer_is_asked_every_time: (AUTHORIZER + "ReauthorizeEvery", None),
    template.authorizer_is_asked_about_keys_alone: (AUTHORIZER + "ValidationExpression", "^Bearer .*$"),
    template.every_route_needs_a_key: (TENANTS + "Events/Get/Properties/Auth/ApiKeyRequired", None),
    template.every_route_streams: (TENANTS + "Events/Get/Properties/ResponseTransferMode", "STREAM"),
    template.other_methods_are_refused_without_a_key: (OTHER_METHODS + "responses/default/statusCode", "200"),
    template.every_failure_of_the_gateway_has_its_response: (API + "GatewayResponses/THROTTLED", None),
    template.data_outlives_the_stack: ("Resources/Table/DeletionPolicy", "Delete"),
    template.the_table_is_protected: (TABLE + "DeletionProtectionEnabled", False),
    template.a_restored_table_is_switched_in_as_a_whole: (
        "Globals/Function/Environment/Variables/TABLE_NAME",
        {"Ref": "Table"},
    ),
    template.the_table_has_two_keys_and_no_index: (TABLE + "GlobalSecondaryIndexes", [{"IndexName": "sk"}]),
    template.functions_reach_their_own_data_alone: (TENANTS + KEYS, "*"),
    template.what_is_due_is_requested_with_its_own_rights: (
        PROPERTIES.format("ScheduleFunction") + "Policies/0/Statement/1/Action/2",
        "dynamodb:GetItem",
    ),
    template.events_are_sent_with_their_own_rights: (
        PROPERTIES.format("DispatchFunction") + "Policies/0/Statement/0/Action/2",
        "dynamodb:PutItem",
    ),
    template.the_bus_receives_events_with_their_own_rights: (
        PROPERTIES.format("BusPipeRole") + "Policies/0/PolicyDocument/Statement/1/Resource",
        "*",
    ),
    template.roles_hold_nothing_but_logs_traces_and_their_own: (
        TENANTS + "Policies/1",
        "arn:aws:iam::aws:policy/AdministratorAccess",
    ),
    template.functions_are_small_native_binaries: (TENANTS + "Runtime", "provided.al2"),
    template.every_function_logs_to_a_group_that_expires: (
        TENANTS + "LoggingConfig/LogGroup",
        {"Ref": "UsageLogs"},
    ),
    template.the_stage_is_limited_as_a_whole: (API + "MethodSettings/0/ThrottlingRateLimit", None),
    template.a_bulk_import_leaves_concurrency_to_the_api: (
        PROPERTIES.format("ImportAssessmentFunction") + "ReservedConcurrentExecutions",
        None,
    ),
    template.a_web_acl_filters_the_stage: ("Resources/WebAclAssociation", None),
    template.alarms_watch_what_fails: (PROPERTIES.format("ServerErrorsAlarm") + "MetricName", "4XXError"),
    template.every_endpoint_is_watched: (PROPERTIES.format("FunctionErrorsAlarm") + "Metrics/1", None),
    template.failures_that_endpoints_log_are_counted: ("Resources/TenantsFailures", None),
    template.errors_of_the_authorizer_are_counted: (
        PROPERTIES.format("AuthorizerErrors") + "FilterPattern",
        '{ $.failure = "UNAUTHORIZED*" }',
    ),
    template.logs_hold_neither_keys_nor_queries: (API + "TracingEnabled", True),
    # The function's environment contains the API's address, so the API cannot refer to the function.
    dashboard_rules.nothing_waits_for_itself: (
        PROPERTIES.format("DashboardApi") + "Description",
        {"Fn::Sub": "Pages by ${DashboardFunction.Arn}"},
    ),
    dashboard_rules.report_links_lead_to_the_dashboard: (
        "Globals/Function/Environment/Variables/DASHBOARD_URL",
        "https://example.com",
    ),
    dashboard_rules.the_dashboard_has_its_own_rights: (DASHBOARD + "Policies/0/Statement/3/Action/0", "dynamodb:GetItem"),
    dashboard_rules.pdfs_are_made_by_a_function_that_only_reads_and_records_it: (
        PROPERTIES.format("ReportPdfFunction") + "Policies/0/Statement/1/Condition",
        {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "ORG#*"}},
    ),
    dashboard_rules.the_dashboard_responds_at_the_root_of_its_address: (DASHBOARD_STAGE + "StageName", "prod"),
    dashboard_rules.the_dashboard_has_one_address: (
        PROPERTIES.format("DashboardApi") + "DisableExecuteApiEndpoint",
        False,
    ),
    dashboard_rules.the_dashboard_is_limited_as_a_whole: (DASHBOARD_STAGE + "DefaultRouteSettings", None),
    dashboard_rules.the_dashboards_log_holds_no_paths: (
        DASHBOARD_STAGE + "AccessLogSettings/Format",
        '{"path":"$context.path"}',
    ),
    dashboard_rules.an_address_can_be_limited: (
        PROPERTIES.format("AddressLimit") + "Rules/0/VisibilityConfig/SampledRequestsEnabled",
        True,
    ),
    dashboard_rules.with_a_limit_no_other_address_leads_to_the_dashboard: (
        PROPERTIES.format("DashboardDomainMapping") + "ApiId",
        {"Ref": "DashboardApi"},
    ),
    dashboard_rules.the_limited_dashboard_serves_every_path_of_the_other: (
        PROPERTIES.format("LimitedDashboard") + "Body/paths/|tenants|{tenant}|reports",
        None,
    ),
    dashboard_rules.the_limited_dashboard_has_the_limits_of_the_other: (
        PROPERTIES.format("LimitedDashboardStage") + "MethodSettings/1",
        None,
    ),
    dashboard_rules.a_change_of_the_limited_dashboard_is_deployed: (
        PROPERTIES.format("LimitedDashboard") + "Body/info/version",
        "1.0.1",
    ),
    dashboard_rules.what_has_ended_is_deleted: (TABLE + "TimeToLiveSpecification/AttributeName", "ttl"),
    dashboard_rules.nobody_signs_up_and_a_password_is_not_enough: (
        PROPERTIES.format("UserPool") + "MfaConfiguration",
        "OPTIONAL",
    ),
    dashboard_rules.the_pool_leads_back_to_the_dashboard_alone: (
        PROPERTIES.format("UserPoolClient") + "CallbackURLs/1",
        "https://example.com/sign-in/callback",
    ),
    dashboard_rules.the_pool_has_pages: ("Resources/UserPoolBranding", None),
    dashboard_rules.another_issuer_replaces_the_pool: ("Resources/UserPoolClient/Condition", None),
}


def test_the_guide_lists_every_parameter_and_every_alarm_and_what_alarms_cost() -> None:
    guide = (project.ROOT / "docs" / "DEPLOY.md").read_text()
    rows = re.findall(r"^\| (`.+?`) \|", guide, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    source = template.read()
    alarms = {name: it for name, it in source["Resources"].items() if it["Type"] == "AWS::CloudWatch::Alarm"}
    assert (set(source["Parameters"]) | set(alarms)) - listed == set()
    usual = [it["Properties"] for it in alarms.values() if "Condition" not in it]
    metrics = sum(sum("MetricStat" in metric for metric in it.get("Metrics", [])) or 1 for it in usual)
    assert f"| {metrics} metrics of {len(usual)} alarms | $0.10 each | ${metrics / 10:.2f} |" in guide


def broken(place: str, value: object) -> dict:
    """Returns the template with one property changed. In a segment of the path, `|` is a slash."""
    source = template.read()
    *steps, last = [int(step) if step.isdigit() else step.replace("|", "/") for step in place.split("/")]
    node = source
    for step in steps:
        node = node[step]
    if value is None:
        del node[last]
    elif isinstance(node, list) and last == len(node):
        node.append(value)
    else:
        node[last] = value
    return source


@pytest.mark.parametrize("rule", template.RULES, ids=lambda rule: rule.__name__)
def test_a_change_that_breaks_the_rule_is_noticed(rule: Callable) -> None:
    deployed = template.Deployed(template.translate(broken(*BREAKS[rule])))
    with pytest.raises((AssertionError, KeyError)):
        rule(deployed)


def test_circles_are_found_whatever_refers() -> None:
    waits_for = {
        "A": {"Ref": "B"},
        "B": {"Fn::Sub": ["${C.Arn} ${Own}", {"Own": "text"}]},
        "C": [{"Fn::If": ["Condition", {"Fn::GetAtt": ["D", "Arn"]}, ""]}],
        "D": {"Fn::Sub": "${!A} ${AWS::Region}"},
        "Own": {"Fn::GetAtt": "Own.Arn"},
    }
    resources = {name: {"Properties": {"Value": value}} for name, value in waits_for.items()}
    assert dependencies.circles(resources) == [["Own", "Own"]]
    resources["D"]["DependsOn"] = "A"
    assert ["A", "B", "C", "D", "A"] in dependencies.circles(resources)
