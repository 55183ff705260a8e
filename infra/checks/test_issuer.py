"""The dashboard signs in and out with an issuer that is not ours: npm's `oidc-provider`, in a browser."""

import contextlib
import json
import os
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import processes
import programs
import service
from browser import Browser, needs_browser, window

CLIENT_ID = "dashboard of a check"
# Characters that forms and headers encode in different ways.
CLIENT_SECRET = "a secret/with+signs&that=count%:"


@contextlib.contextmanager
def issuer(dashboard: str) -> Iterator[str]:
    """The address of an issuer that knows a dashboard."""
    port = processes.free_port()
    settings = {
        "PORT": str(port),
        "CLIENT_ID": CLIENT_ID,
        "CLIENT_SECRET": CLIENT_SECRET,
        "DASHBOARD": dashboard,
        "PACKAGES": str(programs.packages("browser")),
    }
    script = Path(__file__).with_name("browser") / "issuer.mjs"
    with processes.running([shutil.which("node"), str(script)], os.environ | settings) as process:
        processes.wait_for(port, process)
        yield f"http://localhost:{port}"


@contextlib.contextmanager
def signing_in_elsewhere() -> Iterator[tuple[service.Service, str]]:
    """A service whose people sign in with the issuer, and the issuer's address."""
    port = processes.free_port()
    with issuer(f"http://localhost:{port}") as address:
        settings = {"SIGN_IN_ISSUER": address, "SIGN_IN_CLIENT_ID": CLIENT_ID, "SIGN_IN_CLIENT_SECRET": CLIENT_SECRET}
        with service.running(dashboard_port=port, environment=settings) as running:
            yield running, address


def signed_in(page: Browser, name: str) -> None:
    """Fills in the issuer's own pages."""
    page.fill("login", name)
    page.fill("password", "any")
    page.press("Sign-in", "body")
    page.press("Continue", "body")


@needs_browser
def test_people_sign_in_and_out_with_an_issuer_that_is_not_ours() -> None:
    with signing_in_elsewhere() as (running, address), window(running.dashboard) as page:
        assert "RS256" in described(address)["id_token_signing_alg_values_supported"]
        organization = running.command("org", "create", "--name", "Northwind")["organizationId"]
        invite = ("member", "invite", "--org", organization, "--role", "admin", "--dashboard-url", running.dashboard)
        page.open(running.command(*invite)["link"])
        page.press("Sign in and join")
        page.until(lambda: page.driver.current_url.startswith(address), "the issuer asks who it is")
        signed_in(page, "adams")
        page.until(lambda: page.path == "/", "the dashboard is back")
        (member,) = running.command("member", "list", "--org", organization)
        assert (member["name"], member["email"], member["role"]) == ("Priya adams", "adams@northwind.example", "ADMIN")
        assert "Priya adams" in page.one("header .account").text

        page.press("P", "header .account")
        page.press("Sign out", "header .account")
        page.until(lambda: page.driver.current_url.startswith(address), "the issuer asks whether to sign out")
        page.press("Yes, sign me out", "body")
        page.arrive("/signed-out")

        # The issuer has forgotten them too, and another person is no member.
        page.open("/settings/members")
        page.arrive("/sign-in?to=")
        page.press("Sign in")
        signed_in(page, "baker")
        page.until(lambda: "not a member" in page.text, "a stranger is refused")


def described(address: str) -> dict:
    with urllib.request.urlopen(f"{address}/.well-known/openid-configuration") as response:
        return json.load(response)
