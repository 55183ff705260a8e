//! `GET /v1/posture-reports`.

use serde_json::{Value, json};

use crate::support::{TestApp, TestOrganization, baseline_report, follow_up_report, provider_id, tenant, time};

const PATH: &str = "/v1/posture-reports";

/// Returns the identifiers of a response's reports, in order.
#[track_caller]
fn ids(body: &Value) -> Vec<&str> {
    let reports = body["reports"].as_array().unwrap();
    assert_eq!(body["totalReports"], reports.len(), "totalReports is the number of reports in the response");
    reports.iter().map(|report| report["id"].as_str().unwrap()).collect()
}

/// Adds three reports of the first tenant and two of the second, in no particular order.
async fn add_history(organization: &TestOrganization) {
    let [first, second] = &organization.tenants;
    for (tenant, id, completed_at) in [
        (first, "a-june", "2026-06-01T12:00:00.000Z"),
        (second, "b-may", "2026-05-20T00:00:00.000Z"),
        (first, "a-july", "2026-07-01T12:00:00.000Z"),
        (first, "a-may", "2026-05-01T12:00:00.000Z"),
        (second, "b-june", "2026-06-15T23:59:59.999Z"),
    ] {
        organization.add_report(tenant, id, &baseline_report(completed_at)).await;
    }
}

#[tokio::test]
async fn every_field_of_a_report_is_there_under_its_name() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    let (newer, older) = ("2026-06-01T08:30:00.123Z", "2026-05-01T08:30:00.000Z");
    app.org_a.add_report(first, "rpt_baseline", &baseline_report(older)).await;
    app.org_a.add_report(second, "rpt_follow_up", &follow_up_report(newer)).await;
    let expected = |id: &str, tenant: &str, name: &str, provider_id: String, body: Value| {
        let mut report = json!({
            "id": id,
            "url": format!("https://dashboard.example/tenants/{tenant}/reports/{id}"),
            "tenant": { "serviceTenantId": tenant, "name": name, "providerTenantId": provider_id },
        });
        report.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        report
    };
    let response = app.org_a().get(PATH).await.success();
    let expected = json!({
        "reports": [
            expected("rpt_follow_up", "ten_a2", "Tenant a2", provider_id(second), follow_up_report(newer)),
            expected("rpt_baseline", "ten_a1", "Tenant a1", provider_id(first), baseline_report(older)),
        ],
        "totalReports": 2,
        "nextCursor": null,
    });
    assert_eq!(response, expected);
}

#[tokio::test]
async fn without_reports_the_list_is_empty() {
    let app = TestApp::new().await;
    for query in ["", "?latestOnly=false", "?tenantId=ten_a1", "?tenantId=ten_a1&latestOnly=false"] {
        let response = app.org_a().get(&format!("{PATH}{query}")).await;
        assert_eq!(response.success(), json!({ "reports": [], "totalReports": 0, "nextCursor": null }), "{query}");
        assert_eq!(response.header("vary"), Some("Accept-Encoding"));
    }
}

#[tokio::test]
async fn the_parameters_choose_the_reports_and_the_newest_comes_first() {
    let app = TestApp::new().await;
    add_history(&app.org_a).await;
    let (a, b) = (provider_id(&app.org_a.tenants[0]), provider_id(&app.org_a.tenants[1]));
    for (query, expected) in [
        ("", "a-july b-june"),
        ("latestOnly=true", "a-july b-june"),
        ("latestOnly=false", "a-july b-june a-june b-may a-may"),
        // Either identifier names a tenant, ignoring case.
        ("tenantId=ten_a1", "a-july"),
        ("tenantId=ten_a1&latestOnly=false", "a-july a-june a-may"),
        (&format!("tenantId={b}&latestOnly=false"), "b-june b-may"),
        (&format!("tenantId={}", a.to_uppercase()), "a-july"),
        // At or after a time; a date is its beginning.
        ("startDate=2026-06-15", "a-july b-june"),
        ("startDate=2026-06-16", "a-july"),
        ("startDate=2026-07-01T12:00:00.000Z", "a-july"),
        ("startDate=2026-07-01T12:00:00.001Z", ""),
        ("startDate=2026-06-01&latestOnly=false", "a-july b-june a-june"),
        ("startDate=2026-06-01T12:00&latestOnly=false", "a-july b-june a-june"),
        ("startDate=2026-06-01T12:00:01&latestOnly=false", "a-july b-june"),
        ("startDate=2026-06-01T14:00:00%2B02:00&latestOnly=false", "a-july b-june a-june"),
        ("startDate=2026-06-01T14:00:00+02:00&latestOnly=false", "a-july b-june a-june"),
        ("startDate=2026-06-01T10:00:01-02:00&latestOnly=false", "a-july b-june"),
        ("startDate=2026-06-01&tenantId=ten_a1&latestOnly=false", "a-july a-june"),
        ("startDate=2026-07-02&tenantId=ten_a1", ""),
        // At most the limit.
        ("limit=1", "a-july"),
        ("limit=500", "a-july b-june"),
        ("limit=3&latestOnly=false", "a-july b-june a-june"),
        ("limit=2&tenantId=ten_a1&latestOnly=false", "a-july a-june"),
        ("limit=1&startDate=2026-06-01&latestOnly=false", "a-july"),
        // Without a name there is no parameter, and an empty cursor is the first page.
        ("=&cursor=", "a-july b-june"),
    ] {
        let response = app.org_a().get(&format!("{PATH}?{query}")).await.success();
        assert_eq!(ids(&response).join(" "), expected, "{query}");
    }
}

#[tokio::test]
async fn of_reports_completed_together_the_order_is_always_the_same() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    for (tenant, id) in [(first, "m"), (second, "z"), (first, "a"), (second, "k")] {
        app.org_a.add_report(tenant, id, &baseline_report("2026-06-01T12:00:00.000Z")).await;
    }
    for (query, expected) in [
        ("latestOnly=false", "z m k a"),
        ("latestOnly=false&limit=2", "z m"),
        ("latestOnly=true", "z m"),
        ("latestOnly=false&tenantId=ten_a1", "m a"),
        ("tenantId=ten_a2", "z"),
    ] {
        let response = app.org_a().get(&format!("{PATH}?{query}")).await.success();
        assert_eq!(ids(&response).join(" "), expected, "{query}");
    }
}

#[tokio::test]
async fn the_limit_is_100_unless_given() {
    let app = TestApp::new().await;
    for minute in 0..120 {
        let completed_at = format!("2026-06-01T{:02}:{:02}:00.000Z", minute / 60, minute % 60);
        app.org_a
            .add_report(&app.org_a.tenants[minute % 2], &format!("r{minute:03}"), &baseline_report(&completed_at))
            .await;
    }
    let newest = |count: usize| (0..120).rev().take(count).map(|minute| format!("r{minute:03}")).collect::<Vec<_>>();
    for (query, count) in [("", 100), ("&limit=101", 101), ("&limit=500", 120), ("&limit=26", 26)] {
        let response = app.org_a().get(&format!("{PATH}?latestOnly=false{query}")).await.success();
        assert_eq!(ids(&response), newest(count), "{query}");
    }
}

#[tokio::test]
async fn a_bad_parameter_is_named_with_what_is_allowed() {
    let app = TestApp::new().await;
    for (query, parameter) in [
        ("startDate=yesterday", "startDate"),
        ("startDate=2026-02-30", "startDate"),
        ("startDate=01/02/2026", "startDate"),
        ("startDate=2026-06-01T25:00:00Z", "startDate"),
        ("startDate=1751328000", "startDate"),
        ("startDate=", "startDate"),
        ("startDate", "startDate"),
        ("startDate=2026-06-01&startDate=2026-06-01", "startDate"),
        ("startDate=%ff", "startDate"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=-1", "limit"),
        ("limit=1.5", "limit"),
        ("limit=ten", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=", "limit"),
        ("limit=1&limit=2", "limit"),
        ("latestOnly=yes", "latestOnly"),
        ("latestOnly=on", "latestOnly"),
        ("latestOnly=", "latestOnly"),
        ("latestOnly=true&latestOnly=false", "latestOnly"),
        ("tenantId=", "tenantId"),
        ("tenantId=ten_a1&tenantId=ten_a1", "tenantId"),
        ("tenantId=unknown&limit=0", "limit"),
    ] {
        let error = app.org_a().get(&format!("{PATH}?{query}")).await.failure(400, "INVALID_REQUEST");
        let details = error["details"].as_str().unwrap();
        assert!(details.contains(parameter) && details.contains("must"), "{query}: {details}");
    }
}

#[tokio::test]
async fn a_removed_tenants_reports_are_gone_and_a_paused_ones_are_not() {
    let app = TestApp::new().await;
    add_history(&app.org_a).await;
    app.org_a.writer().pause_tenant(&app.org_a.tenants[1], true).await.unwrap();
    app.org_a.remove_tenant(&app.org_a.tenants[0]).await;
    // With a limit of 1, the first pages contain only the removed tenant's reports.
    for (query, expected) in [
        ("", "b-june"),
        ("latestOnly=false", "b-june b-may"),
        ("latestOnly=false&limit=1", "b-june"),
        ("limit=1", "b-june"),
        ("tenantId=ten_a2&latestOnly=false", "b-june b-may"),
    ] {
        let response = app.org_a().get(&format!("{PATH}?{query}")).await.success();
        assert_eq!(ids(&response).join(" "), expected, "{query}");
    }
}

#[tokio::test]
async fn a_report_has_its_tenants_current_name() {
    let app = TestApp::new().await;
    add_history(&app.org_a).await;
    app.org_a.writer().rename_tenant(&app.org_a.tenants[0], &"New name".parse().unwrap()).await.unwrap();
    let response = app.org_a().get(&format!("{PATH}?latestOnly=false")).await.success();
    for report in response["reports"].as_array().unwrap() {
        let expected = if report["tenant"]["serviceTenantId"] == "ten_a1" { "New name" } else { "Tenant a2" };
        assert_eq!(report["tenant"]["name"], expected);
    }
}

#[tokio::test]
async fn an_older_report_that_is_added_later_does_not_become_the_latest() {
    let app = TestApp::new().await;
    let added = tenant(&"ten_a3".parse().unwrap(), "Late");
    app.org_a.add_tenant(&added).await;
    let id = &added.service_tenant_id;
    app.org_a.add_report(id, "new", &follow_up_report("2026-07-01T00:00:00.000Z")).await;
    app.org_a.add_report(id, "old", &baseline_report("2026-01-01T00:00:00.000Z")).await;
    assert!(time("2026-01-01T00:00:00.000Z") < added.onboarding_date);
    assert_eq!(ids(&app.org_a().get(PATH).await.success()), ["new"]);
    assert_eq!(ids(&app.org_a().get(&format!("{PATH}?latestOnly=false")).await.success()), ["new", "old"]);
}
