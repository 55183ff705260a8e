"""Two linters accept the OpenAPI documents by their own recommended rules. They come from npm; without it, the checks are
skipped, or fail if `REQUIRE_BROWSER` is set, as those that need a browser.
"""

import json
import os
import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest

import programs
import project
import service

MISSING = shutil.which("npm") is None and not os.environ.get("REQUIRE_BROWSER")
DOCUMENT = project.ROOT / "infra" / "openapi.yaml"


@pytest.fixture(scope="module", params=["3.1", "3.0"])
def document(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document as it is, and in OpenAPI 3.0, as the local service returns it."""
    if request.param == "3.1":
        return DOCUMENT
    file = tmp_path_factory.mktemp("documents") / "openapi-3.0.json"
    with service.running() as running, urllib.request.urlopen(running.api + "/openapi-3.0.json") as response:
        file.write_bytes(response.read())
    return file


def spectral(document: Path, folder: Path) -> list[str]:
    """Returns the errors that Spectral finds."""
    rules = folder / "spectral.yaml"
    rules.write_text('extends: ["spectral:oas"]')
    command = [str(programs.packages("linters") / ".bin" / "spectral"), "lint", "--ruleset", str(rules)]
    found = subprocess.run([*command, "--format", "json", "--quiet", str(document)], check=False, capture_output=True)
    # The severity 0 is an error.
    return [f"{it['code']}: {it['message']}" for it in json.loads(found.stdout) if it["severity"] == 0]


def redocly(document: Path, folder: Path) -> list[str]:
    """Returns the errors that Redocly finds. It would read settings of the folder that it runs in."""
    command = [str(programs.packages("linters") / ".bin" / "redocly"), "lint", "--extends", "recommended", "--format", "json"]
    environment = os.environ | {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    found = subprocess.run([*command, str(document)], check=False, capture_output=True, cwd=folder, env=environment)
    problems = json.loads(found.stdout)["problems"]
    return [f"{it['ruleId']}: {it['message']}" for it in problems if it["severity"] == "error"]


@pytest.mark.skipif(MISSING, reason="npm not found: install Debian's package npm")
@pytest.mark.parametrize("linter", [spectral, redocly], ids=lambda linter: linter.__name__)
def test_a_linter_accepts_the_document(linter, document: Path, tmp_path: Path) -> None:
    assert linter(document, tmp_path) == []


@pytest.mark.skipif(MISSING, reason="npm not found: install Debian's package npm")
@pytest.mark.parametrize("linter", [spectral, redocly], ids=lambda linter: linter.__name__)
def test_a_linter_finds_what_is_wrong(linter, tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text(DOCUMENT.read_text().replace("#/components/responses/Tenants\"", "#/components/responses/Nothing\"", 1))
    assert linter(broken, tmp_path) != []
