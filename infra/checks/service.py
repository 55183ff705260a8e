"""The service as `posture serve` runs it, and the `posture` command against it."""

import contextlib
import json
import os
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import processes
import project

POSTURE = project.TARGET / "debug" / "posture"


@dataclass(frozen=True)
class Service:
    """A running service: where its API and its data are, and what it said when it started."""

    api: str
    data: str
    greeting: str

    def command(self, *arguments: str) -> object:
        """The result of a command that succeeds, read from its `--json`."""
        command = [str(POSTURE), *arguments, "--local", "--endpoint-url", self.data, "--json"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def get(self, key: str, path: str) -> dict:
        """The body of a successful answer of the API."""
        request = urllib.request.Request(self.api + path, headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


@contextlib.contextmanager
def running(*options: str) -> Iterator[Service]:
    """A service of one check's own, with these options of `posture serve`."""
    subprocess.run(["cargo", "build", "--package", "cli"], check=True, cwd=project.ROOT)
    command = [str(POSTURE), "serve", "--port", "0", "--db-port", "0", *options]
    with processes.running(command, dict(os.environ), stdout=subprocess.PIPE) as process:
        greeting = "".join(iter(process.stdout.readline, "Ctrl-C stops it.\n"))
        api, data = (re.search(rf"{word} (http://\S+)", greeting)[1] for word in ("listens on", "are at"))
        yield Service(api, data, greeting)
