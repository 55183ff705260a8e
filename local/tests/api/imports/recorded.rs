//! The record of an import with more entries than fit: the first ones of each list.

use std::iter;

use serde::Deserialize;
use serde_json::{Value, json};
use store::{ImportDetails, ImportedReport};

use crate::support::{TestApp, baseline_report, later};

/// More entries than fit, and how many of them are recorded.
const ENTRIES: usize = 20_000;
const RECORDED: usize = 1_000;

fn with(list: &str, entries: &[Value]) -> ImportDetails {
    let mut report = json!({
        "files": [], "alreadyThere": false, "reportId": "rpt_1", "serviceTenantId": "ten_a1", "tool": "ScubaGear",
        "reportType": "BASELINE", "completedAt": "2026-07-01T00:00:00.000Z", "score": 91, "grade": "A",
        "previousScore": null, "controls": baseline_report("2026-07-01T00:00:00.000Z")["controls"], "issues": [],
        "leftOut": [],
    });
    report[list] = entries.into();
    ImportDetails { reports: vec![ImportedReport::deserialize(report).unwrap()], ..Default::default() }
}

#[tokio::test]
async fn of_a_list_of_a_report_that_is_too_long_the_first_entries_are_recorded() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let mut random = fastrand::Rng::with_seed(7);
    let texts: Vec<Value> =
        iter::repeat_with(|| iter::repeat_with(|| random.alphanumeric()).take(40).collect::<String>().into())
            .take(ENTRIES)
            .collect();
    let left_out: Vec<_> = texts.iter().map(|name| json!(["X.1", name, "A reason"])).collect();
    for (list, entries) in [("issues", &texts), ("leftOut", &left_out), ("files", &texts)] {
        let id = app.org_a.writer().record_import(1, &with(list, entries)).await.unwrap();
        let recorded = organization.import(&id, later()).await.unwrap().unwrap().details;
        assert!(recorded == with(list, &entries[..RECORDED]), "{list}");
    }
}
