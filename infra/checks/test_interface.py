"""The OpenAPI document is valid and describes the responses of the service."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import openapi_schema_validator
import openapi_spec_validator
import pytest

import project
import service
import template

INTERFACE = project.interface()
# The authorizer's events are not requests, and pages are not part of the API.
OTHERS = {"authorizer", "dashboard", "report-pdf"}
REQUESTS = [event for event in project.sample_events() if event.parent.name not in OTHERS]
WITH_BODY = [name for name, response in INTERFACE["components"]["responses"].items() if "content" in response]
OPERATIONS = {
    (path, method): operation for path, methods in INTERFACE["paths"].items() for method, operation in methods.items()
}


def resolved(node: dict, document: dict = INTERFACE) -> dict:
    """Returns the target of a reference."""
    reference = node.get("$ref")
    if reference is None:
        return node
    target = document
    for name in reference.removeprefix("#/").split("/"):
        target = target[name]
    return target


def strict(node):
    """A schema that takes no field it does not name."""
    if isinstance(node, list):
        return [strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {"additionalProperties": False} if "properties" in node and node.get("type") == "object" else {}
    return {name: strict(value) for name, value in node.items()} | closed


SCHEMAS = {"components": {"schemas": strict(INTERFACE["components"]["schemas"])}}


def assert_valid(schema: dict, value: object) -> None:
    """Asserts that a value matches a schema, including formats, and has no other fields."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(schema | SCHEMAS, format_checker=checker).validate(value)


def operation_of(event: Path) -> tuple[str, str]:
    """Returns path and method of the operation that an event is for."""
    request = json.loads(event.read_text())
    return request["resource"], request["httpMethod"].lower()


def media(response: dict) -> dict:
    return resolved(response)["content"]["application/json"]


def failures() -> Iterator[tuple[str, dict]]:
    """Provides the name and the example of every failure in the document."""
    for name in WITH_BODY:
        example = media(INTERFACE["components"]["responses"][name]).get("example", {})
        if "error" in example:
            yield name, example


def test_the_document_is_valid() -> None:
    openapi_spec_validator.validate(INTERFACE)


@pytest.fixture(scope="module")
def in_3_0() -> dict:
    """The document in OpenAPI 3.0, as the local service returns it."""
    with service.running() as running, urllib.request.urlopen(running.api + "/openapi-3.0.json") as response:
        return json.load(response)


def test_the_document_in_openapi_3_0_is_valid(in_3_0: dict) -> None:
    openapi_spec_validator.validate(in_3_0)
    assert in_3_0["openapi"].startswith("3.0.")
    assert set(in_3_0["paths"]) == set(INTERFACE["paths"])


@pytest.mark.parametrize("event", REQUESTS, ids=project.name_of)
def test_recorded_responses_are_as_described_in_openapi_3_0(event: Path, in_3_0: dict) -> None:
    expected = project.expected_response(event)
    if expected["body"] is None:
        return
    path, method = operation_of(event)
    operation = in_3_0["paths"][path][method]
    response = resolved(operation["responses"][str(expected["statusCode"])], in_3_0)
    schema = response["content"]["application/json"]["schema"]
    openapi_schema_validator.OAS30Validator(schema | {"components": in_3_0["components"]}).validate(expected["body"])


@pytest.mark.parametrize("name", WITH_BODY)
def test_examples_are_of_their_schema(name: str) -> None:
    content = media(INTERFACE["components"]["responses"][name])
    if "example" in content:
        assert_valid(content["schema"], content["example"])


@pytest.mark.parametrize("event", REQUESTS, ids=project.name_of)
def test_recorded_responses_are_as_described(event: Path) -> None:
    expected = project.expected_response(event)
    operation = OPERATIONS[operation_of(event)]
    response = operation["responses"][str(expected["statusCode"])]
    if expected["body"] is None:
        assert "content" not in resolved(response)
        return
    assert_valid(media(response)["schema"], expected["body"])


def test_documented_failures_are_those_of_the_service() -> None:
    recorded = [project.expected_response(event)["body"] for event in REQUESTS]
    deployed = template.Deployed(template.translate(template.read()))
    failures_of_gateway = deployed.api["Body"]["x-amazon-apigateway-gateway-responses"].values()
    known = recorded + [json.loads(failure["responseTemplates"]["application/json"]) for failure in failures_of_gateway]
    unknown = [name for name, example in failures() if example not in known]
    # No sample event makes the store busy.
    assert unknown == ["Unavailable"]


def test_every_operation_can_fail_as_every_request_can() -> None:
    for (path, method), operation in OPERATIONS.items():
        success = "202" if (path, method) == ("/v1/imports", "post") else "200"
        # An unknown parameter is refused wherever it is sent.
        assert {success, "400", "401", "429", "500", "503"} <= set(operation["responses"]), path


def test_the_bounds_of_limit_are_those_of_the_service() -> None:
    parameters = map(resolved, OPERATIONS["/v1/posture-reports", "get"]["parameters"])
    parameters = {item["name"]: item["schema"] for item in parameters}
    bounds = parameters["limit"]["minimum"] - 1, parameters["limit"]["maximum"] + 1
    for name, value in zip(("limit-too-small", "limit-too-large"), bounds, strict=True):
        event = project.EVENTS / "posture-reports" / f"{name}.json"
        assert json.loads(event.read_text())["queryStringParameters"] == {"limit": str(value)}
        assert project.expected_response(event)["statusCode"] == 400
