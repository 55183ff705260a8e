//! `GET /v1/posture-reports/{reportId}`.

use serde_json::Value;

use crate::support::{TestApp, baseline_report, follow_up_report};

const PATH: &str = "/v1/posture-reports";

#[tokio::test]
async fn a_report_is_the_element_of_the_list_byte_for_byte() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report(first, "rpt_baseline", &baseline_report("2026-05-01T08:30:00.000Z")).await;
    app.org_a.add_report(second, "rpt_follow.up-2", &follow_up_report("2026-06-01T08:30:00.123Z")).await;
    let list = String::from_utf8(app.org_a().get(PATH).await.body.to_vec()).unwrap();
    for id in ["rpt_baseline", "rpt_follow.up-2"] {
        let response = app.org_a().get(&format!("{PATH}/{id}")).await;
        assert_eq!(response.success()["id"], id);
        assert!(list.contains(str::from_utf8(&response.body).unwrap()));
    }
}

#[tokio::test]
async fn a_report_that_the_organization_does_not_have_is_not_found() {
    let app = TestApp::new().await;
    for organization in [&app.org_a, &app.org_b] {
        let [first, second] = &organization.tenants;
        for tenant in [first, second] {
            let id = format!("rpt_{tenant}");
            organization.add_report(tenant, &id, &baseline_report("2026-05-01T08:30:00.000Z")).await;
        }
        organization.remove_tenant(second).await;
        let deleted = format!("rpt_deleted_{first}");
        organization.add_report(first, &deleted, &baseline_report("2026-06-01T08:30:00.000Z")).await;
        organization.writer().delete_report(&deleted.parse().unwrap()).await.unwrap();
    }
    app.org_a().get(&format!("{PATH}/rpt_ten_a1")).await.success();
    for id in ["rpt_ten_b1", "rpt_ten_a2", "rpt_deleted_ten_a1", "rpt_unknown", "%20", "a%2Fb", &"x".repeat(1_000)] {
        let error = app.org_a().get(&format!("{PATH}/{id}")).await.failure(404, "NOT_FOUND");
        assert!(error["details"].as_str().unwrap().contains("/v1/report-summaries"), "{id}");
    }
    for path in [format!("{PATH}/"), format!("{PATH}/a/b")] {
        let error = app.org_a().get(&path).await.failure(404, "NOT_FOUND");
        assert_ne!(error["details"], Value::Null);
    }
}

#[tokio::test]
async fn a_report_that_the_table_lost_is_a_failure_and_not_missing() {
    let app = TestApp::new().await;
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_lost", &baseline_report("2026-05-01T08:30:00.000Z")).await;
    let items = app.items().await;
    let body = items.iter().find(|item| item["sk"].as_s().unwrap().starts_with("REPORT#")).unwrap();
    app.delete(body).await;
    for path in [PATH, &format!("{PATH}/rpt_lost")] {
        app.org_a().get(path).await.failure(500, "INTERNAL_ERROR");
    }
}
