//! Large responses, content codings, and failures in transit.

use std::collections::HashSet;

use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::Value;

use crate::support::{TODAY, TestApp, baseline_report, by_operator, large_report, time};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reports {
    reports: Vec<Report>,
    total_reports: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    id: String,
    completed_at: String,
    checks: Vec<Check>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    current_state: String,
}

fn completed_at(number: usize) -> String {
    format!("2026-06-{:02}T{:02}:{:02}:00.000Z", 1 + number / 1_440, number / 60 % 24, number % 60)
}

fn small_report(completed_at: &str, _: usize) -> Value {
    baseline_report(completed_at)
}

/// Returns reports of both tenants, in turn.
async fn add_reports(app: &TestApp, count: usize, body: fn(&str, usize) -> Value) {
    for number in 0..count {
        let tenant = &app.org_a.tenants[number % 2];
        app.org_a.add_report(tenant, &format!("r{number:03}"), &body(&completed_at(number), number)).await;
    }
}

#[tokio::test]
async fn five_hundred_large_reports_are_one_response() {
    let app = TestApp::new().await;
    add_reports(&app, 500, large_report).await;
    let path = "/v1/posture-reports?latestOnly=false&limit=500";
    let plain = app.org_a().get(path).await;
    assert!(plain.body.len() > 500 * 70_000, "{} bytes", plain.body.len());
    let gzip = app.org_a().get_gzip(path).await;
    assert!(gzip.body.len() * 5 < plain.body.len(), "{} bytes in gzip", gzip.body.len());
    assert!(gzip.gunzipped() == plain.body, "the same text in both codings");

    let response: Reports = serde_json::from_slice(&plain.body).unwrap();
    assert_eq!((response.total_reports, response.reports.len()), (500, 500));
    assert!(response.reports.is_sorted_by(|newer, older| newer.completed_at > older.completed_at));
    assert_eq!(response.reports.iter().map(|report| &report.id).collect::<HashSet<_>>().len(), 500);
    for report in &response.reports {
        let number: usize = report.id[1..].parse().unwrap();
        assert_eq!(report.checks.len(), 150);
        assert!(report.checks[149].current_state.starts_with(&format!("State 149 of report {number}. ")));
    }
    let of_tenant = app.org_a().get(&format!("{path}&tenantId=ten_a1")).await;
    let response: Reports = serde_json::from_slice(&of_tenant.body).unwrap();
    assert_eq!((response.total_reports, response.reports.len()), (250, 250));
}

#[tokio::test]
async fn every_endpoint_responds_the_same_in_gzip() {
    let app = TestApp::new().await;
    add_reports(&app, 3, small_report).await;
    let organization = &app.org_a.organization;
    let writer = by_operator(organization, time("2026-07-15T03:00:00Z"));
    writer.record_usage(TODAY, &[]).await.unwrap();
    writer.record_billable_users(&app.org_a.tenants[0], &[]).await.unwrap();
    for path in [
        "/v1/posture-reports",
        "/v1/posture-reports?latestOnly=false",
        "/v1/posture-reports?startDate=2026-07-10",
        "/v1/posture-reports/r001",
        "/v1/report-summaries",
        "/v1/tenants",
        "/v1/usage",
        "/beta/billable-users?tenantId=ten_a1",
    ] {
        let plain = app.org_a().get(path).await;
        plain.success();
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        let gzip = app.org_a().get_gzip(path).await;
        assert_eq!(gzip.gunzipped(), plain.body, "{path}");
        assert_eq!(gzip.header("vary"), Some("Accept-Encoding"), "{path}");
        assert_eq!(gzip.header("content-length"), None, "{path}");
    }
}

#[tokio::test]
async fn accept_encoding_decides_the_coding() {
    let app = TestApp::new().await;
    for (accepted, coding) in [
        ("gzip, deflate, br, zstd", Some("gzip")),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", Some("gzip")),
        ("*", Some("gzip")),
        ("identity", None),
        ("gzip;q=0", None),
        ("br", None),
        ("", None),
    ] {
        let mut request = app.org_a().request("GET", "/v1/tenants");
        request.headers_mut().insert("accept-encoding", accepted.parse().unwrap());
        assert_eq!(app.org_a().send(request).await.header("content-encoding"), coding, "{accepted:?}");
    }
}

#[tokio::test]
async fn a_failure_is_never_in_gzip() {
    let app = TestApp::new().await;
    for path in ["/v1/posture-reports?limit=0", "/v1/posture-reports?tenantId=unknown", "/v1/usage", "/v1/unknown"] {
        let response = app.org_a().get_gzip(path).await;
        assert_eq!(response.header("content-encoding"), None);
        assert!(response.json()["error"]["code"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn a_response_that_cannot_be_completed_is_cut_off_and_never_ends_like_a_complete_one() {
    let app = TestApp::new().await;
    add_reports(&app, 450, small_report).await;
    let client = app.org_a();
    let mut response = client.open("/v1/posture-reports?latestOnly=false&limit=500").await;
    assert_eq!(response.status(), 200);
    let first = response.body_mut().frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b"{\"reports\":["));
    app.stop_engine().await;
    let rest = response.into_body().collect().await.unwrap().to_bytes();
    let text = [first, rest].concat();
    let sent = text.windows(10).filter(|part| *part == b"reportType").count();
    assert!((1..450).contains(&sent), "{sent} reports");
    assert!(serde_json::from_slice::<Value>(&text).is_err());
    assert!(!text.windows(12).any(|part| part == b"totalReports"));
}

#[tokio::test]
async fn without_its_table_the_service_fails_clearly() {
    let app = TestApp::new().await;
    let client = app.org_a();
    app.stop_engine().await;
    client.get("/v1/tenants").await.failure(503, "UNAVAILABLE");
}
