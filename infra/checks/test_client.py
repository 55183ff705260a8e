"""A client generated from the OpenAPI document reads every endpoint of `posture serve`."""

import datetime
import importlib
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import project
import service

PACKAGE = "generated_client"


class Api:
    """The generated client and the service it talks to."""

    def __init__(self, base_url: str, key: str) -> None:
        client = importlib.import_module(f"{PACKAGE}.client")
        self.client = client.AuthenticatedClient(base_url=base_url, token=key, raise_on_unexpected_status=True)

    def read(self, operation: str, **parameters: object) -> object:
        """Returns the body of a response in the client's own types."""
        return self.module(f"api.{operation}").sync(client=self.client, **parameters)

    @staticmethod
    def module(name: str) -> ModuleType:
        return importlib.import_module(f"{PACKAGE}.{name}")

    def model(self, name: str) -> type:
        return getattr(self.module("models"), name)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Generates the client's code."""
    folder = tmp_path_factory.mktemp("client")
    output = ["--output-path", str(folder / PACKAGE), "--meta", "none"]
    command = ["openapi-python-client", "generate", "--path", str(project.INTERFACE), *output]
    subprocess.run(command, check=True)
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def api(package: None) -> Iterator[Api]:
    """Provides a client of the service with its demo data."""
    with service.running("--demo") as demo:
        yield Api(demo.api, demo.demo_key())


def test_it_reads_tenants(api: Api) -> None:
    response = api.read("v1.list_tenants")
    assert isinstance(response, api.model("TenantsResponse"))
    assert response.total_tenants == len(response.tenants) > 0
    assert {type(tenant.onboarding_date) for tenant in response.tenants} == {datetime.datetime}
    assert any(tenant.is_paused for tenant in response.tenants)


def test_it_reads_reports(api: Api) -> None:
    since = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=365)
    response = api.read("v1.list_posture_reports", latest_only=False, start_date=since.isoformat(), limit=500)
    assert isinstance(response, api.model("PostureReportsResponse"))
    assert response.total_reports == len(response.reports)
    kinds = {report.report_type for report in response.reports}
    assert kinds == set(api.model("ReportType"))
    assert {type(check.status) for report in response.reports for check in report.checks} == {api.model("Status")}


def test_it_reads_usage(api: Api) -> None:
    response = api.read("v1.get_usage")
    assert isinstance(response, api.model("UsageResponse"))
    assert response.total_tenants == len(response.tenants) > 0


def test_it_reads_billable_users(api: Api) -> None:
    tenant = next(item for item in api.read("v1.list_tenants").tenants if not item.is_paused)
    response = api.read("beta.list_billable_users", tenant_id=tenant.service_tenant_id)
    assert isinstance(response, api.model("BillableUsersResponse"))
    assert response.microsoft_tenant_id == response.provider_tenant_id == tenant.provider_tenant_id
    assert response.total_billable_users == len(response.users) > 0


@pytest.mark.parametrize(
    ("parameters", "code"),
    [({"limit": 501}, "INVALID_REQUEST"), ({"tenant_id": "unknown"}, "NOT_FOUND")],
)
def test_it_reads_failures(api: Api, parameters: dict, code: str) -> None:
    response = api.read("v1.list_posture_reports", **parameters)
    assert isinstance(response, api.model("ErrorBody"))
    assert response.error.code == code


def test_it_is_refused_without_a_valid_key(api: Api) -> None:
    stranger = Api(api.client._base_url, "spk_" + "0" * 38)
    response = stranger.read("v1.list_tenants")
    assert response.error.code == "UNAUTHORIZED"
