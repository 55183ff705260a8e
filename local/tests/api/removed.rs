//! Removed tenants cost nothing, however many reports they had.

use model::Role;
use store::{ReportError, TenantError};

use crate::dashboard::{dashboard_of, join, send, sign_in};
use crate::faults::{Fault, FaultyStore};
use crate::support::{TestApp, baseline_report, by_operator, later};

/// Returns the number of reports of the removed tenant. `REMOVED_REPORTS` overrides it.
fn reports() -> usize {
    std::env::var("REMOVED_REPORTS").map_or(40, |number| number.parse().unwrap())
}

#[tokio::test]
async fn reads_behind_a_removed_tenants_reports_take_few_calls() {
    let app = TestApp::new().await;
    let [kept, removed] = &app.org_a.tenants;
    app.org_a.add_report(kept, "rpt_kept", &baseline_report("2026-01-01T00:00:00.000Z")).await;
    for number in 0..reports() {
        let at = format!("2026-06-01T{:02}:{:02}:{:02}.000Z", number / 3600, number / 60 % 60, number % 60);
        app.org_a.add_report(removed, &format!("rpt_{number:05}"), &baseline_report(&at)).await;
    }
    app.org_a.remove_tenant(removed).await;

    let counting = FaultyStore::over(&app.engine).await;
    let client = counting.client(&app);
    for limit in [1, 10] {
        counting.forget();
        let response = client.get(&format!("/v1/posture-reports?latestOnly=false&limit={limit}")).await.success();
        assert_eq!((&response["totalReports"], &response["reports"][0]["id"]), (&1.into(), &"rpt_kept".into()));
        let queries = counting.made().iter().filter(|operation| *operation == "Query").count();
        assert!(queries <= 5, "limit={limit} took {queries} queries: {:?}", counting.made());
    }
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_removal_that_broke_off_is_completed_once() {
    let app = TestApp::new().await;
    let [_, removed] = &app.org_a.tenants;
    app.org_a.add_report(removed, "rpt_removed", &baseline_report("2026-06-01T00:00:00.000Z")).await;
    let before = app.items().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let organization = faulty.store.organization(app.org_a.organization.id());
    let writer = by_operator(&organization, later());
    faulty.plan(Fault::Refused, 0..0);
    writer.remove_tenant(removed).await.unwrap();
    let marked = faulty.made().iter().position(|operation| operation == "TransactWriteItems").unwrap();

    app.restore(&before).await;
    faulty.plan(Fault::Refused, marked + 1..usize::MAX);
    writer.remove_tenant(removed).await.unwrap_err();
    let inspect = async || app.org_a.organization.inspect().await.unwrap().discrepancies.len();
    assert_eq!(inspect().await, 0, "what is left of the removal is right");
    let correction =
        async || app.items().await.into_iter().find(|item| item["sk"].as_s().unwrap().starts_with("CORRECTION#"));
    let left = correction().await.unwrap();

    let (router, form) = (dashboard_of(&app), format!("/tenants/{removed}/remove"));
    let admin = join(&app, &app.org_a.organization, Role::Admin, "amara").await;
    let cookie = sign_in(&app, &admin).await;
    let remove = async || send(&router, "POST", &form, Some(&cookie), "name=Tenant+a2").await.status;
    assert_eq!(send(&router, "GET", &form, Some(&cookie), "").await.status, 200);
    assert_eq!((remove().await, remove().await), (303, 404));
    let again = app.org_a.writer().remove_tenant(removed).await;
    assert!(matches!(again, Err(TenantError::NotFound(_))));
    assert_eq!((inspect().await, correction().await), (0, None));
    app.put(left).await;
    assert_eq!(inspect().await, 1, "a correction outlived the removal");
}

#[tokio::test]
async fn a_report_of_a_removed_tenant_is_deleted_once() {
    let app = TestApp::new().await;
    let [_, removed] = &app.org_a.tenants;
    app.org_a.add_report(removed, "rpt_removed", &baseline_report("2026-06-01T00:00:00.000Z")).await;
    app.org_a.remove_tenant(removed).await;
    let (organization, id) = (&app.org_a.organization, "rpt_removed".parse().unwrap());
    assert!(organization.removed_report(&id).await.unwrap().is_some());
    app.org_a.writer().delete_report(&id).await.unwrap();
    assert_eq!(organization.removed_report(&id).await.unwrap().map(|report| report.summary), None);
    let again = app.org_a.writer().delete_report(&id).await;
    assert!(matches!(again, Err(ReportError::NotFound(_))));
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}
