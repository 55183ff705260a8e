"""Requests for reports wait in a queue until they are worked on, and their snapshots are private and expire."""

import re

import project
import pytest

import template
from test_bucket import properties


@pytest.fixture(scope="module")
def deployed() -> template.Deployed:
    return template.Deployed(template.translate(template.read()))


def test_a_request_is_delivered_again_only_after_its_invocation(deployed: template.Deployed) -> None:
    queue, function = properties(deployed, "Requests"), properties(deployed, "CollectFunction")
    assert queue["VisibilityTimeout"] > function["Timeout"] == 600
    mapping = properties(deployed, "CollectRequests")
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["Requests", "Arn"]}
    # One message that fails takes no others with it. A batch has as many as the function works on at once.
    at_once = re.search(r"AT_ONCE: usize = (\d+);", (project.ROOT / "functions/collect/src/lib.rs").read_text())
    assert at_once and mapping["BatchSize"] == int(at_once[1])
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    # The processes share the limits of the application, so each has to know how many there are.
    concurrency = {"Ref": "CollectConcurrency"}
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": concurrency}
    assert function["Environment"]["Variables"]["COLLECT_CONCURRENCY"] == concurrency


def test_sets_of_documents_are_made_a_few_at_once_and_kept_if_they_fail(deployed: template.Deployed) -> None:
    queue, function = properties(deployed, "DocumentSets"), properties(deployed, "ReportPdfFunction")
    assert queue["VisibilityTimeout"] > function["Timeout"] == 600
    mapping = properties(deployed, "ReportPdfSets")
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["DocumentSets", "Arn"]}
    assert (mapping["BatchSize"], mapping["FunctionResponseTypes"]) == (1, ["ReportBatchItemFailures"])
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": {"Ref": "DocumentConcurrency"}}
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["FailedDocumentSets", "Arn"]}
    for name in ["DocumentSets", "FailedDocumentSets"]:
        settings = properties(deployed, name)
        assert (settings["SqsManagedSseEnabled"], settings["KmsMasterKeyId"]) == (template.if_own(False, True), template.OWN_KEY)
        assert settings["MessageRetentionPeriod"] == 14 * 24 * 60 * 60
    for name in ["DashboardFunction", "ReportPdfFunction", "ScheduleFunction"]:
        assert properties(deployed, name)["Environment"]["Variables"]["DOCUMENTS_QUEUE_URL"] == {"Ref": "DocumentSets"}


def test_requests_that_are_given_up_are_kept(deployed: template.Deployed) -> None:
    redrive = properties(deployed, "Requests")["RedrivePolicy"]
    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": ["FailedRequests", "Arn"]}
    # The function gives up earlier, and says so in the request.
    assert redrive["maxReceiveCount"] == 10
    for name in ["Requests", "FailedRequests"]:
        queue = properties(deployed, name)
        assert (queue["SqsManagedSseEnabled"], queue["KmsMasterKeyId"]) == (template.if_own(False, True), template.OWN_KEY)
        assert queue["MessageRetentionPeriod"] == 14 * 24 * 60 * 60
    variables = properties(deployed, "CollectFunction")["Environment"]["Variables"]
    assert variables["FAILED_REQUESTS_QUEUE_URL"] == {"Ref": "FailedRequests"}
    sender = properties(deployed, "DashboardFunction")["Environment"]["Variables"]["REQUESTS_QUEUE_URL"]
    assert sender == variables["REQUESTS_QUEUE_URL"] == deployed.outputs["RequestsQueue"]["Value"] == {"Ref": "Requests"}


def test_snapshots_are_private_and_expire(deployed: template.Deployed) -> None:
    bucket, files = properties(deployed, "Snapshots"), properties(deployed, "Assessments")
    for setting in ["PublicAccessBlockConfiguration", "OwnershipControls", "BucketEncryption", "VersioningConfiguration"]:
        assert bucket[setting] == files[setting], setting
    (rule,) = bucket["LifecycleConfiguration"]["Rules"]
    assert (rule["Status"], rule["ExpirationInDays"]) == ("Enabled", {"Ref": "SnapshotDays"})
    assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}
    (statement,) = properties(deployed, "SnapshotsPolicy")["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": False}}


def test_the_application_has_no_secret_and_its_roles_may_only_sign(deployed: template.Deployed) -> None:
    roles = [{"Ref": "CollectFunctionRole"}, {"Ref": "DashboardFunctionRole"}]
    signing = {"StringEquals": {"kms:SigningAlgorithm": "RSASSA_PSS_SHA_256"}}
    # For nobody but Microsoft, and for no longer than the function asks for.
    vouching = {
        "ForAllValues:StringEquals": {"sts:IdentityTokenAudience": "api://AzureADTokenExchange"},
        "NumericLessThanEquals": {"sts:DurationSeconds": 300},
    }
    for name, action, resource, condition in [
        ("GraphKeyUse", "kms:Sign", {"Ref": "GraphKeyArn"}, signing),
        ("GraphVouching", "sts:GetWebIdentityToken", "*", vouching),
    ]:
        policy = properties(deployed, name)
        (statement,) = policy["PolicyDocument"]["Statement"]
        assert policy["Roles"] == roles
        assert statement == {"Effect": "Allow", "Action": action, "Resource": resource, "Condition": condition}
    for function in ["CollectFunction", "DashboardFunction"]:
        variables = properties(deployed, function)["Environment"]["Variables"]
        graph = {name: value for name, value in variables.items() if name.startswith("GRAPH_")}
        assert graph == {
            "GRAPH_CLIENT_ID": {"Ref": "GraphClientId"},
            "GRAPH_TENANT": {"Ref": "GraphTenantId"},
            "GRAPH_KEY": {"Ref": "GraphKeyArn"},
            "GRAPH_KEY_THUMBPRINT": {"Ref": "GraphKeyThumbprint"},
        }
