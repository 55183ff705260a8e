"""The examples of docs/CLIENTS.md that are marked as run work unchanged against the local service."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import project
import service

DOCUMENT = (project.ROOT / "docs" / "CLIENTS.md").read_text()
# The demo has 3 tenants and 5 reports.
RUNNERS = {
    "python": (sys.executable, "example.py", "OPEN"),
    "js": ("node", "example.mjs", "Harbour"),
    "sh": ("sh", "example.sh", "304"),
}


def examples() -> dict[str, str]:
    """Returns the code of every example that is marked as run, by its language."""
    sections = re.split(r"^## ", DOCUMENT, flags=re.MULTILINE)[1:]
    marked = [section for section in sections if section.splitlines()[0].endswith("(run)")]
    return dict(re.search(r"^```(\w+)\n(.*?)^```", section, re.MULTILINE | re.DOTALL).groups() for section in marked)


def test_every_example_says_whether_it_is_run() -> None:
    titles = [title for title in re.findall(r"^## (.*)$", DOCUMENT, re.MULTILINE) if title != "Generated clients"]
    assert all(re.search(r" \((not )?run\)$", title) for title in titles)
    assert set(examples()) == set(RUNNERS)


@pytest.mark.parametrize("language", RUNNERS)
def test_an_example_reads_the_service(language: str, tmp_path: Path) -> None:
    program, file, expected = RUNNERS[language]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (tmp_path / file).write_text(examples()[language])
    with service.running("--demo") as demo:
        environment = os.environ | {"BASE_URL": demo.api, "API_KEY": demo.demo_key()}
        command = [program, file]
        ran = subprocess.run(command, check=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert expected in ran.stdout
