"""Links between documents are valid, every promise names tests that exist, and the changelog has its form."""

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
    """Returns a document without its code blocks."""
    return FENCE.sub("", document.read_text())


def anchors(document: Path) -> set[str]:
    """Returns the anchors of a document's headings."""
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


TEST = re.compile(r"\[`(\w+)`\]\(([^)\s]+)\)")


def promises() -> list[str]:
    """Returns the rows of all tables in docs/SECURITY.md."""
    rows = [line for line in (project.ROOT / "docs/SECURITY.md").read_text().splitlines() if line.startswith("| ")]
    return [row for row in rows if not row.startswith(("| Guarantee |", "| Threat |"))]


def defines(source: Path, name: str) -> bool:
    """Returns whether a file has a test or a rule of this name."""
    mark = r"#\[(tokio::)?test(\([^)]*\))?\]\s+(async )?fn" if source.suffix == ".rs" else r"^def"
    return re.search(rf"{mark} {name}\(", source.read_text(), re.MULTILINE) is not None


@pytest.mark.parametrize("row", promises(), ids=lambda row: row.split("|")[1].strip()[:40])
def test_every_promise_names_tests_that_exist(row: str) -> None:
    tests = TEST.findall(row.split("|")[-2])
    assert tests, "the last column names no test"
    missing = [name for name, path in tests if not defines(project.ROOT / "docs" / path, name)]
    assert missing == [], "docs/SECURITY.md names tests that do not exist: write them, or name those that took over"


VERSION = re.compile(r"## \[Unreleased\]|## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_changelog_keeps_its_form() -> None:
    _, *versions = re.split(r"^(?=## )", (project.ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    titles = [version.splitlines()[0] for version in versions]
    assert titles[0] == "## [Unreleased]"
    assert [title for title in titles if not VERSION.fullmatch(title)] == []
    for title, version in zip(titles, versions, strict=True):
        _, *kinds = re.split(r"^### ", version, flags=re.MULTILINE)
        names = [kind.splitlines()[0] for kind in kinds]
        assert set(names) <= KINDS and len(names) == len(set(names)), title
        for kind in kinds:
            assert re.search(r"^- \S", kind, re.MULTILINE), f"{title} has nothing under {kind}"
