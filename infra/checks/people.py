"""The demo of `posture serve`, and the people who use its dashboard."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import project
import service
from browser import Browser, window

ADMIN, MEMBER, OTHER = "Amara", "Tomas", "Irene"
RESULTS = project.ROOT / "cli" / "demo" / "harbour-dental-follow-up.json"
TENANT = "Harbour Dental Group"
# Fails in the results; not in progress, so that its edits can be told from what the tool says.
CONTROL = "MS.AAD.2.3"


@dataclass(frozen=True)
class Demo:
    """The demo, and the newest report of one of its tenants."""

    service: service.Service
    organization: str = "org_demo"

    def report(self) -> dict:
        """The tenant's newest report, as the API returns it."""
        reports = self.service.get(self.service.demo_key(), "/v1/posture-reports")["reports"]
        return next(report for report in reports if report["tenant"]["name"] == TENANT)

    def path(self) -> str:
        """Its path in the dashboard."""
        return self.report()["url"].removeprefix(self.service.dashboard)


@contextmanager
def demo() -> Iterator[Demo]:
    with service.running("--demo", "--no-rate-limit") as running:
        yield Demo(running)


@contextmanager
def person(of: Demo, name: str) -> Iterator[Browser]:
    """A browser in which one of the demo's people is signed in."""
    with window(of.service.dashboard) as page:
        page.open("/")
        sign_in(page, name)
        yield page


def sign_in(page: Browser, name: str) -> None:
    page.press("Sign in")
    page.press(name)
    # The browser follows several redirects, which would overtake the next address.
    page.one("details.account")


def check(report: dict, control: str = CONTROL) -> dict:
    return next(check for check in report["checks"] if check["controlId"] == control)


def later_results(folder: Path, days: int) -> Path:
    """The demo's results as the tool would write them some days from now."""
    results = json.loads(RESULTS.read_text())
    ended = datetime.now(UTC) + timedelta(days=days)
    results["MetaData"] |= {"TimestampZulu": ended.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "ReportUUID": f"later-{days}"}
    file = folder / "ScubaResults.json"
    file.write_text(json.dumps(results))
    return file


def imported(page: Browser, file: Path) -> None:
    """Imports a file with the script, and waits for what became of it."""
    page.press("Imports", "header")
    page.one("#files").send_keys(str(file))
    page.until(lambda: file.name in page.one("[data-chosen]").text, "the chosen file is named")
    page.press("Import", "form.form .form-end")
    page.until(lambda: "1 report added" in page.one(".head").text, "a report was added")
