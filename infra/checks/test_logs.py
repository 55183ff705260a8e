"""A failure is logged in the form that the filter of its alarm expects."""

import json
import uuid
from pathlib import Path

import functions
import processes
import project
import template
from test_events import invoke


def test_an_unreachable_table_is_logged_as_the_filter_has_it(tmp_path: Path) -> None:
    functions.build()
    nowhere, emulator = processes.free_port(), processes.free_port()
    # At the platform's finest level, the SDK would log what it sends.
    variables, log = {"AWS_LAMBDA_LOG_FORMAT": "JSON", "AWS_LAMBDA_LOG_LEVEL": "TRACE"}, tmp_path / "log"
    with (
        log.open("w") as out,
        functions.emulator(emulator),
        functions.function("TenantsFunction", nowhere, emulator, variables, stdout=out),
    ):
        assert invoke(project.EVENTS / "tenants" / "defaults.json", emulator)["statusCode"] == 503
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {line["level"] for line in lines} == {"ERROR"}
    line = lines[0]
    assert line["fields"]["message"] == "a request failed"
    # The access log has the same identifier as `integrationRequestId`.
    assert uuid.UUID(line["span"]["requestId"])
    assert template.LOGGED_ERROR == f'{{ $.level = "{line["level"]}" }}'
