"""Runs the service with `posture serve`, and the `posture` command against it."""

import contextlib
import itertools
import json
import os
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import processes
import programs

# Parts of its output after the start.
LAST_LINE = "Ctrl-C stops it.\n"


@dataclass(frozen=True)
class Service:
    """A running service: the addresses of its API, data and dashboard, its output at the start, and its process."""

    api: str
    data: str
    dashboard: str
    greeting: str
    process: int

    def demo_key(self) -> str:
        """Returns the key of the organization that `--demo` creates."""
        return re.search(r"^key: (spk_\w+)", self.greeting, re.MULTILINE)[1]

    def command(self, *arguments: str) -> object:
        """Runs a command that must succeed, and returns its result with `--json`."""
        command = [str(programs.posture()), *arguments, "--local", "--endpoint-url", self.data, "--json"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def get(self, key: str, path: str) -> dict:
        """Returns the body of a successful response of the API."""
        request = urllib.request.Request(self.api + path, headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)


@contextlib.contextmanager
def running(
    *options: str,
    posture: Path | None = None,
    log: int | None = None,
    dashboard_port: int = 0,
    environment: dict[str, str] | None = None,
) -> Iterator[Service]:
    """Provides a separate service with these options of `posture serve`, from the command that the tests build or from
    another one. Its log goes to this process's standard error, or to a file."""
    ports = ["--port", "0", "--db-port", "0", "--dashboard-port", str(dashboard_port)]
    command = [str(posture or programs.posture()), "serve", *ports, *options]
    with processes.running(command, os.environ | (environment or {}), stdout=subprocess.PIPE, stderr=log) as process:
        greeting = "".join(itertools.takewhile(lambda line: line != LAST_LINE, process.stdout))
        addresses = (re.search(rf"{words} (http://\S+)", greeting)[1] for words in ("listens on", "DynamoDB endpoint:", "dashboard is at"))
        yield Service(*addresses, greeting, process.pid)
