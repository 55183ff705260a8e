"""Programs that the checks run: the project's own, built for this machine, and those of npm."""

import functools
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

import project


def one_at_a_time(build: Callable) -> Callable:
    """A build into a folder of its own: once in a process, and never in two processes of a parallel run at once."""

    @functools.cache
    @functools.wraps(build)
    def run(*arguments: str) -> object:
        project.TARGET.mkdir(exist_ok=True)
        with FileLock(project.TARGET / f"{build.__module__}.lock"):
            return build(*arguments)

    return run


@one_at_a_time
def build() -> Path:
    """Returns the folder of all programs, built.

    They are built together, with their examples, the code of PDFs, and in the profile of the tests, as `.ci/run` builds
    those: for a package alone, what the programs share would have other features, and would be compiled again.
    """
    options = ["--workspace", "--bins", "--examples", "--features", "report-pdf/pdf,cli/pdf"]
    command = ["cargo", "build", "--profile", "test", *options]
    subprocess.run(command, check=True, cwd=project.ROOT)
    return project.TARGET / "debug"


def event_data() -> Path:
    """Returns the program that serves the data of the sample events."""
    return build() / "examples" / "event_data"


def posture() -> Path:
    """Returns the operator's command."""
    return build() / "posture"


@one_at_a_time
def packages(name: str) -> Path:
    """Returns the folder of the packages from npm that `package.json` in the folder of this name lists, installed."""
    folder = project.TARGET / name
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name(name) / "package.json", folder)
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], check=True, cwd=folder)
    return folder / "node_modules"
