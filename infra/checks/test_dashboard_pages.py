"""Every page of the dashboard in a browser: light and dark, wide and as on a phone.

The pictures of docs/DASHBOARD.md, and more: `SCREENSHOTS=<folder> pytest infra/checks/test_dashboard_pages.py`
"""

import email
import email.policy
import os
import re
from collections.abc import Callable
from pathlib import Path

import project
from browser import DARK, LIGHT, NARROW, NARROWEST, WIDE, Browser, needs_browser, window
from people import ADMIN, CONTROL, Demo, demo, imported, later_results, person

ROUTES = (project.ROOT / "functions/dashboard/src/routes.rs").read_text()
# Routes that respond with a file or lead elsewhere.
NO_PAGES = re.compile(r"\.csv$|/pdf$|^/assets/|^/sign-in/(start|callback)$")
# An image without a text, a page that is too wide, and a message on the console.
WRONG = """
document.querySelector("main").insertAdjacentHTML("beforeend", '<img src="data:,">');
document.body.style.width = "2000px";
console.error("a message");
"""
# The edges of links: those of the page that is shown, and the others.
EDGES = """
const edges = (selector) => [...document.querySelectorAll(selector)].map((link) => {
  const { borderBottomColor, outlineStyle } = getComputedStyle(link);
  return `${borderBottomColor} ${outlineStyle}`;
});
return [edges(`${arguments[0]}[aria-current]`), edges(`${arguments[0]}:not([aria-current])`)];
"""
UNFRAMED = """
return [...document.querySelectorAll(".pill, .tag, .grade")]
  .filter((it) => it.checkVisibility() && getComputedStyle(it).borderStyle !== "solid")
  .map((it) => it.outerHTML);
"""
SCREENSHOTS = os.environ.get("SCREENSHOTS")


def routes() -> set[str]:
    """The paths of all pages."""
    paths = re.findall(r'\bget\(\s*"([^"]+)"', ROUTES)
    assert len(paths) > 30
    return {path for path in paths if not NO_PAGES.search(path)}


def looked_at(page: Browser, name: str) -> list[str]:
    """What is wrong with the page that is shown, in all its forms."""
    found = []
    for size in (WIDE, NARROW, NARROWEST):
        page.size(size)
        for scheme in (LIGHT, DARK):
            page.media(scheme)
            form = f"{name}, {scheme}, {size[0]} pixels wide"
            found += [f"{form}: {fault}" for fault in page.faults()]
            if page.overflow() > 0:
                found.append(f"{form}: {page.overflow()} pixels wider than the window")
            pictured(page, f"{name}-{scheme}-{size[0]}")
    page.size(WIDE)
    page.media()
    return found + [f"{name}: on the console: {message}" for message in page.console()]


def pictured(page: Browser, name: str) -> None:
    """Keeps a picture of the page, if pictures are asked for."""
    if SCREENSHOTS:
        named = name.removeprefix("/").replace("/", "-")
        file = Path(SCREENSHOTS) / f"{'overview' if named.startswith('-') else ''}{named}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        page.driver.save_screenshot(str(file))


def addresses(of: Demo, page: Browser) -> dict[str, str]:
    """The address of a page for each route that a signed-in Admin may read."""
    report = of.report()
    tenant = report["tenant"]["serviceTenantId"]
    history = of.service.get(of.service.demo_key(), f"/v1/posture-reports?tenantId={tenant}&latestOnly=false")["reports"]
    with_administrators = next(it["id"] for it in history if it["globalAdmins"]["admins"])
    baseline = next(it["id"] for it in history if it["reportType"] == "BASELINE")
    path = of.path()

    def linked(on: str, pattern: str) -> str:
        page.open(on)
        return next(address for link in page.all("main a") if re.search(pattern, address := link.get_attribute("href")))

    return {
        "/": "/",
        "/controls": "/controls",
        "/documents": "/documents",
        "/documents/schedule": "/documents/schedule",
        "/tenants": "/tenants",
        "/tenants/{tenant}": f"/tenants/{tenant}",
        "/tenants/{tenant}/pause": f"/tenants/{tenant}/pause",
        "/tenants/{tenant}/remove": f"/tenants/{tenant}/remove",
        "/tenants/{tenant}/connection": f"/tenants/{tenant}/connection",
        "/tenants/{tenant}/connection/end": f"/tenants/{tenant}/connection/end",
        "/tenants/{tenant}/kept-edits": f"/tenants/{tenant}/kept-edits",
        "/tenants/{tenant}/reports/{report}": f"/tenants/{tenant}/reports/{with_administrators}",
        "/tenants/{tenant}/reports/{report}/compare": f"{path}/compare?with={baseline}",
        "/tenants/{tenant}/reports/{report}/edit/check": f"{path}/edit/check?control={CONTROL}",
        "/tenants/{tenant}/reports/{report}/task": f"{path}/task?control={CONTROL}",
        "/tenants/{tenant}/reports/{report}/set-back": f"{path}/set-back?control={CONTROL}",
        "/tenants/{tenant}/reports/{report}/edit/administrator": linked(
            f"/tenants/{tenant}/reports/{with_administrators}", "/edit/administrator"
        ),
        "/imports": "/imports",
        "/imports/{import}": linked("/imports", "/imports/imp_"),
        "/usage": "/usage",
        "/billable-users": "/billable-users",
        "/billable-users/{tenant}": f"/billable-users/{tenant}",
        "/settings/api-keys": "/settings/api-keys",
        "/settings/api-keys/{key}/delete": linked("/settings/api-keys", "/delete$"),
        "/settings/members": "/settings/members",
        "/settings/members/{member}/role": linked("/settings/members", "/remove$").replace("/remove", "/role"),
        "/settings/members/{member}/remove": linked("/settings/members", "/remove$"),
        "/settings/schedule": "/settings/schedule",
        "/settings/notifications": "/settings/notifications",
        "/settings/notifications/add": "/settings/notifications/add",
        "/settings/notifications/{target}": linked("/settings/notifications", "/tgt_"),
        "/settings/notifications/{target}/remove": linked("/settings/notifications", "/tgt_") + "/remove",
        "/settings/notifications/add-member": "/settings/notifications/add-member",
        "/settings/mail": "/settings/mail",
        "/settings/mail/confirm/{confirmation}": confirmation(of, page),
        "/settings/mail/{mail}/end": linked("/settings/mail", "/end$"),
        "/settings/texts": "/settings/texts",
        "/settings/texts/edit": f"/settings/texts/edit?control={CONTROL}",
        "/settings/brand": "/settings/brand",
        "/settings/audit": "/settings/audit",
        "/organizations": "/organizations",
    }


def confirmation(of: Demo, page: Browser) -> str:
    """The path of the link in the mail that confirms the person's own address."""
    page.open("/settings/mail")
    page.press("Send a confirmation")
    folder = re.search(r"Mail is written to (.+)", of.service.greeting)
    assert folder
    mails = page.until(lambda: list(Path(folder[1]).glob("*.eml")), "the mail is written")
    message = email.message_from_bytes(mails[0].read_bytes(), policy=email.policy.default)
    link = re.search(r"(/settings/mail/confirm/\S+)", message.get_body(("plain",)).get_content())
    assert link
    return link[1]


def prepared(page: Browser, of: Demo, folder: Path) -> str:
    """Fills the pages that the demo leaves empty; the link of an invitation."""
    page.open(f"{of.path()}/edit/check?control={CONTROL}")
    page.choose("status", "IN_PROGRESS")
    page.one("#keep").click()
    page.follow("Save")
    imported(page, later_results(folder, 0))
    page.open("/settings/notifications/add")
    page.fill("name", "Ticket system")
    page.fill("url", "https://hooks.example/posture")
    page.choose("quiet_from", "20")
    page.one("[name=quiet_day][value=Sat]").click()
    page.press("Add target")
    page.one("#secret")
    page.open("/settings/mail")
    page.fill("name", "Drifts of the day")
    page.choose("every", "DAY")
    page.follow("Add")
    page.open("/settings/members")
    page.fill("note", "Jonas, second shift")
    page.press("Create invitation")
    return page.one("#link").text


@needs_browser
def test_every_page_is_accessible_and_fits_in_light_in_dark_and_on_a_phone(tmp_path: Path) -> None:
    with demo() as of, person(of, ADMIN) as page, window(of.service.dashboard) as stranger:
        invitation = prepared(page, of, tmp_path)
        found = looked_at(page, "invitation-created")
        pages = addresses(of, page)
        assert page.console() == []
        for route, address in pages.items():
            page.open(address)
            found += looked_at(page, route)
        public = {"/sign-in": "/sign-in", "/signed-out": "/signed-out", "/invitations/{token}": invitation}
        for route, address in public.items():
            stranger.open(address)
            found += looked_at(stranger, route)
        assert routes() == pages.keys() | public.keys(), "a route has no page here"

        for name, reach in beside(of).items():
            reach(page)
            found += looked_at(page, name)
        stranger.open("/sign-in")
        stranger.press("Sign in")
        found += looked_at(stranger, "local-issuer")
    assert found == []


@needs_browser
def test_forced_colours_show_the_page_and_every_state() -> None:
    with demo() as of, person(of, ADMIN) as page:
        page.media(forced=True)
        for address, links in [("/", ".top nav a"), ("/settings/members", ".side a"), (of.path(), ".top nav a")]:
            page.open(address)
            current, others = page.driver.execute_script(EDGES, links)
            assert len(current) == 1 and len(others) > 1 and current[0] not in others, address
            assert page.driver.execute_script(UNFRAMED) == []
            pictured(page, f"forced-colours{address}")


@needs_browser
def test_the_documentation_of_the_api_is_accessible_and_fits() -> None:
    with demo() as of, window(of.service.api) as page:
        page.open("/docs")
        page.until(lambda: len(page.all(".opblock-summary-control")) > 5, "the operations are shown")
        for operation in page.all(".opblock-summary-control"):
            operation.click()
        page.until(lambda: len(page.all(".opblock.is-open .responses-table")) > 5, "the operations are open")
        assert looked_at(page, "docs") == []


@needs_browser
def test_what_is_wrong_with_a_page_is_found() -> None:
    with demo() as of, window(of.service.dashboard) as page:
        page.open("/sign-in")
        assert looked_at(page, "sign-in") == []
        page.driver.execute_script(WRONG)
        found = " ".join(looked_at(page, "sign-in"))
        assert all(word in found for word in ("image-alt", "light, 390 pixels wide: ", "wider than the window", "a message"))


def beside(of: Demo) -> dict[str, Callable[[Browser], object]]:
    """How to reach pages that are no route of their own."""

    def new_key(page: Browser) -> None:
        page.open("/settings/api-keys")
        page.press("Create key")

    def new_secret(page: Browser) -> None:
        page.open("/settings/notifications")
        page.press("Ticket system")
        page.press("Replace the secret")
        page.one("#secret")

    def preview(page: Browser) -> None:
        page.open("/settings/notifications/add")
        page.press("Preview")
        page.one("#preview")

    def menu(page: Browser) -> None:
        page.open("/")
        page.press("A", "header .account")

    def refused(page: Browser) -> None:
        page.open("/settings/brand")
        page.fill("accent", "blue")
        page.press("Save")
        page.one("[role=alert]")

    def expanded(page: Browser) -> None:
        page.open(of.path())
        page.press("Expand all")

    def control(page: Browser) -> None:
        page.open("/controls")
        page.one("#controls a").click()

    return {
        "control": control,
        "key-created": new_key,
        "notifications-preview": preview,
        "notifications-secret": new_secret,
        "menu": menu,
        "report-expanded": expanded,
        "report-filtered-to-nothing": lambda page: page.open(f"{of.path()}?q=nothing+at+all"),
        "compare-choose": lambda page: page.open(f"{of.path()}/compare"),
        "form-refused": refused,
        "not-found": lambda page: page.open("/nowhere", status=404),
    }
