"""A tenant of the stand-in is connected in a browser, and loses a permission and then the application.

`SCREENSHOTS=<folder>` keeps pictures, of which docs/CONNECTING.md shows some.
"""

import os
from pathlib import Path

import pytest

import service
from browser import Browser, needs_browser, window
from people import ADMIN, MEMBER, sign_in

SCREENSHOTS = os.environ.get("SCREENSHOTS")
NAME = "Lindqvist Architects"
MISSING = "SharePointTenantSettings.Read.All"


def picture(page: Browser, name: str) -> None:
    if SCREENSHOTS:
        page.driver.save_screenshot(str(Path(SCREENSHOTS) / f"connection-{name}.png"))


def arrive(page: Browser, end: str) -> None:
    """Waits for a page, by the end of its path."""
    page.until(lambda: page.path.split("?")[0].endswith(end), f"the page is {end}")


def state(page: Browser) -> str:
    return page.one("[aria-labelledby=state]").text


def open_connection(page: Browser) -> str:
    page.press(NAME)
    page.arrive("/tenants/")
    page.press("Connection")
    arrive(page, "/connection")
    return page.path


def change(page: Browser, connection: str, label: str) -> str:
    """Changes the application in the tenant, as its administrator does, and looks at the connection."""
    page.open("/local-graph/tenants")
    page.follow(label, f"section[aria-label='{NAME}']")
    page.open(connection)
    page.follow("Check now")
    return state(page)


@needs_browser
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_tenant_is_connected_and_what_its_administrator_takes_back_is_named(scripts: bool) -> None:
    with service.running("--demo", "--no-rate-limit") as running, window(running.dashboard) as page:
        page.open("/")
        page.scripts(scripts)
        sign_in(page, ADMIN)
        connection = open_connection(page)
        assert "Not connected" in state(page)
        picture(page, "none")
        page.press("Connect")
        arrive(page, "/v2.0/adminconsent")
        picture(page, "consent")
        page.press("Accept, as an administrator")
        arrive(page, "/oauth2/v2.0/authorize")
        # Whoever has no role proves nothing, though the tenant has consented.
        page.press("Somebody without a role")
        page.arrive("/connections/callback")
        assert "holds no role in the tenant" in page.one("main").text
        picture(page, "no-role")
        (message,) = page.console()
        assert "status of 403" in message
        page.open(connection)
        assert "Not connected" in state(page)
        page.press("Connect")
        arrive(page, "/v2.0/adminconsent")
        page.press("Accept, as an administrator")
        arrive(page, "/oauth2/v2.0/authorize")
        picture(page, "sign-in")
        page.press("An administrator")
        arrive(page, "/connection")
        assert state(page).startswith("Connected")
        if scripts:
            assert page.faults() == []
        picture(page, "connected")
        assert f"1 permission missing: {MISSING}." in change(page, connection, "Withdraw one permission")
        picture(page, "permission-missing")
        assert "(AADSTS7000112)" in change(page, connection, "Disable")
        assert "(AADSTS700016)" in change(page, connection, "Remove")
        picture(page, "withdrawn")
        if scripts:
            assert page.faults() == []
        assert page.console() == []


@needs_browser
def test_a_full_member_is_told_who_can_connect() -> None:
    with service.running("--demo", "--no-rate-limit") as running, window(running.dashboard) as page:
        page.open("/")
        sign_in(page, MEMBER)
        open_connection(page)
        assert "Only an Admin of your organization can connect this tenant" in state(page)
        assert page.faults() == []
