"""The official clients of agents use the tools of the local service: PyPI's in both revisions of the protocol, and npm's
where there is one."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import programs
import service

TOOLS = ["list_tenants", "fleet", "worst_controls", "tenant", "report", "control", "compare", "events"]
CALL = Path(__file__).with_name("agents") / "call.js"
MISSING = shutil.which("npm") is None and not os.environ.get("REQUIRE_BROWSER")


@pytest.fixture(scope="module")
def demo() -> Iterator[service.Service]:
    with service.running("--demo") as demo:
        yield demo


async def use(address: str, key: str, mode: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(address, http_client=http), mode=mode) as client:

            async def data(tool: str, /, **arguments: str) -> dict:
                """Returns the data of an answer, which the client has compared with the tool's schema."""
                answer = await client.call_tool(tool, arguments)
                assert not answer.is_error, answer
                return answer.structured_content["data"]

            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == TOOLS and all(tool.annotations.read_only_hint for tool in tools)
            tenants = (await data("list_tenants"))["tenants"]
            reports = (await data("tenant", tenantId=tenants[0]["serviceTenantId"]))["reports"]
            fleet, worst = await data("fleet"), (await data("worst_controls"))["controls"]
            assert fleet["tenantsWithReports"] == len(tenants) and len(worst) > 5
            await data("control", controlId=worst[0]["controlId"], tool=worst[0]["tool"])
            report = await data("report", reportId=reports[0]["id"])
            control = report["openControls"][0]["controlId"]
            assert (await data("control", controlId=control, reportId=reports[0]["id"]))["control"]["currentState"]
            compared = await data("compare", reportId=reports[-1]["id"], laterReportId=reports[0]["id"])
            assert compared["later"]["score"] == reports[0]["score"]
            await data("events", startDate=reports[0]["completedAt"])
            wrong = await client.call_tool("report", {"reportId": "rpt_unknown"})
            assert wrong.is_error and "no report" in wrong.content[0].text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_calls_every_tool(demo: service.Service, mode: str) -> None:
    asyncio.run(use(demo.api + "/mcp", demo.demo_key(), mode))


@pytest.mark.skipif(MISSING, reason="npm not found: install Debian's package npm")
@pytest.mark.parametrize("package", ["sdk", "client"])
def test_the_official_clients_of_npm_call_a_tool(demo: service.Service, package: str) -> None:
    environment = os.environ | {"NODE_PATH": str(programs.packages("agents")), "API_KEY": demo.demo_key()}
    command = ["node", str(CALL), package, demo.api + "/mcp"]
    output = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout
    found = json.loads(output)
    assert found["tools"] == TOOLS and found["data"]["totalTenants"] == 3 and found["isRefused"]
