"""Tests clients that openapi-generator generates from the OpenAPI document against the local service.

    python infra/checks/clients.py [LANGUAGE ...]

Every client is generated and compiled, calls every endpoint with and without each parameter, and reads an answer that has
a field and an enumeration value which the document does not name. The last lines are a table of what succeeded. It needs
Java for the generator, and for each language its own tools: npm, Maven or Go.
"""

import contextlib
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import project
import service

CALLS = Path(__file__).with_name("clients")
# Names that are not in the document.
NEW_FIELD, NEW_VALUE = "addedLater", "ADDED_LATER"


@dataclass(frozen=True)
class Language:
    """How a client of a language is generated, compiled and run. Commands run in the folder of the client."""

    generator: str
    # Options of the generator.
    options: dict[str, str]
    # Source file in `clients/` that makes the calls, and where it belongs in the client.
    calls: tuple[str, str]
    compile: list[list[str]]
    run: list[str]
    # Whether values of enumerations may be unknown.
    takes_new_values: bool = True


OPEN = {"enumUnknownDefaultCase": "true"}
LANGUAGES = {
    "python": Language(
        "python",
        {},
        ("calls.py", "calls.py"),
        [["env/bin/pip", "install", "--quiet", "."]],
        ["env/bin/python", "calls.py"],
        takes_new_values=False,
    ),
    "typescript": Language(
        "typescript-fetch",
        OPEN,
        ("calls.ts", "calls.ts"),
        [
            ["npm", "install", "--silent", "--no-save", "typescript@5", "@types/node@22"],
            ["npx", "tsc", "--module", "commonjs", "--target", "es2022", "--lib", "es2022,dom", "--outDir", "js", "calls.ts"],
        ],
        ["node", "js/calls.js"],
    ),
    "java": Language(
        "java",
        OPEN | {"library": "native", "openApiNullable": "false", "hideGenerationTimestamp": "true"},
        ("Calls.java", "src/main/java/Calls.java"),
        [["mvn", "--quiet", "-DskipTests", "-Dmaven.javadoc.skip", "compile", "dependency:copy-dependencies"]],
        ["java", "-cp", "target/classes:target/dependency/*", "Calls"],
    ),
    "go": Language(
        "go",
        OPEN | {"enumClassPrefix": "true", "packageName": "posture"},
        ("calls.go", "calls/main.go"),
        [["go", "mod", "edit", "-module", "posture"], ["go", "mod", "tidy"], ["go", "build", "-o", "run", "./calls"]],
        ["./run"],
    ),
}


def generate(language: Language, folder: Path) -> None:
    """Generates a client, with the calls in it."""
    options = ",".join(f"{name}={value}" for name, value in language.options.items())
    command = ["openapi-generator-cli", "generate", "-g", language.generator, "-i", str(project.INTERFACE), "-o", str(folder)]
    command += ["--additional-properties", options] if options else []
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    source, target = language.calls
    (folder / target).parent.mkdir(parents=True, exist_ok=True)
    (folder / target).write_text((CALLS / source).read_text())


def compiled(language: Language, folder: Path) -> None:
    if language.generator == "python":
        venv.create(folder / "env", with_pip=True)
    for command in language.compile:
        subprocess.run(command, check=True, cwd=folder)


def call(language: Language, folder: Path, api: str, key: str, tenant: str) -> bool:
    """Returns whether the client reads every endpoint of a service."""
    environment = os.environ | {"BASE_URL": api, "API_KEY": key, "TENANT_ID": tenant}
    return subprocess.run(language.run, check=False, cwd=folder, env=environment).returncode == 0


def extended(answer: object, field: bool, value: bool) -> object:
    """Returns a response with a new field in every object, or a new value in every enumeration of severities."""
    if isinstance(answer, list):
        return [extended(item, field, value) for item in answer]
    if not isinstance(answer, dict):
        return answer
    changed = {name: extended(item, field, value) for name, item in answer.items()}
    if value and "severity" in changed:
        changed["severity"] = NEW_VALUE
    return changed | ({NEW_FIELD: {"of": 1}} if field else {})


@contextlib.contextmanager
def altered(demo: service.Service, key: str, *, field: bool, value: bool) -> Iterator[str]:
    """Provides the address of a service whose responses have fields or values that the document does not name."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(extended(demo.get(key, self.path), field, value)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def tried(language: Language, folder: Path, demo: service.Service) -> dict[str, bool]:
    """Returns the steps that succeed with a client. The first step that fails raises an error."""
    key = demo.demo_key()
    tenant = next(it for it in demo.get(key, "/v1/tenants")["tenants"] if not it["isPaused"])["serviceTenantId"]
    generate(language, folder)
    compiled(language, folder)
    steps = {"called": call(language, folder, demo.api, key, tenant)}
    for name, new in [("unknown field", {"field": True, "value": False}), ("unknown value", {"field": False, "value": True})]:
        with altered(demo, key, **new) as api:
            steps[name] = call(language, folder, api, key, tenant)
    return steps


def main(names: list[str]) -> int:
    results = {}
    for name in names or LANGUAGES:
        with tempfile.TemporaryDirectory() as folder, service.running("--demo", "--no-rate-limit") as demo:
            results[name] = tried(LANGUAGES[name], Path(folder), demo)
    for name, steps in results.items():
        print(f"{name}: {', '.join(step if succeeded else f'{step} FAILED' for step, succeeded in steps.items())}")
    expected = {name: {"called": True, "unknown field": True, "unknown value": LANGUAGES[name].takes_new_values} for name in results}
    return int(results != expected)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
