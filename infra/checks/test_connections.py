"""The service responds, in bounded memory, however many connections are open.

`IDLE_CONNECTIONS` and `BUSY_CONNECTIONS` say how many there are. The service may open 1,024 files, as systems allow.
"""

import asyncio
import os
import resource
import urllib.parse

import processes
import service

IDLE = int(os.environ.get("IDLE_CONNECTIONS", "900"))
BUSY = int(os.environ.get("BUSY_CONNECTIONS", "100"))
DESCRIPTORS = 1024
# Megabytes that the service may take at most.
MOST_MEMORY = 200
# Responses that each busy client waits for.
RESPONSES = 3


async def idle(port: int) -> asyncio.StreamWriter | None:
    """A connection that sends nothing."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return None
    return writer


async def responded(port: int, key: str) -> int:
    """Asks until the service has responded some times. Returns how often a connection was closed before the response."""
    request = f"GET /v1/tenants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
    responses = closed = 0
    while responses < RESPONSES:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            ends = False
            while responses < RESPONSES and not ends:
                writer.write(request)
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                assert head.startswith(b"http/1.1 200"), head
                assert b"chunked" in head, head
                while size := int(await reader.readuntil(b"\r\n"), 16):
                    await reader.readexactly(size + 2)
                await reader.readexactly(2)
                responses += 1
                # The service says so while other clients wait.
                ends = b"\r\nconnection: close\r\n" in head
            writer.close()
        except (OSError, asyncio.IncompleteReadError):
            closed += 1
    return closed


async def crowd(running: service.Service, key: str) -> tuple[int, int]:
    """Opens all idle connections, on every port, and asks over all busy ones while they are open."""
    ports = [urllib.parse.urlsplit(address).port for address in (running.api, running.data, running.dashboard)]
    opened = []
    for number in range(IDLE):
        opened.append(await idle(ports[number % len(ports)]))
    closed = await asyncio.gather(*(responded(ports[0], key) for _ in range(BUSY)))
    for writer in filter(None, opened):
        writer.close()
    return sum(writer is not None for writer in opened), sum(closed)


def test_many_connections():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, IDLE + BUSY + 1_000), hard))
    try:
        with service.running("--demo", "--no-rate-limit") as running:
            resource.prlimit(running.process, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
            key = running.demo_key()
            opened, closed = asyncio.run(crowd(running, key))
            assert running.get(key, "/v1/tenants")["totalTenants"] == 3
            memory = processes.megabytes(running.process, "VmHWM")
            print(f"{opened} idle, {BUSY} busy: {BUSY * RESPONSES} responses, {closed} connections lost, {memory:.0f} MB")
            assert memory < MOST_MEMORY
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
