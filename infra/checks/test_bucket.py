"""The bucket is private, and events of failed imports are kept in a queue."""

import pytest

import template


@pytest.fixture(scope="module")
def deployed() -> template.Deployed:
    return template.Deployed(template.translate(template.read()))


def properties(deployed: template.Deployed, resource: str) -> dict:
    return deployed.resources[resource]["Properties"]


def test_the_bucket_is_private_encrypted_and_versioned(deployed: template.Deployed) -> None:
    bucket = properties(deployed, "Assessments")
    assert all(bucket["PublicAccessBlockConfiguration"].values()) and len(bucket["PublicAccessBlockConfiguration"]) == 4
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    (encryption,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert encryption == {
        "ServerSideEncryptionByDefault": {
            "SSEAlgorithm": template.if_own("aws:kms", "AES256"),
            "KMSMasterKeyID": template.OWN_KEY,
        },
        "BucketKeyEnabled": template.if_own(True),
    }
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}


def test_uploads_expire_after_the_days_of_the_parameter(deployed: template.Deployed) -> None:
    uploads, imports, documents, old_versions = properties(deployed, "Assessments")["LifecycleConfiguration"]["Rules"]
    assert (uploads["Status"], uploads["ExpirationInDays"]) == ("Enabled", {"Ref": "UploadDays"})
    assert "Prefix" not in uploads and "TagFilters" not in uploads
    assert (imports["Status"], imports["Prefix"], imports["ExpirationInDays"]) == ("Enabled", "imports/", 1)
    assert imports["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}
    assert (documents["Status"], documents["Prefix"], documents["ExpirationInDays"]) == ("Enabled", "documents/", 30)
    assert documents["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}
    assert old_versions["Status"] == "Enabled" and old_versions["ExpiredObjectDeleteMarker"] is True
    assert old_versions["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}
    assert template.read()["Parameters"]["UploadDays"]["MinValue"] == 1


def test_the_bucket_is_reached_by_encrypted_transport_alone(deployed: template.Deployed) -> None:
    (statement,) = properties(deployed, "AssessmentsPolicy")["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": False}}
    assert len(statement["Resource"]) == 2


@pytest.mark.parametrize(("event", "prefix"), [("File", "assessments/"), ("Sent", "imports/")])
def test_files_below_the_prefixes_are_imported(deployed: template.Deployed, event: str, prefix: str) -> None:
    notifications = properties(deployed, "Assessments")["NotificationConfiguration"]["LambdaConfigurations"]
    below = [{"Name": "prefix", "Value": prefix}]
    (notification,) = [it for it in notifications if it["Filter"]["S3Key"]["Rules"] == below]
    assert (len(notifications), notification["Event"]) == (2, "s3:ObjectCreated:*")
    assert notification["Function"] == {"Fn::GetAtt": ["ImportAssessmentFunction", "Arn"]}
    permission = properties(deployed, f"ImportAssessmentFunction{event}Permission")
    assert permission["SourceAccount"] == {"Ref": "AWS::AccountId"}


def test_the_function_has_room_for_a_file_and_time_for_it(deployed: template.Deployed) -> None:
    function = properties(deployed, "ImportAssessmentFunction")
    assert (function["MemorySize"], function["Timeout"]) == (512, 300)
    assert function["EphemeralStorage"] == {"Size": 1024}


def test_what_fails_is_kept(deployed: template.Deployed) -> None:
    invocation = properties(deployed, "ImportAssessmentFunctionEventInvokeConfig")
    assert invocation["MaximumRetryAttempts"] == 2
    destination = invocation["DestinationConfig"]["OnFailure"]["Destination"]
    assert destination == {"Fn::GetAtt": ["FailedImports", "Arn"]}
    queue = properties(deployed, "FailedImports")
    assert (queue["SqsManagedSseEnabled"], queue["KmsMasterKeyId"]) == (template.if_own(False, True), template.OWN_KEY)
    assert queue["MessageRetentionPeriod"] == 14 * 24 * 60 * 60
