"""Settings of the dashboard, used in a browser: keys, targets, members and what each role may do."""

import urllib.error

from browser import needs_browser, window
from people import ADMIN, MEMBER, OTHER, TENANT, Demo, demo, person, sign_in


@needs_browser
def test_a_key_works_until_it_is_deleted() -> None:
    with demo() as of, person(of, ADMIN) as page:
        page.open("/settings/api-keys")
        page.fill("description", "Ticket system")
        page.press("Create key")
        key = page.one("#key").text
        assert page.one("[data-copy]").is_displayed()
        assert of.service.get(key, "/v1/tenants")["totalTenants"] == 3

        page.press("I have copied it")
        assert key not in page.driver.page_source
        row = next(row for row in page.all("tbody tr") if "Ticket system" in row.text)
        row.find_element("partial link text", "Delete").click()
        page.press("Delete this key")
        page.until(lambda: page.path == "/settings/api-keys" and "Ticket system" not in page.text, "the key is gone")
        assert status(of, key) == 401
        assert page.console() == []


@needs_browser
def test_a_key_is_created_for_the_imports_of_one_tenant() -> None:
    with demo() as of, person(of, ADMIN) as page:
        page.open("/settings/api-keys")
        page.fill("description", "Pipeline")
        page.choose("tenant", of.report()["tenant"]["serviceTenantId"])
        page.follow("Create key")
        # A key that reads is for every tenant. What was entered is kept.
        assert "choose every tenant" in page.one("main").text
        assert page.one("[name=description]").get_attribute("value") == "Pipeline"
        page.choose("scope", "IMPORT")
        page.follow("Create key")
        key = page.one("#key").text
        assert page.one("pre").text.endswith("/v1/imports")
        assert (status(of, key), status(of, key, "/v1/imports")) == (403, 200)

        page.follow("I have copied it")
        assert key not in page.driver.page_source
        row = next(row for row in page.all("tbody tr") if "Pipeline" in row.text)
        assert f"Imports for {TENANT}" in row.text
        assert page.console() == []


@needs_browser
def test_a_target_is_quiet_at_night_and_at_weekends() -> None:
    with demo() as of, person(of, ADMIN) as page:
        page.open("/settings/notifications/add")
        page.fill("name", "Ticket system")
        page.fill("url", "https://hooks.example/posture")
        page.choose("quiet_from", "20")
        page.choose("quiet_hours", "11")
        for day in page.all("[name=quiet_day]"):
            day.click()
        page.follow("Add target")
        assert "Leave at least an hour in a week that is not quiet." in page.one("[role=alert]").text
        # The form keeps what was entered, except quiet times that would never end.
        assert page.one("[name=name]").get_attribute("value") == "Ticket system"
        page.choose("quiet_from", "20")
        for day in ("Sat", "Sun"):
            page.one(f"[name=quiet_day][value={day}]").click()
        page.follow("Preview")
        assert "would have sent" in page.one("#preview ~ p").text
        page.follow("Add target")
        page.follow("I have copied it")
        assert [day.get_attribute("value") for day in page.all("[name=quiet_day]:checked")] == ["Sat", "Sun"]
        page.open("/settings/notifications")
        assert "All events; quiet 20-07 UTC, Saturday, Sunday" in page.one("tbody").text
        assert page.console() == []


def status(of: Demo, key: str, path: str = "/v1/tenants") -> int:
    try:
        of.service.get(key, path)
    except urllib.error.HTTPError as error:
        return error.code
    return 200


@needs_browser
def test_a_full_member_sees_no_admins_buttons_and_is_refused_by_address() -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open("/settings/api-keys")
        assert "posture serve --demo" in page.text
        assert not page.all("main form") and "Delete" not in page.text
        tenant = of.report()["tenant"]["serviceTenantId"]
        page.open(f"/tenants/{tenant}")
        assert "Remove" not in page.text
        assert page.console() == []
        for path in ("/settings/members", "/settings/brand", f"/tenants/{tenant}/remove"):
            assert not page.all(f"a[href='{path}']")
            page.open(path, status=403)
            assert "Admin" in page.one("main").text
        page.open("/settings/audit")
        assert "Your changes" in page.one("h1").text and "Amara" not in page.one("main").text


@needs_browser
def test_a_member_is_invited_promoted_and_removed() -> None:
    with demo() as of, person(of, ADMIN) as admin, window(of.service.dashboard) as invited:
        admin.open("/settings/members")
        admin.fill("note", "Irene, from the second office")
        admin.press("Create invitation")
        link = admin.one("#link").text
        admin.press("Back to members")
        assert "Irene, from the second office" in admin.text

        invited.open(link)
        assert "Full Member" in invited.text
        sign_in(invited, OTHER)
        invited.until(lambda: TENANT in invited.text, "the new member sees the tenants")
        invited.open("/settings/members", status=403)

        admin.open("/settings/members")
        row = next(row for row in admin.all("tbody tr") if OTHER in row.text)
        row.find_element("css selector", "button[value=ADMIN]").click()
        admin.until(lambda: "Make Full Member: Irene" in admin.one("main").get_attribute("textContent"), "the role changed")
        invited.open("/settings/members")
        # She is of two organizations, and sees one at a time.
        invited.press("I", "header .account")
        invited.press("Second Demo Services", "header .account")
        invited.until(lambda: "Second Demo Services" in invited.one("header .account summary").text, "the other one is shown")
        assert TENANT not in invited.text
        invited.press("I", "header .account")
        invited.press("Demo Managed Services", "header .account")
        invited.until(lambda: TENANT in invited.text, "the first one is shown again")

        row = next(row for row in admin.all("tbody tr") if OTHER in row.text)
        row.find_element("partial link text", "Remove").click()
        admin.press("Remove")
        admin.until(lambda: admin.path == "/settings/members" and OTHER not in admin.text, "the member is gone")
        invited.press("Tenants", "header nav")
        invited.arrive("/sign-in")

        admin.press("Audit")
        shown = admin.one("main").text
        assert all(text in shown for text in ("Invited", "Removed", OTHER, "Amara Lindholm")), shown
        assert admin.console() == [] == invited.console()
