"""Counts the statuses in the published sample results directly from the files, without any code of the service.

Each function reads one tool's form and yields a row at a time: the control, without what the service normalizes, and
the status that the mapping of `docs/INTAKE.md` gives to the row.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

Rows = Iterator[tuple[str, str]]

SECURE, OPEN, NOT_ASSESSED = "SECURE", "OPEN", "NOT_ASSESSED"
# The worst row of a control counts.
BADNESS = [SECURE, NOT_ASSESSED, OPEN]

SCUBAGEAR = {"Pass": SECURE, "Fail": OPEN, "Warning": OPEN}
MAESTER = ZERO_TRUST = {"Passed": SECURE, "Failed": OPEN}
PROWLER = {"PASS": SECURE, "FAIL": OPEN}


def _json(path: Path, encoding: str = "utf-8-sig") -> object:
    return json.loads(path.read_text(encoding))


def _scubagear_row(row: dict) -> tuple[str, str]:
    return re.sub(r"v\d+$", "", row["Control ID"]), SCUBAGEAR.get(row["Result"], NOT_ASSESSED)


def scubagear(path: Path) -> Rows:
    """Returns all products of a run."""
    for groups in _json(path)["Results"].values():
        yield from (_scubagear_row(row) for group in groups for row in group["Controls"])


def scubagear_product(path: Path) -> Rows:
    """Returns the report of one product."""
    [report] = _json(path, "utf-16")
    yield from (_scubagear_row(row) for group in report["Results"] for row in group["Controls"])


def scubagear_table(path: Path) -> Rows:
    """Returns the table of a run."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from map(_scubagear_row, csv.DictReader(file))


def maester(path: Path) -> Rows:
    """Tests, of which two are written once for each object."""
    for row in _json(path)["Tests"]:
        yield re.sub(r"^(MT\.(?:1033|1059))\..*", r"\1", row["Id"]), MAESTER.get(row["Result"], NOT_ASSESSED)


def _prowler_status(status: str, detail: str) -> str:
    return NOT_ASSESSED if "Insufficient privileges" in detail else PROWLER.get(status, NOT_ASSESSED)


def prowler_findings(path: Path) -> Rows:
    """Findings, one for each resource."""
    for row in _json(path):
        yield row["metadata"]["event_code"], _prowler_status(row["status_code"], row["status_detail"])


def prowler_table(path: Path) -> Rows:
    """Returns the same as a table."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            yield row["CHECK_ID"], _prowler_status(row["STATUS"], row["STATUS_EXTENDED"])


def secure_score(path: Path) -> Rows:
    """Returns the controls of a score, none of which is marked in the sample's profiles."""
    for row in _json(path)["value"][0]["controlScores"]:
        yield row["controlName"], SECURE if row["scoreInPercentage"] == 100 else OPEN


def zero_trust(path: Path) -> Rows:
    """Tests of all pillars."""
    for row in _json(path)["Tests"]:
        yield str(row["TestId"]), ZERO_TRUST.get(row["TestStatus"], NOT_ASSESSED)


def statuses(read: Callable[[Path], Rows], path: Path) -> dict[str, str]:
    """Returns the status of every control of a file."""
    counted: dict[str, str] = {}
    for control, status in read(path):
        counted[control] = max(status, counted.get(control, status), key=BADNESS.index)
    return counted
