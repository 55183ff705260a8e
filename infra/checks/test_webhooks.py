"""Messages to targets, verified by the official libraries of Standard Webhooks, PyPI's and npm's where there is one, and
described by an AsyncAPI document, which the official parser accepts.
"""

import http.server
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import yaml
from standardwebhooks import Webhook, WebhookVerificationError

import processes
import programs
import project
import service
import template
from test_bucket import properties

# Waits longer than the local service takes.
PATIENCE = processes.PATIENCE
VERIFY = Path(__file__).with_name("webhooks") / "verify.js"
COMPONENTS = yaml.safe_load(project.MESSAGES.read_text())["components"]
VALIDATE = Path(__file__).with_name("asyncapi") / "validate.js"
MISSING = shutil.which("npm") is None and not os.environ.get("REQUIRE_BROWSER")


class Receiver:
    """Accepts messages, and keeps their headers and bodies."""

    def __init__(self) -> None:
        self.messages: list[tuple[dict[str, str], str]] = []
        self.arrived = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.send_response(204)
                self.end_headers()
                with receiver.arrived:
                    receiver.messages.append(({name.lower(): value for name, value in self.headers.items()}, body))
                    receiver.arrived.notify_all()

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, number: int) -> tuple[dict[str, str], str]:
        """Returns the last of this number of messages, once it has arrived."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.messages) >= number, PATIENCE), self.messages
            return self.messages[number - 1]


@pytest.fixture(scope="module")
def sent() -> Iterator[tuple[list[str], list[tuple[dict[str, str], str]]]]:
    """Provides the secrets of a target, old and new, and a message before and one after the rotation."""
    receiver = Receiver()
    with service.running() as running:
        of = ["--org", running.command("org", "create", "--name", "Northwind")["organizationId"]]
        url = f"http://127.0.0.1:{receiver.server.server_address[1]}/hook"
        added = running.command("notify", "add", *of, "--name", "Tickets", url)
        tenant = ["--name", "Harbour Dental", "--provider-tenant-id", "11111111-2222-3333-4444-555555555555"]
        running.command("tenant", "add", *of, *tenant)
        first = receiver.wait(1)
        rotated = running.command("notify", "rotate", *of, added["targetId"])
        running.command("notify", "test", *of, added["targetId"])
        yield [added["secret"], rotated["secret"]], [first, receiver.wait(2)]
    receiver.server.shutdown()


def test_the_official_library_verifies_old_and_new_secrets(sent: tuple) -> None:
    (old, new), ((headers, body), after) = sent
    event = Webhook(old).verify(body, headers)
    assert (event["type"], event["data"]["tenant"]["name"]) == ("tenant.added", "Harbour Dental")
    assert event["data"]["id"] == headers["webhook-id"]
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify(body, headers)
    for secret in (old, new):
        assert Webhook(secret).verify(after[1], after[0])["type"] == "test"
    with pytest.raises(WebhookVerificationError):
        Webhook(old).verify(body.replace("Harbour", "Harbor"), headers)


@pytest.mark.skipif(MISSING, reason="npm not found: install Debian's package npm")
def test_the_library_of_npm_verifies_old_and_new_secrets(sent: tuple, tmp_path: Path) -> None:
    (old, new), ((headers, body), after) = sent
    modules = programs.packages("webhooks")

    def verifies(secret: str, headers: dict[str, str], body: str) -> bool:
        file = tmp_path / "message.json"
        file.write_text(json.dumps({"secret": secret, "headers": headers, "body": body}))
        environment = os.environ | {"NODE_PATH": str(modules)}
        return subprocess.run(["node", str(VERIFY), str(file)], env=environment, capture_output=True).returncode == 0

    assert verifies(old, headers, body) and not verifies(new, headers, body)
    assert verifies(old, after[0], after[1]) and verifies(new, after[0], after[1])
    assert not verifies(old, headers, body + " ")


def schema(name: str) -> jsonschema.Draft202012Validator:
    """Returns the schema of a type of the AsyncAPI document."""
    return jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": COMPONENTS})


def test_the_document_describes_the_messages(sent: tuple) -> None:
    _, ((headers, event), (_, test)) = sent
    schema("EventMessage").validate(json.loads(event))
    schema("TestMessage").validate(json.loads(test))
    with pytest.raises(jsonschema.ValidationError):
        schema("EventMessage").validate(json.loads(test))
    signed = jsonschema.Draft202012Validator(COMPONENTS["messageTraits"]["signed"]["headers"])
    signed.validate(headers)
    (example,) = COMPONENTS["messages"]["event"]["examples"]
    schema("EventMessage").validate(example["payload"])
    signed.validate(example["headers"])


def diagnostics(document: Path) -> list[dict]:
    """Returns the errors and warnings that the official parser of AsyncAPI finds."""
    environment = os.environ | {"NODE_PATH": str(programs.packages("asyncapi"))}
    found = subprocess.run(["node", str(VALIDATE), str(document)], env=environment, capture_output=True, check=True)
    # 0 is an error and 1 a warning. The rest is advice, such as to use the newest version.
    return [it for it in json.loads(found.stdout) if it["severity"] <= 1]


@pytest.mark.skipif(MISSING, reason="npm not found: install Debian's package npm")
def test_the_official_parser_accepts_the_document(tmp_path: Path) -> None:
    assert diagnostics(project.MESSAGES) == []
    broken = tmp_path / "broken.yaml"
    broken.write_text(project.MESSAGES.read_text().replace("/messages/test", "/messages/none", 1))
    assert diagnostics(broken) != []


def test_one_event_goes_through_a_queue_that_keeps_the_order() -> None:
    deployed = template.Deployed(template.translate(template.read()))
    queue = properties(deployed, "Notifications")
    assert (queue["FifoQueue"], queue["DeduplicationScope"], queue["SqsManagedSseEnabled"]) == (True, "messageGroup", True)
    assert queue["VisibilityTimeout"] > properties(deployed, "DeliverFunction")["Timeout"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["FailedNotifications", "Arn"]}
    assert properties(deployed, "Table")["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    stream = properties(deployed, "DispatchEvents")
    (of_events,) = stream["FilterCriteria"]["Filters"]
    assert json.loads(of_events["Pattern"]) == {
        "eventName": ["INSERT"],
        "dynamodb": {"Keys": {"sk": {"S": [{"prefix": "EVENT#"}]}}},
    }
    for mapping in (stream, properties(deployed, "DeliverNotifications")):
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
