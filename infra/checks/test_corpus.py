"""Every published sample result becomes the report that a recount of its rows expects. Skipped without the samples."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import project
import recount
import service

CORPUS = project.ROOT.parent / "shared" / "corpus"
# For files that name no tenant.
ANY_TENANT = "5c9a3f0e-7d1b-4e7a-9a55-0c2f6f1d8b21"

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the published samples are not next to the checkout")


@dataclass(frozen=True)
class Sample:
    """Files that are imported together, and how the rows of the first are counted."""

    rows: Callable[[Path], recount.Rows]
    files: list[str]
    tenant: str = ANY_TENANT
    # End of the run, for files that do not contain it.
    completed_at: str | None = None
    options: tuple[str, ...] = ()


SCUBAGEAR_TENANT = "ca08493a-c9c8-4db0-a9e8-d3b4bafac269"
PROWLER_TENANT = "8f2c1e34-5b6a-4c7d-9e80-1a2b3c4d5e6f"
SAMPLES = [
    Sample(recount.scubagear, ["scubagear/ScubaResults_v1.4.0_2024-08.json"], SCUBAGEAR_TENANT),
    Sample(recount.scubagear, ["scubagear/ScubaResults_v1.6.0_2025-07.json"], SCUBAGEAR_TENANT),
    Sample(recount.scubagear, ["scubagear/ScubaResults_v1.7.0_2025-10.json"], SCUBAGEAR_TENANT),
    Sample(recount.scubagear_product, ["scubagear/IndividualReport_AAD.json"], options=("--fragments",)),
    Sample(recount.scubagear_table, ["scubagear/ScubaResults_sample.csv"], completed_at="2026-05-01T00:00:00Z"),
    Sample(recount.maester, ["maester/TestResults-2025-11-27.json"], "0817c655-a853-4d8f-9723-3a333b5b9235"),
    Sample(recount.prowler_findings, ["prowler/derived_m365.ocsf.json"], PROWLER_TENANT),
    Sample(recount.prowler_table, ["prowler/derived_m365.csv"], PROWLER_TENANT),
    Sample(recount.secure_score, ["securescore/secureScore.json", "securescore/profiles.json"]),
    Sample(recount.zero_trust, ["zerotrust/SampleReport.json"], "aaaabbbb-0000-cccc-1111-dddd2222eeee"),
]
# A table of identifiers, and the results of another provider, which are refused.
NO_RESULTS = {"README.md", "scubagear/scuba-baseline-policy-migrations.csv", "prowler/example_output_azure.ocsf.json"}


@pytest.fixture(scope="module")
def served() -> Iterator[service.Service]:
    with service.running() as running:
        yield running


def imported(served: service.Service, sample: Sample) -> tuple[dict, dict]:
    """Returns the result of a sample's import and the report from the API, in a separate organization."""
    organization = served.command("org", "create", "--name", sample.files[0])["organizationId"]
    key = served.command("key", "create", "--org", organization)["key"]
    provider = ["--provider-tenant-id", sample.tenant]
    tenant = served.command("tenant", "add", "--org", organization, "--name", "Sample", *provider)["serviceTenantId"]
    files = [str(CORPUS / file) for file in sample.files]
    time = ["--completed-at", sample.completed_at] if sample.completed_at else []
    told = served.command("report", "import", "--org", organization, "--tenant", tenant, *time, *sample.options, *files)
    [report] = told["reports"]
    [returned] = served.get(key, "/v1/posture-reports")["reports"]
    return report, returned


def camel_case(status: str) -> str:
    """Returns a status as the counts of a report name it."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), status.lower())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.files[0])
def test_the_api_returns_what_the_rows_say(sample: Sample, served: service.Service) -> None:
    counted = recount.statuses(sample.rows, CORPUS / sample.files[0])
    told, report = imported(served, sample)
    returned = {check["controlId"]: check["status"] for check in report["checks"]}
    left_out = {control["controlId"] for control in told["leftOut"]}
    assert len(returned) == len(report["checks"]), "a control is listed twice"
    assert not left_out & returned.keys()
    assert returned == {control: status for control, status in counted.items() if control not in left_out}
    assert left_out <= counted.keys(), "left out, but not in the file"
    counts = {camel_case(status): count for status, count in Counter(returned.values()).items()}
    assert {name: count for name, count in report["controls"].items() if count and name != "assessed"} == counts
    assert report["controls"]["assessed"] == len(returned) - counts.get("notAssessed", 0)


def test_no_sample_is_forgotten() -> None:
    files = {str(path.relative_to(CORPUS)) for path in CORPUS.rglob("*") if path.is_file()}
    assert files == NO_RESULTS | {file for sample in SAMPLES for file in sample.files}
