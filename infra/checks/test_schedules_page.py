"""Schedules, in a browser: of all tenants under Settings, and of one on its page. `SCREENSHOTS=<folder>` keeps pictures."""

import os
from pathlib import Path

import service
from browser import Browser, needs_browser, window
from people import ADMIN, TENANT, sign_in

SCREENSHOTS = os.environ.get("SCREENSHOTS")
CHOSEN = "return document.getElementById(arguments[0]).selectedOptions[0].text"


def chosen(page: Browser, field: str) -> str:
    return page.driver.execute_script(CHOSEN, field)


def picture(page: Browser, name: str) -> None:
    if SCREENSHOTS:
        page.driver.save_screenshot(str(Path(SCREENSHOTS) / f"schedule-{name}.png"))


@needs_browser
def test_all_tenants_and_one_of_them_are_scheduled() -> None:
    with service.running("--demo", "--no-rate-limit") as running, window(running.dashboard) as page:
        page.open("/")
        sign_in(page, ADMIN)
        page.open("/settings/schedule")
        assert chosen(page, "every") == "Every day", "the demo has a schedule"
        page.choose("every", "weekly:fri")
        page.choose("from", "22")
        page.choose("hours", "6")
        page.press("Save schedule")
        page.until(lambda: chosen(page, "every") == "Every Friday", "the schedule is saved")
        assert [chosen(page, field) for field in ["from", "hours"]] == ["22:00 UTC", "6 hours"]
        assert page.faults() == []
        picture(page, "of-all")
        page.open("/")
        page.press(TENANT)
        page.arrive("/tenants/")
        assert chosen(page, "every") == "As all tenants: every friday, 22-04 UTC"
        page.choose("every", "never")
        page.press("Save schedule")
        page.until(lambda: chosen(page, "every") == "Never", "the tenant has none")
        assert "The next report is due" not in page.text
        page.choose("every", "monthly:15")
        page.press("Save schedule")
        page.until(lambda: "The next report is due" in page.text, "the next report is shown")
        assert page.faults() == []
        picture(page, "of-one")
        listed = running.command("schedule", "list", "--org", "org_demo")
        assert {it["tenantName"]: (it["schedule"]["every"], it["isOwn"]) for it in listed["tenants"]} == {
            TENANT: ("monthly:15", True),
            "Lindqvist Architects": ("weekly:fri", False),
            "Oakfield Community Trust": ("weekly:fri", False),
        }
        assert page.console() == []
