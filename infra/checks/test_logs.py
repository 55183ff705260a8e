"""A failure is logged as the filter behind its alarm looks for it."""

import http.server
import json
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

import functions
import processes
import project
import template

EVENT = project.EVENTS / "tenants" / "defaults.json"
HEADERS = {
    "Lambda-Runtime-Aws-Request-Id": "request",
    "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:local:000000000000:function:tenants",
}


class RuntimeApi(http.server.BaseHTTPRequestHandler):
    """Hands one event to a function, and tells it to ask no more once it has answered."""

    answered = threading.Event()

    def do_GET(self) -> None:
        if self.answered.is_set():
            self.send_error(410)
            return
        self.send_response(200)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Lambda-Runtime-Deadline-Ms", str(int(time.time() + processes.PATIENCE) * 1000))
        self.end_headers()
        self.wfile.write(EVENT.read_bytes())

    def do_POST(self) -> None:
        # The answer comes in chunks, and nobody reads it: the status is all that the function waits for.
        self.send_response(202)
        self.end_headers()
        self.answered.set()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def runtime_api() -> Iterator[int]:
    """The port of a runtime API that has one event."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), RuntimeApi) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


def test_an_unreachable_table_is_logged_as_the_filter_has_it(runtime_api: int) -> None:
    functions.build()
    nowhere = processes.free_port()
    environment = functions.environment("tenants", nowhere, runtime_api) | {"AWS_LAMBDA_LOG_FORMAT": "JSON"}
    function = functions.bootstrap("TenantsFunction")
    with processes.running([str(function)], environment, stdout=subprocess.PIPE) as process:
        assert RuntimeApi.answered.wait(processes.PATIENCE)
        line = json.loads(process.stdout.readline())
    assert line["fields"]["message"] == "a request failed"
    assert template.LOGGED_ERROR == f'{{ $.level = "{line["level"]}" }}'
