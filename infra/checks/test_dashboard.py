"""The dashboard of `posture serve`, used in a browser as its people use it.

PDFs are left out: the command is built without them here. The tests of the feature `pdf` compare them with the API.
"""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from browser import DARK, NEXT_FRAME, Browser, needs_browser, window
from people import (
    ADMIN,
    CONTROL,
    MEMBER,
    RESULTS,
    TENANT,
    Demo,
    check,
    demo,
    imported,
    later_results,
    person,
    sign_in,
)

PLACE = f"[id='check-{CONTROL}']"
EDITED = {
    "severity": "LOW",
    "currentState": "Half of it is done.",
    "why": "An insurer asks for it.",
    "suggestedFix": "Finish it.",
}

# A run of one check, as Prowler writes it.
SMALL_RUN = """AUTH_METHOD;TIMESTAMP;ACCOUNT_UID;ACCOUNT_NAME;ACCOUNT_EMAIL;ACCOUNT_ORGANIZATION_UID;FINDING_UID;PROVIDER;CHECK_ID;\
CHECK_TITLE;STATUS;STATUS_EXTENDED;MUTED;SERVICE_NAME;SEVERITY;RESOURCE_UID;RESOURCE_NAME;RISK;\
REMEDIATION_RECOMMENDATION_TEXT;PROWLER_VERSION
Service Principal: x;{ended};a.example;a.example;;{tenant};f0;m365;entra_legacy_authentication_blocked;\
At least one policy blocks legacy authentication;FAIL;No policy blocks it.;False;entra;critical;p1;p1;A risk.;A fix.;5.40.0
"""

# Of a report on paper: details of checks that take no place, names of checks that take far too much, and elements that
# are wider than their place.
UNSEEN = """
return [...document.querySelectorAll("dl.details")]
  .filter((it) => !it.checkVisibility() || it.getBoundingClientRect().height === 0)
  .map((it) => it.textContent);
"""
SQUEEZED = """
return [...document.querySelectorAll(".check > summary")]
  .filter((it) => it.getBoundingClientRect().height > 90)
  .map((it) => it.textContent);
"""
# Whether the browser asks before it leaves the page.
ASKS = """
const leaving = new Event("beforeunload", { cancelable: true });
window.dispatchEvent(leaving);
return leaving.defaultPrevented;
"""
CUT = """
return [...document.querySelectorAll("main *:not(.away, .away *, svg *)")]
  .filter((it) => it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).overflowX !== "visible")
  .map((it) => it.outerHTML.slice(0, 200));
"""


@needs_browser
def test_a_reports_link_survives_signing_in_and_out() -> None:
    with demo() as of, window(of.service.dashboard) as page:
        path = of.path()
        page.open(path)
        assert page.path.startswith("/sign-in?to=")
        sign_in(page, ADMIN)
        page.arrive(path)
        assert TENANT in page.one("h1").text
        assert page.one(".ring").is_displayed()

        page.press("A", "header .account")
        page.press("Sign out", "header .account")
        page.arrive("/signed-out")
        page.open(path)
        page.arrive("/sign-in?to=")
        assert page.console() == []


@needs_browser
def test_checks_are_filtered_while_typing_by_form_and_by_link() -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open(of.path())
        total, report = len(of.report()["checks"]), of.path()

        page.one("[name=q]").send_keys(CONTROL.lower())
        page.until(lambda: f"1 of {total} checks" in page.one("#checks-count").text, "one check is left")
        assert [item.get_attribute("id") for item in page.all(".checks > li") if item.is_displayed()] == [f"check-{CONTROL}"]

        page.open(report)
        page.choose("status", "OPEN")
        page.press("Filter")
        page.arrive(f"{report}?q=&status=OPEN")
        found = sum(check["status"] == "OPEN" for check in of.report()["checks"])
        assert f"{found} of {total} checks" in page.one("#checks-count").text
        assert {pill.text for pill in page.all(".checks .check-status")} == {"Open"}
        page.press("Clear")
        page.until(lambda: f"{total} of {total} checks" in page.one("#checks-count").text, "all checks are back")
        page.press("Expand all")
        assert all(details.get_attribute("open") for details in page.all("details.check"))
        assert page.console() == []


@needs_browser
def test_a_search_for_tenants_finds_the_same_while_typing_and_by_its_form_and_ends() -> None:
    with demo() as of, person(of, MEMBER) as page:
        for address in ("/", "/tenants"):

            def names() -> list[str]:
                return [link.text for link in page.all("[data-item] a[data-text]") if link.is_displayed()]

            page.open(address)
            every = page.until(names, "the tenants are listed")
            words = "DENTAL hárbour"
            page.one("[name=q]").send_keys(words)
            page.until(lambda: names() == [TENANT], "one tenant is left")
            page.one("[name=q]").send_keys(Keys.ENTER)
            page.until(lambda: "q=" in page.path and names() == [TENANT], "the page finds the same")
            # The other tenants are not on this page, so it has to be loaded again.
            for _ in words:
                page.one("[name=q]").send_keys(Keys.BACKSPACE)
            page.until(lambda: names() == every, "all tenants are back")
        assert page.console() == []


def agreed(of: Demo, page: Browser) -> dict:
    """The report, as the API and the command return it alike, with the score that the page shows."""
    report = of.report()
    assert of.service.command("report", "show", "--org", of.organization, report["id"]) == report
    assert str(report["score"]) in page.one(".ring").text
    return report


@needs_browser
def test_every_field_that_can_be_edited_is_the_same_in_the_page_the_api_and_the_command() -> None:
    with demo() as of, person(of, MEMBER) as page:
        before = check(of.report())
        kept = {field: value for field, value in before.items() if field not in ["status", *EDITED]}
        for edited, words in [
            ({"status": "IN_PROGRESS"} | EDITED, ["In progress", "Low", *list(EDITED.values())[1:]]),
            # Optional fields that were cleared are null; a check in a section without open ones is shown all the same.
            ({"status": "SECURE", "severity": "", "currentState": "Done.", "why": "", "suggestedFix": ""}, ["Secure", "Done."]),
        ]:
            page.open(f"{of.path()}#check-{CONTROL}")
            page.press("Edit", PLACE)
            # The form is in the check's place, beside what it is now.
            form = page.one(f"{PLACE} form")
            assert page.path.startswith(of.path()) and page.one(f"{PLACE} .details").is_displayed()
            for field in ("status", "severity"):
                form.find_element("css selector", f"[name={field}] option[value='{edited[field]}']").click()
            for field in ("currentState", "why", "suggestedFix"):
                page.fill(field, edited[field])
            page.press("Save", PLACE)
            page.until(lambda: not page.all(f"{PLACE} form"), "the page is the report's")
            assert check(agreed(of, page)) == kept | {field: value or None for field, value in edited.items()}
            shown = page.one(PLACE).text
            assert all(word in shown for word in ["Edited", *words]), shown
        assert not any(text in page.text for text in (EDITED["why"], EDITED["suggestedFix"]))

        admins = agreed(of, page)["globalAdmins"]["admins"]
        row = f"[aria-labelledby=administrator-list] tbody tr:nth-child({len(admins)})"
        assert admins[-1]["status"] != "IN_PROGRESS"
        page.open(f"{of.path()}#administrator-list")
        page.press("Edit", row)
        page.choose("status", "IN_PROGRESS")
        page.press("Save")
        page.until(lambda: page.path.endswith("#administrator-list"), "the page is the report's")
        assert agreed(of, page)["globalAdmins"]["admins"] == [*admins[:-1], admins[-1] | {"status": "IN_PROGRESS"}]
        shown = page.one(row).text
        assert "In progress" in shown and "Edited" in shown, shown
        assert page.console() == []


@needs_browser
def test_leaving_a_form_asks_once_something_was_typed() -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open(f"{of.path()}/edit/check?control={CONTROL}")
        assert not page.driver.execute_script(ASKS)
        page.one("[name=why]").send_keys("More.")
        assert page.driver.execute_script(ASKS)
        # Saving is not leaving.
        page.press("Save")
        page.arrive(f"{of.path()}#")
        assert not page.driver.execute_script(ASKS)
        # A search is no work to lose.
        page.one("[name=q]").send_keys("x")
        assert not page.driver.execute_script(ASKS)


@needs_browser
def test_a_filter_stays_while_a_check_is_edited() -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open(f"{of.path()}?status=OPEN")
        page.until(lambda: page.one(PLACE), "the check is open")
        page.one(f"{PLACE} summary").click()
        page.press("Edit", PLACE)
        page.one(f"{PLACE} form")
        page.fill("why", EDITED["why"])
        page.press("Save", PLACE)
        page.until(lambda: not page.all(f"{PLACE} form"), "the page is the report's")
        assert page.path == f"{of.path()}?q=&status=OPEN&severity=#check-{CONTROL}"
        assert {pill.text for pill in page.all(".checks .check-status") if pill.text} == {"Open"}


@needs_browser
def test_a_small_run_of_another_tool_stays_below_the_leading_one(tmp_path: Path) -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open("/")
        totals = page.one("[aria-label=Totals]").text
        row = next(row.text for row in page.all("#tenants > tbody") if TENANT in row.text)
        file = tmp_path / "prowler.csv"
        provider = of.report()["tenant"]["providerTenantId"]
        ended = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        file.write_text(SMALL_RUN.format(tenant=provider, ended=ended))
        imported(page, file)
        page.open("/")
        rows = next(row for row in page.all("#tenants > tbody") if TENANT in row.text).find_elements("css selector", "tr")
        leading, other = (row.text for row in rows)
        assert leading.replace("\nScubaGear", "") == row and other.startswith("Prowler"), (row, leading, other)
        assert page.one("[aria-label=Totals]").text == totals
        assert page.console() == []


@needs_browser
def test_a_new_clients_files_are_imported_once_its_tenant_is_added(tmp_path: Path) -> None:
    with demo() as of, person(of, MEMBER) as page:
        results = json.loads(RESULTS.read_text())
        results["MetaData"]["TenantId"] = "77777777-7777-4777-8777-777777777777"
        ended = datetime.now(UTC) - timedelta(days=1)
        results["MetaData"] |= {"TimestampZulu": ended.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "ReportUUID": "new-client"}
        file = tmp_path / "ScubaResults.json"
        file.write_text(json.dumps(results))
        page.open("/imports")
        page.one("#files").send_keys(str(file))
        page.press("Import", "form.form .form-end")
        page.until(lambda: "This tenant is new" in page.text, "the tenant is asked for")
        page.fill("name", "New Client")
        page.press("Add this tenant and import")
        page.until(lambda: "1 report added" in page.one(".head").text, "the files are imported")
        assert "New Client" in page.one("main").text
        assert page.console() == []


@needs_browser
def test_files_of_more_than_one_request_are_sent_one_by_one(tmp_path: Path) -> None:
    with demo() as of, person(of, MEMBER) as page:
        files = []
        for days in (1, 2, 3):
            results = json.loads(later_results(tmp_path, 1 - days).read_text())
            # Rows that are no control of the tool: large, and other ones in each file.
            results["Padding"] = [{"number": number, "text": "x" * 1000} for number in range(2_000 * days)]
            files.append(tmp_path / f"results-{days}.json")
            files[-1].write_text(json.dumps(results))
        assert sum(file.stat().st_size for file in files) > 8_000_000
        page.open("/imports")
        page.one("#files").send_keys("\n".join(str(file) for file in files))
        page.press("Import", "form.form .form-end")
        page.until(lambda: "3 reports added" in page.one(".head").text, "all files are imported")
        # A file that does not shrink below the limit is refused before anything is sent, and the choice stays.
        large = tmp_path / "large.json"
        large.write_bytes(os.urandom(4_100_000))
        page.open("/imports")
        page.one("#files").send_keys(str(large))
        page.press("Import", "form.form .form-end")
        page.until(lambda: "A file can have up to 4.0 MB" in page.one("[data-chosen]").text, "the limit is named")
        assert page.driver.execute_script("return document.querySelector('#files').files.length") == 1
        assert page.console() == []


@needs_browser
def test_a_file_can_be_dropped_on_its_place_and_beside_it_replaces_nothing() -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open("/imports")
        page.one("[data-drop]")
        drop(page, "h1", RESULTS)
        # A browser that follows the file does so with a new document.
        page.driver.execute_async_script(NEXT_FRAME)
        assert page.path == "/imports"
        assert page.one("[data-chosen]").text == ""
        drop(page, "[data-drop]", RESULTS)
        page.until(lambda: RESULTS.name in page.one("[data-chosen]").text, "the file is chosen")
        assert page.path == "/imports"
        assert page.console() == []


def drop(page: Browser, selector: str, file: Path) -> None:
    """Drops a file on an element, as a person does who drags it there."""
    place = page.one(selector)
    page.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", place)
    box = page.driver.execute_script("return arguments[0].getBoundingClientRect().toJSON()", place)
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    for event in ("dragEnter", "dragOver", "drop"):
        where = {"type": event, "x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "data": data}
        page.driver.execute_cdp_cmd("Input.dispatchDragEvent", where)


@needs_browser
def test_a_kept_edit_outlives_an_import(tmp_path: Path) -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open(f"{of.path()}/edit/check?control={CONTROL}")
        edited = {"status": "IN_PROGRESS"} | EDITED
        page.choose("status", edited["status"])
        page.choose("severity", edited["severity"])
        for field in ("currentState", "why", "suggestedFix"):
            page.fill(field, edited[field])
        page.one("#keep").click()
        page.press("Save")
        page.until(lambda: page.path == f"{of.path()}#check-{CONTROL}", "the page is the report's")
        report = of.report()

        imported(page, later_results(tmp_path, 1))
        page.press(TENANT)
        page.arrive(f"/tenants/{report['tenant']['serviceTenantId']}/reports/")
        following = of.report()
        assert following["id"] != report["id"]
        kept = {field: value for field, value in edited.items() if field != "currentState"}
        assert {field: check(following)[field] for field in kept} == kept
        assert check(following)["currentState"] != EDITED["currentState"], "each run finds the current state anew"
        assert EDITED["why"] in page.one(PLACE).get_attribute("textContent")
        assert page.console() == []


@needs_browser
def test_reports_compare_and_usage_leads_to_its_users() -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open(of.path())
        page.press("Compare")
        page.press("Compare", "form.filters")
        page.until(lambda: "with=" in page.path, "two reports are compared")
        counts = dict(tile.text.split("\n")[:2] for tile in page.all(".tile"))
        assert int(counts["Regressed"]) > 0 and int(counts["Fixed"]) > 0, counts
        page.press("Usage", "header")
        page.press(TENANT)
        page.arrive("/billable-users/")
        assert "4" in page.one(".head").text + page.one("main").text
        assert page.console() == []


@needs_browser
def test_all_of_it_works_without_scripts(tmp_path: Path) -> None:
    with demo() as of, window(of.service.dashboard) as page:
        page.scripts(enabled=False)
        page.open(of.path())
        sign_in(page, ADMIN)
        page.arrive(of.path())
        page.fill("q", CONTROL)
        page.press("Filter")
        page.arrive(f"{of.path()}?q={CONTROL}")
        assert page.one("#checks-count").text.startswith("1 of ")
        # A check that is alone is open.
        page.press("Edit", PLACE)
        page.fill("why", EDITED["why"])
        page.press("Save")
        page.arrive(of.path())
        assert check(of.report())["why"] == EDITED["why"]
        page.press("Imports", "header")
        page.one("#files").send_keys(str(later_results(tmp_path, 1)))
        page.press("Import", "form.form .form-end")
        page.until(lambda: "1 report added" in page.one(".head").text, "a report was added")
        page.press("A", "header .account")
        page.press("Sign out", "header .account")
        page.arrive("/signed-out")


@needs_browser
def test_a_keyboard_is_enough() -> None:
    with demo() as of, person(of, ADMIN) as page:
        page.open(of.path())
        page.one("body").send_keys(Keys.TAB)
        focused = page.driver.switch_to.active_element
        assert focused.text == "Skip to content" and focused.rect["y"] >= 0
        focused.send_keys(Keys.ENTER)
        assert page.driver.switch_to.active_element.get_attribute("id") == "content"

        page.open(of.path())
        seen = set()
        for _ in range(60):
            page.driver.switch_to.active_element.send_keys(Keys.TAB)
            focused = page.driver.switch_to.active_element
            outline = focused.value_of_css_property("outline-style")
            assert focused.tag_name == "body" or outline != "none", f"{focused.get_attribute('outerHTML')} shows no focus"
            seen.add(focused.tag_name)
        assert {"a", "summary", "input", "select", "button"} <= seen

        menu = page.one("header .account summary")
        menu.send_keys(Keys.ENTER)
        assert page.named("Sign out", "header .account").is_displayed()
        page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        assert page.one("header .account").get_attribute("open") is None
        assert page.driver.switch_to.active_element == menu


@needs_browser
def test_a_report_on_paper_has_all_checks_and_no_navigation() -> None:
    with demo() as of, person(of, MEMBER) as page:
        page.open(of.path())
        page.media(DARK, "print")
        hidden = ("header.top", ".actions", "form.filters", ".crumbs", "footer", ".check-foot", "a.button")
        assert not [selector for selector in hidden for element in page.all(selector) if element.is_displayed()]
        # Width of A4 between its margins, and with them, which is what rules about the width go by.
        for width in (718, 794):
            page.size((width, 1000))
            for script in (UNSEEN, SQUEEZED, CUT):
                assert page.driver.execute_script(script) == []
            assert page.overflow() == 0
        printed = page.driver.execute_script("return document.body.innerText")
        checks = of.report()["checks"]
        assert all(text in printed for check in checks for text in (check["name"], *check["currentState"].splitlines()))
        assert page.one("body").value_of_css_property("background-color") == "rgba(255, 255, 255, 1)"
