"""A report on request, in a browser: from the button on the page of a tenant to the report, with and without scripts.

`SCREENSHOTS=<folder>` keeps pictures. With scripts, it goes on to the PDF.
"""

import os
from pathlib import Path

import pytest

import service
from browser import Browser, needs_browser, window
from people import ADMIN, MEMBER, sign_in

SCREENSHOTS = os.environ.get("SCREENSHOTS")
NAME = "Lindqvist Architects"
# The first bytes of the PDF that the page's link leads to, fetched with the session of the page.
FIRST_BYTES = """
const done = arguments[arguments.length - 1];
const address = document.querySelector("a[href*='/pdf'], form[action*='/pdf']");
fetch(address.href || address.action).then((it) => it.arrayBuffer())
  .then((it) => done(new TextDecoder().decode(it.slice(0, 5)) + " " + it.byteLength), (error) => done(String(error)));
"""


def picture(page: Browser, name: str) -> None:
    if SCREENSHOTS:
        page.driver.save_screenshot(str(Path(SCREENSHOTS) / f"request-{name}.png"))


def state(page: Browser) -> str:
    return page.one("[aria-labelledby=report-request]").text


@needs_browser
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_report_is_requested_and_watched_until_it_is_there(scripts: bool) -> None:
    with service.running("--demo", "--no-rate-limit") as running, window(running.dashboard) as page:
        page.open("/")
        page.scripts(scripts)
        sign_in(page, ADMIN if scripts else MEMBER)
        page.press(NAME)
        page.arrive("/tenants/")
        picture(page, "before")
        page.press("Request report")
        assert "Requested" in page.until(lambda: "Requested" in state(page) and state(page), "the request is shown")
        picture(page, "running")
        # The page is loaded again by itself.
        page.until(lambda: "Open the report" in state(page), "the report is complete")
        picture(page, "completed")
        assert page.named("Request report").is_displayed(), "another can be requested"
        if scripts:
            assert page.faults() == []
        page.press("Open the report")
        page.arrive("/tenants/")
        assert NAME in page.one("h1").text
        checks = page.all(".check")
        assert len(checks) == 78
        picture(page, "report")
        (request,) = running.command("report", "requests", "--org", "org_demo")
        report = running.command("report", "show", "--org", "org_demo", request["reportId"])
        assert (request["state"], report["createdAt"]) == ("COMPLETED", request["requestedAt"])
        if scripts:
            first, size = page.driver.execute_async_script(FIRST_BYTES).rsplit(" ", 1)
            assert (first, int(size) > 20_000) == ("%PDF-", True), size
        assert page.console() == []


@needs_browser
def test_a_request_that_fails_says_what_to_do() -> None:
    with service.running("--demo", "--no-rate-limit") as running, window(running.dashboard) as page:
        provider = "11111111-2222-3333-4444-555555555555"
        tenant = running.command("tenant", "add", "--org", "org_demo", "--name", "Stranger", "--provider-tenant-id", provider)
        page.open("/")
        sign_in(page, MEMBER)
        page.open(f"/tenants/{tenant['serviceTenantId']}")
        page.press("Request report")
        page.until(lambda: "There is no report." in state(page), "the request has failed")
        assert "has not consented" in state(page) and "(AADSTS700016)" in state(page)
        assert page.faults() == []
        picture(page, "failed")
