"""Runs the functions as deployed, on this machine: each as a separate process behind the runtime API, on the data of the
sample events.

Run as a script, it serves until Ctrl-C, for `cargo lambda invoke`, as events/README.md shows it.
"""

import contextlib
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import processes
import programs
import project
import template

BUILT = project.TARGET / "sam"
# The SAM CLI builds each function for itself, which takes longer than all other checks together.
AS_DEPLOYED = "SAM_BUILD" in os.environ
# The template's name for the architecture of this machine.
MACHINE = "arm64" if platform.machine() == "aarch64" else "x86_64"
# Not the port of `posture serve`.
PORT = 9001
TABLE = "posture"
DASHBOARD = "https://dashboard.example.com"


def names() -> dict[str, str]:
    """Returns the binary of every function, by its name in the template."""
    resources = template.read()["Resources"].items()
    functions = {name: item for name, item in resources if item["Type"] == "AWS::Serverless::Function"}
    return {name: item["Metadata"]["BuildProperties"]["Binary"] for name, item in functions.items()}


@programs.one_at_a_time
def build() -> None:
    """Builds the functions: with the programs, in the profile of the tests, or as for a deployment with `SAM_BUILD=1`."""
    if AS_DEPLOYED:
        build_as_deployed(BUILT)
    else:
        programs.build()


def build_as_deployed(folder: Path, *name: str, architecture: str = MACHINE, **environment: str) -> None:
    """Builds functions with the SAM CLI into a folder: the one with this name in the template, or all."""
    places = ["--template-file", str(project.TEMPLATE), "--build-dir", str(folder)]
    command = ["sam", "build", *name, *places, "--parameter-overrides", f"Architecture={architecture}"]
    subprocess.run(command, check=True, cwd=project.ROOT, env=os.environ | template.TOOLS | environment)


def bootstrap(name: str) -> Path:
    """Returns the built binary of a function, by its name in the template."""
    return BUILT / name / "bootstrap" if AS_DEPLOYED else programs.build() / names()[name]


def environment(binary: str, engine: int, emulator: int) -> dict[str, str]:
    """Returns the variables that the platform and the template set for a function."""
    return {
        "AWS_LAMBDA_RUNTIME_API": f"http://127.0.0.1:{emulator}/.rt/{binary}",
        "AWS_LAMBDA_FUNCTION_NAME": binary,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_LOG_GROUP_NAME": binary,
        "AWS_LAMBDA_LOG_STREAM_NAME": binary,
        "AWS_REGION": "local",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{engine}",
        "TABLE_NAME": TABLE,
        "DASHBOARD_URL": DASHBOARD,
        "IMPORTS_BUCKET": "files",
        # As in the template, for the functions of the dashboard. The others do not read paths.
        "AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH": "true",
        # No sample event of the dashboard contacts its issuer.
        "SIGN_IN_ISSUER": "https://issuer.example.com",
        "SIGN_IN_CLIENT_ID": "dashboard",
    }


def engine(port: int) -> AbstractContextManager[subprocess.Popen]:
    """Provides the engine with the data of the sample events."""
    return processes.listening([str(programs.event_data()), f"127.0.0.1:{port}"], port)


def emulator(port: int) -> AbstractContextManager[subprocess.Popen]:
    """Provides the runtime API, through whose port functions are invoked."""
    watch = ["cargo", "lambda", "watch", "--only-lambda-apis", "--disable-cors", "--invoke-address", "127.0.0.1"]
    return processes.listening([*watch, "--invoke-port", str(port)], port)


def function(
    name: str, data: int, runtime: int, variables: dict[str, str] | None = None, **options: object
) -> AbstractContextManager[subprocess.Popen]:
    """Provides a built function, by its name in the template, between the engine's port and the emulator's."""
    settings = environment(names()[name], data, runtime) | (variables or {})
    return processes.running([str(bootstrap(name))], settings, **options)


@contextlib.contextmanager
def serving(port: int) -> Iterator[None]:
    """Provides all functions, ready to be invoked through the emulator's port."""
    data = processes.free_port()
    with contextlib.ExitStack() as stack:
        stack.enter_context(engine(data))
        stack.enter_context(emulator(port))
        for name in names():
            stack.enter_context(function(name, data, port))
        yield


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    build()
    with serving(PORT), contextlib.suppress(KeyboardInterrupt):
        example = f"--invoke-address 127.0.0.1 --invoke-port {PORT} usage --data-file events/usage/defaults.json"
        print(f"Invoke a function: cargo lambda invoke {example}", file=sys.stderr)
        signal.pause()
