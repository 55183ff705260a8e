"""Every sample event, invoked as by the platform, gets its expected response."""

import base64
import gzip
import http.client
import json
import re
import subprocess
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

import functions
import processes
import project


@pytest.fixture(scope="module")
def emulator() -> Iterator[int]:
    """Provides the port through which the functions are invoked."""
    functions.build()
    port = processes.free_port()
    with functions.serving(port):
        yield port


def test_every_endpoint_and_the_authorizer_have_events(emulator: int) -> None:
    assert set(functions.names().values()) - project.WITHOUT_RESPONSE == {it.parent.name for it in project.sample_events()}


def test_every_function_is_built(emulator: int) -> None:
    assert all(functions.bootstrap(name).is_file() for name in functions.names())


def test_the_sam_cli_builds_a_function() -> None:
    functions.build_as_deployed(functions.BUILT, "AuthorizerFunction")
    assert (functions.BUILT / "AuthorizerFunction" / "bootstrap").is_file()


# Functions behind the HTTP API, which do not stream.
PAGES = {"dashboard", "report-pdf"}


def page(response: dict) -> dict:
    """Returns the response of a page as recorded: without its body, which changes with every word."""
    return {"statusCode": response["statusCode"], "headers": response["headers"]}


def without_time(body: dict | None) -> dict | None:
    """Returns a body as recorded: a cursor of events contains the time."""
    return body | {"nextCursor": "..."} if body and "events" in body else body


def send(function: str, event: str, emulator: int, patience: float = processes.PATIENCE) -> http.client.HTTPResponse:
    """Returns a function's response to an event within a few seconds, as it comes."""
    connection = http.client.HTTPConnection("127.0.0.1", emulator, timeout=patience)
    connection.request("POST", f"/2015-03-31/functions/{function}/invocations", event)
    return connection.getresponse()


def invoke(event: Path, emulator: int, patience: float = processes.PATIENCE) -> dict:
    """Returns the response to an event, as recorded."""
    response = send(event.parent.name, event.read_text(), emulator, patience)
    body = response.read()
    if event.parent.name in PAGES:
        return page(json.loads(body))
    if event.parent.name == "authorizer":
        return json.loads(body)
    if response.headers["content-encoding"] == "gzip":
        body = gzip.decompress(body)
    headers = dict(response.headers)
    # Recordings have random names, which determine the tags of their responses.
    if "etag" in headers:
        headers["etag"] = re.sub(r'^W/"[\w-]{22}"$', f'W/"{"." * 22}"', headers["etag"])
    return {"statusCode": response.status, "headers": headers, "body": without_time(json.loads(body) if body else None)}


def of_rest_api(event: Path) -> dict:
    """Returns an event of the HTTP API as the REST API with a limit per address sends it."""
    known = json.loads(event.read_text())
    cookies = {"cookie": "; ".join(known["cookies"])} if "cookies" in known else {}
    headers = known["headers"] | cookies
    query = urllib.parse.parse_qs(known["rawQueryString"], keep_blank_values=True)
    context = known["requestContext"]
    return {
        "resource": "/{proxy+}",
        "path": known["rawPath"],
        "httpMethod": context["http"]["method"],
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": {"proxy": known["rawPath"][1:]},
        "requestContext": {
            "stage": "dashboard",
            "path": known["rawPath"],
            "httpMethod": context["http"]["method"],
            "identity": {"sourceIp": context["http"]["sourceIp"]},
        },
        "body": base64.b64encode(known["body"].encode()).decode() if known.get("body") else None,
        "isBase64Encoded": bool(known.get("body")),
    }


@pytest.mark.parametrize("event", [it for it in project.sample_events() if it.parent.name in PAGES], ids=project.name_of)
def test_pages_are_the_same_with_a_limit_per_address(event: Path, emulator: int) -> None:
    response = json.loads(send(event.parent.name, json.dumps(of_rest_api(event)), emulator).read())
    headers = {name: ", ".join(values) for name, values in response["multiValueHeaders"].items()}
    expected = project.expected_response(event)
    assert response["statusCode"] == expected["statusCode"]
    assert headers.items() >= expected["headers"].items()


def can_be_shown(event: Path) -> bool:
    """Returns whether `cargo lambda invoke` can show the response: not if it is compressed or an endpoint's failure."""
    response = project.expected_response(event)
    is_shown = event.parent.name not in PAGES and event.stem != "gzip"
    return is_shown and "errorMessage" not in response and response.get("statusCode", 200) == 200


@pytest.mark.parametrize("event", project.sample_events(), ids=project.name_of)
def test_the_response_is_as_recorded(event: Path, emulator: int) -> None:
    response, expected = invoke(event, emulator), project.expected_response(event)
    # The emulator and the runtime add fields to headers and errors.
    if "headers" in expected:
        assert response["headers"].items() >= expected.pop("headers").items()
        del response["headers"]
    if "errorMessage" in expected:
        del response["errorType"]
    assert response == expected


@pytest.mark.parametrize("event", list(filter(can_be_shown, project.sample_events())), ids=project.name_of)
def test_the_command_line_shows_the_response(event: Path, emulator: int) -> None:
    address = ["--invoke-address", "127.0.0.1", "--invoke-port", str(emulator)]
    command = ["cargo", "lambda", "invoke", *address, event.parent.name, "--data-file", str(event)]
    shown = subprocess.run(command, check=True, capture_output=True, timeout=processes.PATIENCE).stdout
    expected = project.expected_response(event)
    assert without_time(json.loads(shown)) == expected.get("body", expected)
