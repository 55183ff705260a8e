//! Unknown query parameters: a mistyped name must never return what it was meant to leave out.

use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn an_unknown_parameter_is_refused_with_the_nearest_name_and_all_names() {
    let app = TestApp::new().await;
    let lists = "The parameters of this endpoint are: tenantId, latestOnly, startDate, limit, cursor.";
    let none = "This endpoint has no parameters.";
    for (path, details) in [
        ("/v1/posture-reports?tenantid=ten_a1", format!("Did you mean tenantId? {lists}")),
        ("/v1/posture-reports?tenant=ten_a1", format!("Did you mean tenantId? {lists}")),
        ("/v1/posture-reports?limit=1&LatestOnly=false", format!("Did you mean latestOnly? {lists}")),
        ("/v1/report-summaries?start=2026-01-01", format!("Did you mean startDate? {lists}")),
        ("/v1/report-summaries?q=1", lists.to_owned()),
        (
            "/v1/events?kinds=report.deleted",
            "Did you mean kind? The parameters of this endpoint are: tenantId, kind, startDate, limit, cursor."
                .to_owned(),
        ),
        ("/v1/posture-reports/rpt_1?tenantId=ten_a1", none.to_owned()),
        ("/v1/tenants?limit=1", none.to_owned()),
        (
            "/v1/trends?start=2026-01-01",
            "Did you mean startDate? The parameters of this endpoint are: tool, startDate.".to_owned(),
        ),
        ("/v1/usage?date=2026-01-01", "The parameters of this endpoint are: asOf.".to_owned()),
        (
            "/beta/billable-users?tenantId=ten_a1&tenantID=ten_a2",
            "Did you mean tenantId? The parameters of this endpoint are: tenantId.".to_owned(),
        ),
    ] {
        let error = app.org_a().get(path).await.failure(400, "INVALID_REQUEST");
        assert_eq!(error["details"], json!(details), "{path}");
    }
}

#[tokio::test]
async fn the_response_does_not_repeat_an_unknown_name() {
    let app = TestApp::new().await;
    let response = app.org_a().get("/v1/tenants?spk_secret=1").await;
    assert!(!response.failure(400, "INVALID_REQUEST").to_string().contains("secret"));
}
