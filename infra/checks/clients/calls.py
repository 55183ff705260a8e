"""Calls every endpoint with the generated client, with and without each parameter."""

import datetime
import os

import openapi_client as posture

settings = posture.Configuration(host=os.environ["BASE_URL"], access_token=os.environ["API_KEY"])
tenant = os.environ["TENANT_ID"]
with posture.ApiClient(settings) as client:
    v1, beta = posture.V1Api(client), posture.BetaApi(client)
    assert v1.list_tenants().total_tenants == 3
    assert v1.list_posture_reports().total_reports == 3
    assert v1.list_posture_reports(tenant_id=tenant).total_reports == 1
    assert v1.list_posture_reports(latest_only=False).total_reports == 5
    assert v1.list_posture_reports(start_date="2999-01-01").total_reports == 0
    assert v1.list_posture_reports(limit=1).total_reports == 1
    page = v1.list_posture_reports(latest_only=False, limit=3)
    page = v1.list_posture_reports(latest_only=False, limit=3, cursor=page.next_cursor)
    assert (page.total_reports, page.next_cursor) == (2, None)
    report = v1.list_report_summaries(tenant_id=tenant, latest_only=True, start_date="2000-01-01", limit=1).reports[0]
    summaries = v1.list_report_summaries(latest_only=False, limit=3)
    assert v1.list_report_summaries(latest_only=False, limit=3, cursor=summaries.next_cursor).total_reports == 2
    assert v1.list_report_summaries().total_reports == 3
    control = v1.list_controls(limit=1).controls[0]
    assert v1.get_control(control.control_id, tool=control.tool).name == control.name
    events = v1.list_events(tenant_id=tenant, start_date="2000-01-01", limit=1)
    following = v1.list_events(tenant_id=tenant, start_date="2000-01-01", limit=1, cursor=events.next_cursor)
    assert len(following.events) == following.total_events
    assert v1.get_posture_report(report.id).score == report.score
    today = datetime.datetime.now(datetime.UTC).date()
    assert v1.get_usage().as_of == v1.get_usage(as_of=today).as_of == today
    assert beta.list_billable_users(tenant).total_billable_users > 0
