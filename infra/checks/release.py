"""Makes a release of the functions: a zip of each, the template that deploys them, and their digests.

    python infra/checks/release.py FOLDER [ARCHITECTURE]

The functions are built as `sam build` does for a deployment, for arm64 unless the architecture is x86_64. Whoever deploys
FOLDER/template.yaml needs the SAM CLI, but no Rust. The zips have no times and no names of folders, so two builds of the
same sources by the same compiler can be compared by FOLDER/SHA256SUMS.
"""

import hashlib
import os
import re
import stat
import sys
import zipfile
from pathlib import Path

import functions
import project

# The instructions to build a function, and the place of its sources.
BUILD = re.compile(r"    Metadata:\n      BuildMethod: rust-cargolambda\n(?:       .*\n|      BuildProperties:\n)+")
SOURCES = re.compile(r"CodeUri: \.\./functions/([a-z-]+)\n")
ARCHITECTURES = re.compile(r"(  Architecture:\n    Type: String\n    Default: )arm64\n    AllowedValues: .*\n")


def released_template(architecture: str) -> str:
    """Returns the template whose functions are the zips beside it, for the one architecture that they were built for."""
    text = BUILD.sub("", project.TEMPLATE.read_text())
    text = SOURCES.sub(r"CodeUri: \1.zip\n", text)
    return ARCHITECTURES.sub(rf"\g<1>{architecture}\n    AllowedValues: [{architecture}]\n", text)


def write_zip(binary: Path, path: Path) -> None:
    """Writes a function's zip. Equal binaries make equal zips."""
    entry = zipfile.ZipInfo("bootstrap")
    entry.external_attr = (stat.S_IFREG | 0o755) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, binary.read_bytes(), zipfile.ZIP_DEFLATED, compresslevel=9)


def package(built: Path, folder: Path, architecture: str) -> None:
    """Writes the release of functions that the SAM CLI has built."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, binary in functions.names().items():
        write_zip(built / name / "bootstrap", folder / f"{binary}.zip")
    (folder / "template.yaml").write_text(released_template(architecture))
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    digests = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (folder / "SHA256SUMS").write_text("".join(digests))


def main(folder: Path, architecture: str = "arm64") -> None:
    built = project.TARGET / "release-functions"
    # A path in a binary would differ from folder to folder.
    flags = f"{os.environ.get('RUSTFLAGS', '')} --remap-path-prefix={project.ROOT}=.".strip()
    functions.build_as_deployed(built, architecture=architecture, RUSTFLAGS=flags)
    package(built, folder, architecture)
    print((folder / "SHA256SUMS").read_text(), end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
