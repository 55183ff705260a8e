"""A page of another origin gets nothing from the service's ports, in a browser."""

import functools
import http.server
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager

import service
from browser import Browser, needs_browser, window

# A name that its owner points at this machine.
FOREIGN = "hostile.test"
# What a page can send: simple requests, with and without their responses, and requests that the browser asks about first.
REQUESTS = """
const [addresses, done] = arguments;
const simple = [{}, { method: "POST", body: "{}" }, { method: "HEAD" }];
const asked = [
  { headers: { Authorization: "Bearer spk_x" } },
  { method: "POST", body: "{}", headers: { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables" } },
  { method: "PUT" },
  { method: "DELETE" },
];
const hidden = simple.map((it) => ({ ...it, mode: "no-cors" }));
const with_cookies = [...simple, ...asked].map((it) => ({ ...it, credentials: "include" }));
const all = addresses.flatMap((address) => [...simple, ...asked, ...hidden, ...with_cookies].map((it) => [address, it]));
Promise.all(all.map(([address, it]) => fetch(address, it).then(
  (response) => response.type === "opaque" ? "hidden" : `${it.method ?? "GET"} ${address}: ${response.status}`,
  () => "refused",
))).then(done);
"""


class Empty(http.server.BaseHTTPRequestHandler):
    """An empty page, whatever is asked."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def hostile_site() -> Iterator[str]:
    """The address of a page of another origin."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
    thread = threading.Thread(target=functools.partial(server.serve_forever, 0.1))
    thread.start()
    try:
        yield f"http://{FOREIGN}:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


def ask(browser: Browser, addresses: list[str]) -> list[str]:
    """What came of every request of a page, to all addresses."""
    return browser.driver.execute_async_script(REQUESTS, addresses)


@needs_browser
def test_a_page_of_another_origin_gets_no_response():
    rules = f"--host-resolver-rules=MAP {FOREIGN} 127.0.0.1"
    with service.running("--demo", "--no-rate-limit") as running, hostile_site() as site, window(site, rules) as browser:
        before = running.command("check")
        ports = [urllib.parse.urlsplit(address).port for address in (running.api, running.data, running.dashboard)]
        paths = ["/", "/v1/tenants", "/docs", "/sign-in"]
        own = [f"http://{host}:{port}{path}" for host in ("127.0.0.1", "localhost") for port in ports for path in paths]
        rebound = [f"http://{FOREIGN}:{port}{path}" for port in ports for path in paths]

        browser.open("/")
        outcomes = ask(browser, own + rebound)
        assert set(outcomes) == {"refused", "hidden"}, sorted(set(outcomes))
        # The same from a name that was pointed at this machine after the page was loaded: then it is the page's own origin.
        statuses = []
        for port in ports:
            browser.driver.get(f"http://{FOREIGN}:{port}/")
            statuses += ask(browser, [f"http://{FOREIGN}:{port}{path}" for path in paths])
        answered = [outcome for outcome in statuses if not outcome.endswith((": 421", "refused"))]
        print(f"{len(outcomes) + len(statuses)} requests, {len(answered)} answered")
        assert not answered
        assert running.command("check") == before

        browser.console()
        for address in (running.api + "/docs", running.dashboard):
            browser.open(address)
            assert browser.text
