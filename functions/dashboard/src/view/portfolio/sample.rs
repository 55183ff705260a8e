//! A tenant and a report for the tests of lists.

use serde_json::json;
use store::ReportSummary;

use super::Row;

/// Returns a tenant with a newest report.
pub(crate) fn row(name: &str, latest: Option<ReportSummary>) -> Row {
    Row {
        tenant: "ten_1".parse().unwrap(),
        name: name.to_owned(),
        labels: Vec::new(),
        is_paused: false,
        is_stale: false,
        latest,
        others: Vec::new(),
    }
}

/// Returns the summary of a report.
pub(crate) fn report() -> ReportSummary {
    serde_json::from_value(json!({
        "reportId": "rpt_1", "serviceTenantId": "ten_1", "providerTenantId": "01234567-89ab-cdef-0123-456789abcdef",
        "tool": "ScubaGear", "reportType": "BASELINE", "createdAt": "2026-07-01T07:00:00Z",
        "completedAt": "2026-07-01T08:00:00.5Z", "activityLookbackDays": 30, "score": 87, "grade": "B",
        "controls": {
            "assessed": 3, "secure": 1, "fixed": 0, "inProgress": 0, "open": 2, "drifted": 0, "notAssessed": 0,
        },
        "updatedAt": "2026-07-01T08:00:00Z", "revision": 0,
    }))
    .unwrap()
}
