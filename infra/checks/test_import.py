"""The built import function imports files from a bucket. moto replaces S3, and the embedded engine replaces the
table, and what was imported is read through the endpoint's own function.

How much memory a large export takes: `EXPORT_MEGABYTES=200 pytest infra/checks/test_import.py -k large -s`
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

import functions
import processes
import project
from test_events import invoke

BUCKET = "assessments-example"
EVENTS = project.EVENTS / "import-assessment"
FOLDER = "assessments/org_harbor/ten_cedar"
# Identifier of the tenant with its provider, in the sample events' data and in the fixtures.
PROVIDER_ID = "9c858901-8a57-4791-81fe-4c455b099bc9"
FIXTURE_ID = "11111111-2222-3333-4444-555555555555"
FIXTURES = project.ROOT / "assessments" / "tests" / "fixtures"
READ = project.EVENTS / "posture-reports" / "tenant-without-reports.json"
# Timeout of an import in seconds.
TIMEOUT = 300
# Size of the generated export, and maximum memory of its import: twice what it takes, and too little to keep the export.
EXPORT_MEGABYTES = int(os.environ.get("EXPORT_MEGABYTES", "60"))
MOST_MEGABYTES = 64


class World:
    """A bucket, a table, and the functions on them."""

    def __init__(self, s3: object, emulator: int, engine: subprocess.Popen, function: subprocess.Popen) -> None:
        self.s3, self.emulator, self.engine, self.function = s3, emulator, engine, function

    def put(self, key: str, body: bytes = b"") -> None:
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=body)

    def invoke(self, name: str) -> str | None:
        """Returns the type of the error that the function posts on a sample event, or none."""
        response = invoke(EVENTS / f"{name}.json", self.emulator, TIMEOUT)["body"]
        return response and response["errorType"]

    def result(self, key: str) -> dict:
        """Returns the result next to a file."""
        return json.loads(self.s3.get_object(Bucket=BUCKET, Key=f"{key}.import.json")["Body"].read())

    def keys(self) -> set[str]:
        return {item["Key"] for item in self.s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])}

    def reports(self) -> list[dict]:
        """Returns the tenant's reports, as the API returns them."""
        return invoke(READ, self.emulator)["body"]["reports"]

    def peak_megabytes(self) -> float:
        """Peak memory of the function since its start."""
        return processes.megabytes(self.function.pid, "VmHWM")


@pytest.fixture
def world() -> Iterator[World]:
    """Provides a separate environment with an empty bucket and the data of the sample events."""
    functions.build()
    engine, emulator, bucket = (processes.free_port() for _ in range(3))
    address = f"http://127.0.0.1:{bucket}"
    with (
        functions.engine(engine) as table,
        functions.emulator(emulator),
        processes.listening(["moto_server", "--port", str(bucket)], bucket),
        functions.function("ImportAssessmentFunction", engine, emulator, {"AWS_ENDPOINT_URL_S3": address}) as importer,
        functions.function("PostureReportsFunction", engine, emulator),
    ):
        credentials = {"aws_access_key_id": "local", "aws_secret_access_key": "local", "region_name": "us-east-1"}
        s3 = boto3.client("s3", endpoint_url=address, **credentials)
        s3.create_bucket(Bucket=BUCKET)
        yield World(s3, emulator, table, importer)


def fixture(name: str) -> bytes:
    """Returns a tool's file, of the tenant of the sample events."""
    return (FIXTURES / name).read_text().replace(FIXTURE_ID, PROVIDER_ID).encode()


def test_a_file_becomes_a_report_once(world: World) -> None:
    key = f"{FOLDER}/maester run 1.json"
    world.put(key, fixture("maester.json"))
    assert world.reports() == []

    assert world.invoke("file") is None
    result = world.result(key)
    assert (result["status"], result["failures"]) == ("IMPORTED", [])
    (imported,) = result["reports"]
    reports = world.reports()
    (report,) = reports
    assert imported["outcome"] == "ADDED"
    assert (imported["reportId"], imported["score"], imported["controls"]) == (report["id"], report["score"], report["controls"])
    assert report["checks"]

    # The platform delivers an event at least once.
    assert world.invoke("file") is None
    assert world.result(key)["status"] == "ALREADY_THERE"
    assert world.reports() == reports


def test_a_result_is_not_imported(world: World) -> None:
    key = f"{FOLDER}/maester run 1.json.import.json"
    world.put(key, fixture("maester.json"))
    assert world.invoke("result") is None
    assert world.keys() == {key}
    assert world.reports() == []


def test_a_folder_is_imported_together_when_it_is_complete(world: World) -> None:
    world.put(f"{FOLDER}/june/scores.json", json.dumps(scores()).encode())
    assert world.invoke("part-of-a-folder") is None
    assert world.keys() == {f"{FOLDER}/june/scores.json"}
    world.put(f"{FOLDER}/june/profiles.json", json.dumps(profiles()).encode())
    world.put(f"{FOLDER}/june/_COMPLETE")

    assert world.invoke("folder") is None
    result = world.result(f"{FOLDER}/june/_COMPLETE")
    assert (result["status"], result["failures"]) == ("IMPORTED", [])
    (report,) = world.reports()
    names = {check["name"] for check in report["checks"]}
    assert names == {"Turn on security for administrators"}

    assert world.invoke("folder") is None
    assert world.result(f"{FOLDER}/june/_COMPLETE")["status"] == "ALREADY_THERE"


def scores() -> dict:
    control = {"controlCategory": "Identity", "controlName": "AdminMFAV2", "scoreInPercentage": 100.0, "score": 10.0}
    score = {
        "id": f"{PROVIDER_ID}_2025-06-30",
        "azureTenantId": PROVIDER_ID,
        "createdDateTime": "2025-06-30T00:00:00Z",
        "currentScore": 10.0,
        "maxScore": 10.0,
        "controlScores": [control],
    }
    return {"@odata.context": "https://graph.microsoft.com/v1.0/$metadata#security/secureScores", "value": [score]}


def profiles() -> dict:
    profile = {
        "id": "AdminMFAV2",
        "azureTenantId": PROVIDER_ID,
        "title": "Turn on security for administrators",
        "maxScore": 10.0,
        "service": "AzureAD",
        "controlCategory": "Identity",
        "threats": ["Account breach"],
        "remediation": "Turn it on.",
        "controlStateUpdates": [],
    }
    context = "https://graph.microsoft.com/v1.0/$metadata#security/secureScoreControlProfiles"
    return {"@odata.context": context, "value": [profile]}


@pytest.mark.parametrize(
    ("event", "key", "told"),
    [
        ("damaged-file", f"{FOLDER}/damaged.json", "before it is complete"),
        ("unknown-tenant", "assessments/org_harbor/ten_nobody/run.json", "has no tenant ten_nobody"),
        ("foreign-tenant", "assessments/org_harbor/ten_elm/run.json", "has no tenant ten_elm"),
        ("unknown-organization", "assessments/org_nobody/ten_cedar/run.json", "organization org_nobody does not exist"),
        ("no-tenant", "assessments/run.json", "<organizationId>/<serviceTenantId>"),
    ],
)
def test_what_fails_is_told_and_fails_the_invocation(world: World, event: str, key: str, told: str) -> None:
    file = fixture("maester.json")
    world.put(key, file[: len(file) // 2] if event == "damaged-file" else file)
    # The platform retries twice, then moves the event to the queue.
    assert world.invoke(event) == "NotImported"
    result = world.result(key)
    assert (result["status"], result["reports"]) == ("FAILED", [])
    (failure,) = result["failures"]
    assert told in failure["error"]
    assert "anna" not in json.dumps(result)
    assert world.reports() == []


def test_a_failure_that_may_pass_leaves_no_result(world: World) -> None:
    key = f"{FOLDER}/maester run 1.json"
    world.put(key, fixture("maester.json"))
    world.engine.kill()
    world.engine.wait()
    assert world.invoke("file") == "Unavailable"
    assert world.keys() == {key}


def test_a_file_that_is_gone_is_told(world: World) -> None:
    assert world.invoke("file") == "NotImported"
    result = world.result(f"{FOLDER}/maester run 1.json")
    assert "GetObject was refused (NoSuchKey)" in result["failures"][0]["error"]


def test_another_tenants_file_is_refused(world: World) -> None:
    key = f"{FOLDER}/maester run 1.json"
    world.put(key, (FIXTURES / "maester.json").read_bytes())
    assert world.invoke("file") == "NotImported"
    assert "import it for its own tenant" in world.result(key)["failures"][0]["error"]
    assert world.reports() == []


def test_a_large_export_needs_little_memory(world: World, tmp_path: Path) -> None:
    key = f"{FOLDER}/maester run 1.json"
    export = tmp_path / "export.json"
    write_export(export, EXPORT_MEGABYTES)
    world.s3.upload_file(str(export), BUCKET, key)
    assert world.invoke("file") is None
    assert world.result(key)["status"] == "IMPORTED"
    peak = world.peak_megabytes()
    print(f"{export.stat().st_size / 1e6:.0f} MB imported with {peak:.0f} MB at most")
    assert peak < MOST_MEGABYTES


def write_export(path: Path, megabytes: int) -> None:
    """Prowler findings of a tenant with a very large number of resources."""
    findings = json.loads(fixture("prowler.ocsf.json"))
    with path.open("w") as file:
        file.write("[")
        row = 0
        while file.tell() < megabytes * 1_000_000:
            finding = findings[row % len(findings)]
            finding["finding_info"]["uid"] = f"f{row}"
            finding["resources"] = [{"name": f"resource {row}", "uid": f"r{row}", "labels": []}]
            file.write(("," if row else "") + json.dumps(finding))
            row += 1
        file.write("]")
