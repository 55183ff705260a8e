"""The scripts that send results import them into the local service."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import project
import service

SCRIPTS = project.ROOT / "docs" / "collect"
PROGRAMS = {"bash": ["bash", str(SCRIPTS / "send.sh")], "pwsh": ["pwsh", "-File", str(SCRIPTS / "send.ps1"), "-Path"]}
RESULTS = {
    "MetaData": {"TenantId": "", "ToolVersion": "1.7.1", "TimestampZulu": "2026-01-01T06:00:00.000Z"},
    "Results": {
        "AAD": [
            {
                "GroupName": "A group",
                "Controls": [
                    {
                        "Control ID": "MS.AAD.1.1v1",
                        "Requirement": "A requirement.",
                        "Result": "Fail",
                        "Criticality": "Shall",
                        "Details": "Details.",
                    }
                ],
            }
        ]
    },
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_script_sends_a_file_and_a_folder(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    with service.running("--no-rate-limit") as running:
        organization = running.command("org", "create", "--name", "Northwind")["organizationId"]
        provider = "6f2a3c1e-0b5d-4e8f-9a7c-1d2e3f405162"
        running.command(
            "tenant", "add", "--org", organization, "--name", "Alder", "--provider-tenant-id", provider
        )
        reads = running.command("key", "create", "--org", organization)["key"]
        imports = running.command("key", "create", "--org", organization, "--scope", "import")["key"]
        folder = tmp_path / "results"
        folder.mkdir()
        for month, place in [(1, tmp_path / "one.json"), (2, folder / "two.json")]:
            results = json.loads(json.dumps(RESULTS))
            results["MetaData"]["TenantId"] = provider
            results["MetaData"]["TimestampZulu"] = f"2026-{month:02}-01T06:00:00.000Z"
            place.write_text(json.dumps(results))
        environment = os.environ | {"POSTURE_URL": running.api, "POSTURE_KEY": imports}

        def send(path: Path, **more: str) -> subprocess.CompletedProcess:
            command = [*PROGRAMS[program], str(path)]
            return subprocess.run(command, env=environment | more, capture_output=True, text=True, timeout=120)

        for path, reports in [(tmp_path / "one.json", 1), (folder, 2), (tmp_path / "one.json", 2)]:
            sent = send(path)
            assert sent.returncode == 0 and "IMPORTED" in sent.stdout, sent
            assert running.get(reads, "/v1/report-summaries?latestOnly=false")["totalReports"] == reports
        (tmp_path / "bad.json").write_text("{}")
        failed = send(tmp_path / "bad.json")
        assert failed.returncode == 0 and "not imported" in failed.stderr + failed.stdout, failed
        if program == "bash":
            assert send(tmp_path / "bad.json", STRICT="1").returncode == 1
            assert send(tmp_path / "one.json", STRICT="1", POSTURE_KEY=reads).returncode != 0
