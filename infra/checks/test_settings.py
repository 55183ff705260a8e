"""The example settings of the SAM CLI are valid, and Git ignores the copy."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

import project
import template

EXAMPLE = project.ROOT / "samconfig.example.toml"
# The line of the example that users uncomment.
X86 = 'parameter_overrides = "Architecture=x86_64"'
# Builds quickly: its function is an empty file.
SMALL_TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Parameters:
  Architecture: {Type: String, Default: arm64}
Resources:
  Function:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: provided.al2023
      Handler: bootstrap
      CodeUri: function
      Architectures: [!Ref Architecture]
    Metadata: {BuildMethod: makefile}
"""


def sam(*arguments: str, cwd: Path) -> None:
    subprocess.run(["sam", *arguments], check=True, cwd=cwd, env=os.environ | template.TOOLS)


def test_the_example_names_the_template() -> None:
    sam("validate", "--config-file", str(EXAMPLE), cwd=project.ROOT)


def test_the_copy_is_not_tracked() -> None:
    ignored = subprocess.run(["git", "check-ignore", "--quiet", "samconfig.toml"], check=False, cwd=project.ROOT)
    assert ignored.returncode == 0
    tracked = subprocess.run(["git", "ls-files", "samconfig.toml"], check=True, capture_output=True, cwd=project.ROOT)
    assert tracked.stdout == b""


@pytest.mark.parametrize("architecture", ["arm64", "x86_64"])
def test_functions_are_built_for(architecture: str, tmp_path: Path) -> None:
    settings = EXAMPLE.read_text()
    if architecture == "x86_64":
        settings = settings.replace(f"# {X86}", X86)
    infra = tmp_path / "infra"
    (infra / "function").mkdir(parents=True)
    (infra / "template.yaml").write_text(SMALL_TEMPLATE)
    (infra / "function" / "Makefile").write_text("build-Function:\n\ttouch $(ARTIFACTS_DIR)/bootstrap\n")
    (tmp_path / "samconfig.toml").write_text(settings)
    sam("build", cwd=tmp_path)
    built = tomllib.loads((tmp_path / ".aws-sam" / "build.toml").read_text())
    assert [it["architecture"] for it in built["function_build_definitions"].values()] == [architecture]
