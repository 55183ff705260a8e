"""A failure is logged in the form that the filter of its alarm expects."""

import json
import subprocess
import uuid

import functions
import processes
import project
import template
from test_events import invoke


def test_an_unreachable_table_is_logged_as_the_filter_has_it() -> None:
    # Also at the finest level of the platform, it is the first line: at that level, the SDK would log what it sends.
    functions.build()
    nowhere, emulator = processes.free_port(), processes.free_port()
    logged = {"variables": {"AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": "TRACE"}, "stdout": subprocess.PIPE}
    with functions.emulator(emulator), functions.function("TenantsFunction", nowhere, emulator, **logged) as function:
        assert invoke(project.EVENTS / "tenants" / "defaults.json", emulator)["statusCode"] == 503
        line = json.loads(function.stdout.readline())
    assert line["fields"]["message"] == "a request failed"
    # The access log has the same identifier as `integrationRequestId`.
    assert uuid.UUID(line["span"]["requestId"])
    assert template.LOGGED_ERROR == f'{{ $.level = "{line["level"]}" }}'
