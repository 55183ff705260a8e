"""A browser: Debian's Chromium, driven by Selenium, with axe-core from npm.

Where Chromium, its driver or npm is missing, the checks that need them are skipped, or fail if `REQUIRE_BROWSER` is set.
"""

import contextlib
import functools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
import urllib3
from selenium import webdriver
from selenium.common.exceptions import (
    InvalidSessionIdException,
    SessionNotCreatedException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.wait import WebDriverWait

import programs

Found = TypeVar("Found")

PROGRAMS = ("chromium", "chromedriver", "npm")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Nothing is loaded from elsewhere: a page that tries has an error on its console.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
)
# Seconds: far more than any page takes.
PATIENCE = 30
WIDE, NARROW, NARROWEST = (1280, 900), (390, 844), (320, 640)
LIGHT, DARK = "light", "dark"

# The driver's message about an element whose document is being replaced: such an element is stale, too.
REPLACED = "does not belong to the document"

# A driver that does not respond. A condition that is not met is an `AssertionError` instead.
HUNG = (
    urllib3.exceptions.HTTPError,
    InvalidSessionIdException,
    SessionNotCreatedException,
    TimeoutException,
)

NEXT_FRAME = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
FAULTS = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }).then(
  (found) => done(found.violations.map((it) => `${it.id}: ${it.nodes.map((node) => node.html).slice(0, 3).join(" ")}`)),
  (error) => done([String(error)]),
);
"""


def needs_browser(check: Callable) -> Callable:
    """A check that drives a browser: once more if the driver hangs, skipped where the programs are missing."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]

    @functools.wraps(check)
    def run(*arguments: object, **named: object) -> None:
        if missing:
            message = f"{', '.join(missing)} not found: install Debian's packages chromium, chromium-driver and npm"
            if os.environ.get("REQUIRE_BROWSER"):
                pytest.fail(message)
            pytest.skip(message)
        try:
            check(*arguments, **named)
        except HUNG as error:
            print(f"{check.__name__} begins again: the driver failed with {type(error).__name__}: {error}")
            check(*arguments, **named)

    return run


class Browser:
    """A window of a browser of its own, on one site."""

    def __init__(self, driver: webdriver.Chrome, site: str) -> None:
        self.driver = driver
        self.site = site

    def open(self, address: str, status: int = 200) -> None:
        """Opens a page of the site, or an address elsewhere."""
        self.driver.get(address if address.startswith("http") else self.site + address)
        found = self.driver.execute_script('return performance.getEntriesByType("navigation")[0].responseStatus')
        assert found == status, f"{address} responds with {found}"
        if status >= 400:
            # The browser itself reports it, once for the page.
            (message,) = self.console()
            assert f"status of {status}" in message

    @property
    def path(self) -> str:
        """The address within the site."""
        return self.driver.current_url.removeprefix(self.site)

    @property
    def text(self) -> str:
        """What can be read on the page."""
        return self.one("body").text

    def all(self, selector: str) -> list[WebElement]:
        """The elements that a CSS selector finds; none is fine."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """The first element that a CSS selector finds, once it is there."""
        return self.until(lambda: self.all(selector), f"{selector} is on the page")[0]

    def named(self, name: str, within: str = "main") -> WebElement:
        """A visible link or button, by the beginning of its text."""
        path = "self::a or self::button or self::summary"

        def found() -> list[WebElement]:
            of = self.one(within).find_elements(By.XPATH, f".//*[{path}][starts-with(normalize-space(.), '{name}')]")
            return [element for element in of if element.is_displayed()]

        return self.until(found, f"there is a link or button {name}")[0]

    def press(self, name: str, within: str = "main") -> None:
        """Clicks a link or button, by the beginning of its text."""
        self.named(name, within).click()

    def follow(self, name: str, within: str = "main") -> None:
        """Clicks what leads to another page, or to this one anew, and waits until it has taken the place of this one."""
        left = self.one("html")
        self.press(name, within)
        self.until(lambda: staleness_of(left)(self.driver), f"{name} leads to another page")

    def fill(self, field: str, value: str) -> None:
        """Writes into a field, by its name."""
        element = self.one(f"[name={field}]")
        element.clear()
        element.send_keys(value)

    def choose(self, field: str, value: str) -> None:
        """Chooses a value of a list, by the field's name."""
        self.one(f"[name={field}] option[value='{value}']").click()

    def until(self, condition: Callable[[], Found], told: str) -> Found:
        """Waits for a condition, and returns what it found."""

        def attempt(_: WebDriver) -> Found | None:
            try:
                return condition()
            except StaleElementReferenceException:
                return None
            except WebDriverException as error:
                if REPLACED in str(error):
                    return None
                raise

        try:
            return WebDriverWait(self.driver, PATIENCE, 0.05).until(attempt)
        except TimeoutException:
            raise AssertionError(f"not so after {PATIENCE} s: {told}. {self.path}: {self.text}") from None

    def arrive(self, path: str) -> None:
        """Waits for a page, by the beginning of its path."""
        self.until(lambda: self.path.startswith(path), f"the page is {path}")

    def console(self) -> list[str]:
        """The messages on the console since it was last read."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def size(self, size: tuple[int, int]) -> None:
        """Shows pages in a window of this size."""
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size != WIDE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, scheme: str = LIGHT, medium: str = "screen", forced: bool = False) -> None:
        """Shows pages as somebody sees them who prefers light or dark, has the system's few colours, or on paper."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        features += [{"name": "forced-colors", "value": "active" if forced else "none"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": features})
        # A page learns of it with its next frame.
        self.driver.execute_async_script(NEXT_FRAME)

    def scripts(self, enabled: bool) -> None:
        """Lets pages run scripts, or not."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not enabled})

    def overflow(self) -> int:
        """How many pixels a page is wider than the window."""
        script = "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
        return self.driver.execute_script(script)

    def faults(self) -> list[str]:
        """What axe-core finds on the page, as it is shown."""
        if not self.driver.execute_script("return 'axe' in window"):
            self.driver.execute_script(axe())
        return self.driver.execute_async_script(FAULTS)


@functools.cache
def axe() -> str:
    return (programs.packages("browser") / "axe-core" / "axe.min.js").read_text()


@contextlib.contextmanager
def window(site: str, *flags: str) -> Iterator[Browser]:
    """A browser that nobody has used yet, started with these further flags."""
    with tempfile.TemporaryDirectory(prefix="browser-") as profile, driven(profile, *flags) as driver:
        shown = Browser(driver, site)
        shown.size(WIDE)
        shown.media()
        yield shown


@contextlib.contextmanager
def driven(profile: str, *flags: str) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, *flags, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Driver(shutil.which("chromedriver")))
    try:
        driver.command_executor.client_config.timeout = 2 * PATIENCE
        driver.set_page_load_timeout(PATIENCE)
        driver.set_script_timeout(PATIENCE)
        yield driver
    finally:
        driver.quit()
