"""The built function makes the reports of requests: moto replaces S3, the embedded engine the table, and the stand-in
Microsoft Graph. The runtime API is here, because the emulator's invocations end before a tenant is collected.

Figures of docs/COLLECTOR.md: `COLLECT_USERS=50,1000,20000 pytest infra/checks/test_collect.py -s`
"""

import http.server
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

import functions
import processes
import programs
import project

EVENT = project.EVENTS / "collect" / "request.json"
KEY = {"pk": "ORG#org_harbor", "sk": "REQUEST#ten_cedar"}
# Identifier of the tenant with its provider, in the sample events' data.
PROVIDER_ID = "9c858901-8a57-4791-81fe-4c455b099bc9"
USERS = [int(users) for users in os.environ.get("COLLECT_USERS", "50").split(",")]
BUCKET = "snapshots-example"
TIMEOUT = 600
# Any application, which the stand-in on this machine accepts.
CLIENT = "00000000-0000-4000-8000-00000000c11e"
CREDENTIALS = {"aws_access_key_id": "local", "aws_secret_access_key": "local", "region_name": "us-east-1"}


class Runtime(http.server.ThreadingHTTPServer):
    """The runtime API for one function."""

    def __init__(self, port: int, event: Path = EVENT) -> None:
        super().__init__(("127.0.0.1", port), Invocations)
        self.event = event
        self.asked, self.done, self.events = threading.Event(), threading.Event(), threading.Semaphore(0)
        self.response: dict | None = None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def invoke(self) -> dict:
        """Sends the event, and returns the function's response."""
        self.done.clear()
        self.events.release()
        assert self.done.wait(TIMEOUT)
        return self.response


class Invocations(http.server.BaseHTTPRequestHandler):
    """The function asks for its next event, and posts the response."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.set()
        self.server.events.acquire()
        event = self.server.event.read_bytes()
        self.send_response(200)
        self.send_header("Lambda-Runtime-Aws-Request-Id", "00000000-0000-0000-0000-000000000000")
        self.send_header("Lambda-Runtime-Deadline-Ms", str(int((time.time() + TIMEOUT) * 1000)))
        self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:123456789012:function:collect")
        self.send_header("Content-Length", str(len(event)))
        self.end_headers()
        self.wfile.write(event)

    def do_POST(self) -> None:
        self.server.response = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.server.done.set()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class World:
    """A table with a request, a bucket, and the function on them."""

    def __init__(self, users: int, table: object, s3: object, runtime: Runtime, function: int) -> None:
        self.users, self.table, self.s3, self.runtime, self.function = users, table, s3, runtime, function

    def request(self) -> None:
        """Requests a report of the tenant, as the dashboard does."""
        at = "2026-07-15T12:00:00.000Z"
        item = {"requestId": "req_1", "serviceTenantId": "ten_cedar", "state": "WAITING", "requestedAt": at, "by": "Operator"}
        item |= {"changedAt": at, "done": 0, "steps": 0, "attempts": 0, "position": b"", "version": 1, "expiresAt": 1 << 40}
        self.table.put_item(Item=KEY | item | {"v": 1, "reportId": None, "failure": None})
        item = {"serviceTenantId": "ten_cedar", "providerTenantId": PROVIDER_ID, "connectedAt": at, "checkedAt": at}
        key = KEY | {"sk": "CONNECTION#ten_cedar"}
        self.table.put_item(Item=key | item | {"v": 2, "permissions": None, "problem": None, "version": 1})

    def state(self) -> dict:
        return self.table.get_item(Key=KEY, ConsistentRead=True)["Item"]

    def report(self) -> dict:
        """Returns where the report of the request is."""
        key = KEY | {"sk": f"REPORTID#{self.state()['reportId']}"}
        return self.table.get_item(Key=key, ConsistentRead=True)["Item"]

    def keys(self) -> list[str]:
        return [item["Key"] for item in self.s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


@pytest.fixture(params=USERS)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    functions.build()
    engine, runtime, moto, graph = (processes.free_port() for _ in range(4))
    address = f"http://127.0.0.1:{moto}"
    tenants = [str(programs.build() / "examples" / "stand_in"), f"127.0.0.1:{graph}", f"{PROVIDER_ID}={request.param}"]
    with (
        functions.engine(engine),
        processes.listening(["moto_server", "--port", str(moto)], moto),
        processes.listening(tenants, graph),
    ):
        s3 = boto3.client("s3", endpoint_url=address, **CREDENTIALS)
        s3.create_bucket(Bucket=BUCKET)
        kms = boto3.client("kms", endpoint_url=address, **CREDENTIALS)
        key = kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["Arn"]
        variables = {
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{runtime}",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL_S3": address,
            "SNAPSHOTS_BUCKET": BUCKET,
            "GRAPH_CLIENT_ID": CLIENT,
            "AWS_ENDPOINT_URL_KMS": address,
            "GRAPH_KEY": key,
            # The stand-in on this machine looks at no signature.
            "GRAPH_KEY_THUMBPRINT": "A" * 43,
            "GRAPH_URL": f"http://localhost:{graph}/local-graph",
        }
        table = boto3.resource("dynamodb", endpoint_url=f"http://127.0.0.1:{engine}", **CREDENTIALS).Table(functions.TABLE)
        api = Runtime(runtime)
        began = time.monotonic()
        with functions.function("CollectFunction", engine, 0, variables) as collect:
            assert api.asked.wait(processes.PATIENCE)
            print(f"started in {(time.monotonic() - began) * 1000:.0f} ms")
            yield World(request.param, table, s3, api, collect.pid)
        api.shutdown()


def test_a_message_becomes_a_report_once(world: World) -> None:
    # Nothing is requested yet, so the message is done.
    assert world.runtime.invoke() == {"batchItemFailures": []}
    world.request()
    began = time.monotonic()
    assert world.runtime.invoke() == {"batchItemFailures": []}
    took = time.monotonic() - began
    request = world.state()
    assert (request["state"], request["failure"]) == ("COMPLETED", None)
    report = world.report()
    assert report["serviceTenantId"] == "ten_cedar"
    assert world.keys() == ["org_harbor/ten_cedar/req_1.jsonl.gz"]
    peak = processes.megabytes(world.function, "VmHWM")
    size = world.s3.head_object(Bucket=BUCKET, Key=world.keys()[0])["ContentLength"]
    print(f"{world.users} users: {took:.1f} s, {peak:.0f} MB, a snapshot of {size // 1024} KB")
    # The platform delivers a message at least once.
    assert world.runtime.invoke() == {"batchItemFailures": []}
    assert (world.state(), world.report()) == (request, report)
