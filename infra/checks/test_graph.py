"""The stand-in for Microsoft Graph returns what Microsoft's published schema allows. Skipped without the schema."""

import subprocess
import sys
from pathlib import Path

import pytest

import programs
import project

SCHEMA = project.ROOT.parent / "shared" / "collect"

pytestmark = pytest.mark.skipif(
    not (SCHEMA / "check_wire.py").is_file(), reason="the published schema is not next to the checkout"
)


def check(files: list[Path]) -> subprocess.CompletedProcess[str]:
    """Runs the schema's check on responses, whose types are in the manifest beside them."""
    command = [sys.executable, str(SCHEMA / "check_wire.py"), "auto", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_responses_are_valid(tmp_path: Path) -> None:
    subprocess.run([programs.build() / "examples" / "graph_responses", tmp_path], check=True)
    files = sorted(tmp_path.glob("*/[0-9]*.json"))
    assert len(files) == 6 * 36
    result = check(files)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("ok  ") == len(files)


def test_the_check_finds_what_the_schema_does_not_allow(tmp_path: Path) -> None:
    subprocess.run([programs.build() / "examples" / "graph_responses", tmp_path], check=True)
    response = tmp_path / "0" / "03.json"
    text = response.read_text()
    assert "allowInvitesFrom" in text
    response.write_text(text.replace('"allowInvitesFrom":', '"allowInvitesFrom":"nobody knows","was":'))
    assert check([response]).returncode == 1
