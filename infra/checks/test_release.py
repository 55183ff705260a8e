"""A release deploys without Rust: its template names the zips beside it, and the SAM CLI uploads them as they are."""

import hashlib
import os
import re
import subprocess
import zipfile
from pathlib import Path

import boto3
import pytest

import functions
import processes
import release
import template

ARCHITECTURE = "x86_64"
# moto accepts any.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder as the SAM CLI builds it, with small files in place of the binaries."""
    folder = tmp_path_factory.mktemp("built")
    for name, binary in functions.names().items():
        (folder / name).mkdir()
        (folder / name / "bootstrap").write_text(f"The function {binary}.\n" * 1000)
    return folder


@pytest.fixture(scope="module")
def released(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    release.package(built, folder, ARCHITECTURE)
    return folder


def test_every_zip_is_its_function_and_nothing_else(built: Path, released: Path) -> None:
    for name, binary in functions.names().items():
        with zipfile.ZipFile(released / f"{binary}.zip") as archive:
            (entry,) = archive.infolist()
            assert (entry.filename, entry.external_attr >> 16) == ("bootstrap", 0o100755)
            assert archive.read(entry) == (built / name / "bootstrap").read_bytes()
    zips = {f"{binary}.zip" for binary in functions.names().values()}
    assert {path.name for path in released.iterdir()} == zips | {"template.yaml", "SHA256SUMS"}


def test_the_digests_are_those_of_the_files_and_the_same_again(built: Path, released: Path, tmp_path: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], check=True, cwd=released)
    release.package(built, tmp_path, ARCHITECTURE)
    assert (tmp_path / "SHA256SUMS").read_bytes() == (released / "SHA256SUMS").read_bytes()


def test_the_template_needs_no_build_and_only_the_released_architecture(released: Path) -> None:
    text = (released / "template.yaml").read_text()
    assert "BuildMethod" not in text and "../" not in text
    parameter = template.yaml_parse(text)["Parameters"]["Architecture"]
    assert (parameter["Default"], parameter["AllowedValues"]) == (ARCHITECTURE, [ARCHITECTURE])
    command = ["sam", "validate", "--lint", "--template-file", str(released / "template.yaml")]
    subprocess.run(command, check=True, env=os.environ | template.TOOLS)


def test_the_sam_cli_uploads_the_zips_as_they_are(released: Path, tmp_path: Path) -> None:
    port = processes.free_port()
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | template.TOOLS | CREDENTIALS | {"AWS_ENDPOINT_URL": address}
    deployed = tmp_path / "deployed.yaml"
    with processes.listening(["moto_server", "--port", str(port)], port):
        s3 = boto3.client("s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id="local",
                          aws_secret_access_key="local")
        s3.create_bucket(Bucket="releases")
        command = ["sam", "package", "--s3-bucket", "releases", "--region", "us-east-1"]
        places = ["--template-file", str(released / "template.yaml"), "--output-template-file", str(deployed)]
        subprocess.run([*command, *places], check=True, env=environment, stdout=subprocess.DEVNULL)
        keys = re.findall(r"CodeUri: s3://releases/(\S+)", deployed.read_text())
        uploaded = {digest(s3.get_object(Bucket="releases", Key=key)["Body"].read()) for key in keys}
    assert len(keys) == len(functions.names())
    assert uploaded == {digest(path.read_bytes()) for path in released.glob("*.zip")}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
