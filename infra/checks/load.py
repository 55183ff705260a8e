"""Load test of the local service: a few clients send requests to every endpoint and read each response to its end.

Run as a script, not by pytest: `python infra/checks/load.py --minutes 10`. It fails when any response is wrong, or when
the service takes ever more memory.
"""

import argparse
import collections
import gzip
import http.client
import itertools
import json
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

import processes
import project
import service

CLIENTS = 4
# The duration is divided into five parts. The first is the warm-up: buffers, connections, the allocator's arenas.
PARTS = 5
# Maximum growth of the memory from the second part to the last, as a share.
MOST_GROWTH = 0.1


class Load:
    """The requests of the clients until the end of the test, and their results."""

    def __init__(self, running: service.Service, key: str, end: float) -> None:
        self.address = urllib.parse.urlsplit(running.api).netloc
        self.key, self.end = key, end
        self.responses: collections.Counter[str] = collections.Counter()
        self.seconds: list[float] = []
        self.wrong: list[str] = []
        tenants = running.get(key, "/v1/tenants")["tenants"]
        self.requests = [(path, coding) for path in paths(tenants) for coding in ("gzip", "identity")]

    def work(self, start: int) -> None:
        """Runs one client: one connection, one request after the other, each endpoint in turn."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        for path, coding in itertools.islice(itertools.cycle(self.requests), start, None):
            if time.monotonic() >= self.end:
                return
            started = time.monotonic()
            try:
                ask(connection, path, {"Authorization": f"Bearer {self.key}", "Accept-Encoding": coding})
            except (OSError, http.client.HTTPException, ValueError, AssertionError) as error:
                self.wrong.append(f"{path}: {error!r}")
                connection.close()
            self.seconds.append(time.monotonic() - started)
            self.responses[path.split("?")[0]] += 1


def paths(tenants: list[dict]) -> list[str]:
    """Returns the path of every endpoint."""
    tenant = next(item["serviceTenantId"] for item in tenants if not item["isPaused"])
    reports = ["/v1/posture-reports", "/v1/posture-reports?latestOnly=false&limit=500"]
    return [*reports, "/v1/tenants", "/v1/usage", f"/beta/billable-users?tenantId={tenant}"]


def ask(connection: http.client.HTTPConnection, path: str, headers: dict[str, str]) -> None:
    """Reads a response to its end, and fails if it is not correct and complete."""
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, response.status
    parsed = json.loads(gzip.decompress(body) if response.headers["content-encoding"] == "gzip" else body)
    (total,) = (value for name, value in parsed.items() if name.startswith("total"))
    (rows,) = (value for value in parsed.values() if isinstance(value, list))
    assert total == len(rows) > 0


def run(minutes: float, posture: Path) -> bool:
    """Runs the load against a service, prints the results, and returns whether they are correct."""
    with service.running("--demo", "--no-rate-limit", posture=posture, log=subprocess.DEVNULL) as running:
        load = Load(running, running.demo_key(), time.monotonic() + minutes * 60)
        clients = [threading.Thread(target=load.work, args=(number,)) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        memory = []
        while time.monotonic() < load.end:
            memory.append(processes.megabytes(running.process, "VmRSS"))
            time.sleep(1)
        for client in clients:
            client.join()
    return tell(load, memory, minutes)


def tell(load: Load, memory: list[float], minutes: float) -> bool:
    """Prints the figures, and returns whether they meet the requirements."""
    part = max(1, len(memory) // PARTS)
    early, late = statistics.median(memory[part : 2 * part]), statistics.median(memory[-part:])
    centiles = statistics.quantiles(load.seconds, n=100)
    print(f"{len(load.seconds)} requests in {minutes:g} minutes, {len(load.wrong)} of them wrong")
    print(*(f"{count} {path}" for path, count in sorted(load.responses.items())), sep="\n")
    print(f"milliseconds: median {centiles[49] * 1000:.1f}, 99 of 100 below {centiles[98] * 1000:.1f}")
    print(f"MB resident: {early:.1f} after the warm-up, {late:.1f} at the end, {max(memory):.1f} at most")
    print(*load.wrong[:10], sep="\n", file=sys.stderr)
    return not load.wrong and late <= early * (1 + MOST_GROWTH)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--posture", type=Path, default=project.TARGET / "release" / "posture")
    options = parser.parse_args()
    sys.exit(not run(options.minutes, options.posture))
