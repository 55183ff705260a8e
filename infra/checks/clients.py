"""Tests clients that openapi-generator generates from the OpenAPI document against the local service.

    python infra/checks/clients.py [LANGUAGE ...]

Every client is generated and compiled, calls every endpoint with and without each parameter, and reads a response that has
a field and an enumeration value which the document does not name. The last lines are a table of what succeeded. It needs
the package `openapi-generator-cli` with Java, and for each language its own tools: npm, a Java compiler, or Go. A client in
C# is only generated, and the declarations in it are read: its compiler is in none of the registries that the checks use.
"""

import contextlib
import http.server
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
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
    # Source files in `clients/` that make the calls, and where they belong in the client.
    calls: dict[str, str]
    compile: list[list[str]]
    # Nothing for a client that is only generated.
    run: list[str]
    # The program that compiles or runs it.
    program: str
    # Declarations that the generated client must have, by their files.
    declared: dict[str, str] = field(default_factory=dict)
    # Whether values of enumerations may be unknown.
    takes_new_values: bool = True

    def expected(self) -> dict[str, bool]:
        """The steps of a client, and whether they succeed."""
        called = {"called": True, "unknown field": True, "unknown value": self.takes_new_values}
        return called if self.run else {"generated": True}


OPEN = {"enumUnknownDefaultCase": "true"}
LANGUAGES = {
    "python": Language(
        "python",
        {},
        {"calls.py": "calls.py"},
        [["env/bin/pip", "install", "--quiet", "."]],
        ["env/bin/python", "calls.py"],
        program="python3",
        takes_new_values=False,
    ),
    "typescript": Language(
        "typescript-fetch",
        OPEN,
        {"calls.ts": "calls.ts"},
        [
            ["npm", "install", "--silent", "--no-save", "typescript@5", "@types/node@22"],
            ["npx", "tsc", "--module", "commonjs", "--target", "es2022", "--lib", "es2022,dom", "--outDir", "js", "calls.ts"],
        ],
        ["node", "js/calls.js"],
        program="npm",
    ),
    "java": Language(
        "java",
        OPEN | {"library": "native", "openApiNullable": "false", "hideGenerationTimestamp": "true"},
        {"Calls.java": "src/main/java/Calls.java", "Generated.java": "src/main/java/javax/annotation/Generated.java"},
        # The generator contains the libraries that its Java clients use.
        [["sh", "-c", 'javac -nowarn -d classes -cp "$GENERATOR" $(find src/main/java -name "*.java")']],
        ["sh", "-c", 'java -cp "classes:$GENERATOR" Calls'],
        program="javac",
    ),
    "go": Language(
        "go",
        OPEN | {"enumClassPrefix": "true", "packageName": "posture"},
        {"calls.go": "calls/main.go"},
        # It uses the standard library alone, of Go 1.19 or newer.
        [["go", "mod", "edit", "-module", "posture", "-go", "1.19"], ["go", "build", "-o", "run", "./calls"]],
        ["./run"],
        program="go",
    ),
    "csharp": Language(
        "csharp",
        OPEN,
        {},
        [],
        [],
        program="java",
        declared={
            "src/Org.OpenAPITools/Api/V1Api.cs": "Option<string> startDate = default",
            "src/Org.OpenAPITools/Model/Severity.cs": "UnknownDefaultOpenApi",
        },
    ),
}


def generator() -> Path:
    """The archive of the generator, which the package of its command contains."""
    return Path(importlib.util.find_spec("openapi_generator_cli").origin).with_name("openapi-generator.jar")


def generate(language: Language, folder: Path) -> None:
    """Generates a client, with the calls in it."""
    options = ",".join(f"{name}={value}" for name, value in language.options.items())
    command = ["java", "-jar", str(generator()), "generate", "-g", language.generator, "-i", str(project.INTERFACE), "-o", str(folder)]
    command += ["--additional-properties", options] if options else []
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for source, target in language.calls.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        (folder / target).write_text((CALLS / source).read_text())
    for file, declaration in language.declared.items():
        assert declaration in (folder / file).read_text(), declaration


def compiled(language: Language, folder: Path) -> None:
    if language.generator == "python":
        venv.create(folder / "env", with_pip=True)
    for command in language.compile:
        subprocess.run(command, check=True, cwd=folder, env=os.environ | {"GENERATOR": str(generator())})


def call(language: Language, folder: Path, api: str, key: str, tenant: str) -> bool:
    """Returns whether the client reads every endpoint of a service."""
    environment = os.environ | {"BASE_URL": api, "API_KEY": key, "TENANT_ID": tenant, "GENERATOR": str(generator())}
    return subprocess.run(language.run, check=False, cwd=folder, env=environment).returncode == 0


def extended(response: object, field: bool, value: bool) -> object:
    """Returns a response with a new field in every object, or a new value in every enumeration of severities."""
    if isinstance(response, list):
        return [extended(item, field, value) for item in response]
    if not isinstance(response, dict):
        return response
    changed = {name: extended(item, field, value) for name, item in response.items()}
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


def tried(language: Language) -> dict[str, bool]:
    """Returns the steps that succeed with a client of a service of its own. A client that cannot be generated or compiled raises an error."""
    with tempfile.TemporaryDirectory() as folder, service.running("--demo", "--no-rate-limit") as demo:
        return steps(language, Path(folder), demo)


def steps(language: Language, folder: Path, demo: service.Service) -> dict[str, bool]:
    key = demo.demo_key()
    tenant = next(it for it in demo.get(key, "/v1/tenants")["tenants"] if not it["isPaused"])["serviceTenantId"]
    generate(language, folder)
    if not language.run:
        return {"generated": True}
    compiled(language, folder)
    done = {"called": call(language, folder, demo.api, key, tenant)}
    for name, new in [("unknown field", {"field": True, "value": False}), ("unknown value", {"field": False, "value": True})]:
        with altered(demo, key, **new) as api:
            done[name] = call(language, folder, api, key, tenant)
    return done


def main(names: list[str]) -> int:
    results = {}
    for name in names or LANGUAGES:
        results[name] = tried(LANGUAGES[name])
    for name, steps in results.items():
        print(f"{name}: {', '.join(step if succeeded else f'{step} FAILED' for step, succeeded in steps.items())}")
    return int(any(steps != LANGUAGES[name].expected() for name, steps in results.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
