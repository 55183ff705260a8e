"""Processes that checks start and stop."""

import contextlib
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

# Seconds: far more than any of them takes to start.
PATIENCE = 60


def free_port() -> int:
    """Returns a port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command: list[str], environment: dict[str, str], **options: object) -> Iterator[subprocess.Popen]:
    """Runs a process, and stops it at the end."""
    process = subprocess.Popen(command, env=environment, text=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextlib.contextmanager
def listening(command: list[str], port: int) -> Iterator[subprocess.Popen]:
    """Runs a process in this one's environment until it listens on its port, and stops it at the end."""
    with running(command, dict(os.environ)) as process:
        wait_for(port, process)
        yield process


def wait_for(port: int, process: subprocess.Popen) -> None:
    """Waits until a process listens on its port."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")


def megabytes(process: int, measure: str) -> float:
    """Returns the memory of a process by the kernel's name: `VmRSS` is the current value, `VmHWM` the peak."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(rf"{measure}:\s+(\d+) kB", status)[1]) / 1024
