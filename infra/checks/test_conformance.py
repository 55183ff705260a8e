"""Schemathesis finds no valid or invalid request whose response differs from the OpenAPI document.

How many cases are made at least: `SCHEMATHESIS_CASES=10000 pytest infra/checks/test_conformance.py -s`
"""

import json
import math
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import project
import service

CASES = int(os.environ.get("SCHEMATHESIS_CASES", "2000"))
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
# Some of the generated cases are skipped.
MARGIN = 1.1
# Operations without parameters soon run out of cases.
# A key that reads is refused at the first, and the second has a protocol of its own.
OTHERS = ("/v1/imports", "/mcp")
READ = {path: methods for path, methods in project.interface()["paths"].items() if not path.startswith(OTHERS)}
OPERATIONS = [path for path, methods in READ.items() if "parameters" in methods["get"]]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """Returns the report on a run with every check, on the demo data and without limits."""
    folder = tmp_path_factory.mktemp("schemathesis")
    with service.running("--demo", "--no-rate-limit") as demo:
        key = demo.demo_key()
        tenants = demo.get(key, "/v1/tenants")["tenants"]
        names = [tenant[name] for tenant in tenants for name in ("serviceTenantId", "providerTenantId")]
        write_dictionary(folder / "tenants.dict", names)
        summaries = demo.get(key, "/v1/report-summaries?latestOnly=false")["reports"]
        write_dictionary(folder / "reports.dict", [report["id"] for report in summaries])
        return run(folder, demo.api, key)


def write_dictionary(path: Path, names: list[str]) -> None:
    """Writes identifiers of existing resources."""
    path.write_text("".join(f'"{name}"\n' for name in names))


def run(folder: Path, api: str, key: str) -> dict:
    """Runs Schemathesis in a folder for its files, and returns its report, which includes failures."""
    shutil.copy(CONFIGURATION, folder)
    of_each = str(math.ceil(CASES * MARGIN / len(OPERATIONS)))
    options = ["--url", api, "--checks", "all", "--max-examples", of_each, "--report-json-path", "report.json"]
    options += ["--exclude-path-regex", "^(" + "|".join(OTHERS) + ")"]
    command = ["schemathesis", "run", str(project.INTERFACE), *options]
    environment = os.environ | {"API_KEY": key, "PYTHONPATH": str(CONFIGURATION.parent)}
    subprocess.run(command, check=False, cwd=folder, env=environment)
    return json.loads((folder / "report.json").read_text())


def test_every_response_conforms(outcome: dict) -> None:
    assert outcome["complete"]
    assert (outcome["failures"], outcome["errors"]) == ([], [])
    assert not any(outcome["warnings"].values())
    assert outcome["exit_code"] == 0


def test_there_are_cases_enough(outcome: dict) -> None:
    assert outcome["test_cases"]["generated"] >= CASES


def test_every_operation_is_read(outcome: dict) -> None:
    read = {name for name, phases in outcome["valid_rates"].items() if any(it["accepted"] for it in phases.values())}
    assert read == {f"GET {path}" for path in READ}
