"""Paths and documents of the project."""

import json
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "infra" / "template.yaml"
INTERFACE = ROOT / "infra" / "openapi.yaml"
MESSAGES = ROOT / "infra" / "asyncapi.yaml"
EVENTS = ROOT / "events"
TARGET = ROOT / "target"
# Functions that respond to nobody: of a bucket, of queues, of a stream, and of a clock.
WITHOUT_RESPONSE = {"collect", "deliver", "dispatch", "import-assessment", "schedule"}


def interface() -> dict:
    """Returns the OpenAPI document."""
    return yaml.safe_load(INTERFACE.read_text())


def sample_events() -> list[Path]:
    """Returns every sample event with a response, in order. The others have separate checks."""
    paths = (path for path in EVENTS.glob("*/*.json") if path.parent.name not in WITHOUT_RESPONSE)
    events = (path for path in paths if not path.name.endswith(".expected.json"))
    return sorted(path for path in events if "Records" not in json.loads(path.read_text()))


def expected_response(event: Path) -> dict:
    """Returns the expected response to a sample event."""
    return json.loads(event.with_suffix(".expected.json").read_text())


def name_of(event: Path) -> str:
    """Returns the name of a sample event for the command line: `tenants/defaults`."""
    return f"{event.parent.name}/{event.stem}"
