"""The project's own programs, built for this machine."""

import functools
import subprocess
from pathlib import Path

import project


@functools.cache
def build() -> Path:
    """Returns the folder of all programs, built.

    They are built together and with their examples, as the tests are: for a package alone, what the programs share
    would have other features, and would be compiled again.
    """
    command = ["cargo", "build", "--workspace", "--bins", "--examples"]
    subprocess.run(command, check=True, cwd=project.ROOT)
    return project.TARGET / "debug"


def event_data() -> Path:
    """Returns the program that serves the data of the sample events."""
    return build() / "examples" / "event_data"


def posture() -> Path:
    """Returns the operator's command."""
    return build() / "posture"
