"""Links between the project's documents lead somewhere."""

import re
import subprocess
from pathlib import Path

import pytest

import project

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.md"], check=True, capture_output=True, text=True, cwd=project.ROOT)
    return [project.ROOT / name for name in listed.stdout.splitlines()]


def prose(document: Path) -> str:
    """A document without its code blocks."""
    return FENCE.sub("", document.read_text())


def anchors(document: Path) -> set[str]:
    """The names that a document's headings can be linked by."""
    headings = re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(project.ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for link in LINK.findall(prose(document)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link
