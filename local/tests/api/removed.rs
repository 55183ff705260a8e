//! Removed tenants cost nothing, however many reports they had.

use crate::faults::FaultyStore;
use crate::support::{TestApp, baseline_report};

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
