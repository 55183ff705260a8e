//! The counts are those of a recount from all full reports, after random changes.

use std::collections::BTreeMap;

use model::{Status, Wire};
use serde_json::{Value, json};

use crate::changes::Changes;
use crate::support::{Client, TestApp, time};

/// Tenants for which the risk is accepted are counted once more, under this.
const ACCEPTED: &str = "accepted";

/// Returns the number of random changes. `FLEET_CHANGES` overrides it.
fn changes() -> usize {
    std::env::var("FLEET_CHANGES").map_or(150, |number| number.parse().unwrap())
}

/// Tenants by control and result, or [`ACCEPTED`].
type Counts = BTreeMap<String, BTreeMap<String, u64>>;

/// Counts in the newest report of each tenant: all are of one tool.
async fn recounted(client: &Client) -> Counts {
    let reports = client.get("/v1/posture-reports?limit=500").await.success();
    assert_eq!(reports["nextCursor"], Value::Null);
    let mut counts = Counts::new();
    for check in reports["reports"].as_array().unwrap().iter().flat_map(|report| report["checks"].as_array().unwrap()) {
        let text = |field: &str| check[field].as_str().unwrap().to_owned();
        let of = counts.entry(text("controlId")).or_default();
        *of.entry(text("status")).or_default() += 1;
        if check["acceptedRisk"].is_object() {
            *of.entry(ACCEPTED.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Returns what the list says.
async fn listed(client: &Client) -> Counts {
    let fields = [
        ("secure", Status::Secure),
        ("fixed", Status::Fixed),
        ("inProgress", Status::InProgress),
        ("open", Status::Open),
        ("drifted", Status::Drifted),
        ("notAssessed", Status::NotAssessed),
    ];
    let list = client.get("/v1/controls").await.success();
    let mut counts = Counts::new();
    for control in list["controls"].as_array().unwrap() {
        let of = counts.entry(control["controlId"].as_str().unwrap().to_owned()).or_default();
        for (field, status) in fields {
            let number = control["tenants"][field].as_u64().unwrap();
            of.extend((number > 0).then(|| (Wire(status).to_string(), number)));
        }
        let accepted = control["acceptedRisks"].as_u64().unwrap();
        of.extend((accepted > 0).then(|| (ACCEPTED.to_owned(), accepted)));
    }
    counts
}

/// Returns the tenants of each control, by result.
async fn of_each(client: &Client, controls: impl Iterator<Item = &String>) -> Counts {
    let mut counts = Counts::new();
    for control in controls {
        let one = client.get(&format!("/v1/controls/{control}?limit=500")).await.success();
        let of = counts.entry(control.clone()).or_default();
        let tenants = one["tenants"].as_array().unwrap();
        for tenant in tenants {
            *of.entry(tenant["status"].as_str().unwrap().to_owned()).or_default() += 1;
            if tenant["acceptedUntil"].is_string() {
                *of.entry(ACCEPTED.to_owned()).or_default() += 1;
            }
        }
        assert_eq!(one["totalTenants"], json!(tenants.len()));
    }
    counts
}

#[tokio::test]
async fn counts_are_those_of_all_full_reports_after_random_changes() {
    let app = TestApp::new().await;
    let mut random = Changes::new(&app, time("2026-07-15T11:40:00Z"));
    let mut has_accepted = false;
    for change in 0..changes() {
        random.make(&app, change).await;
        if change % 10 == 0 {
            let expected = recounted(&app.org_a()).await;
            has_accepted |= expected.values().any(|of| of.contains_key(ACCEPTED));
            assert_eq!(listed(&app.org_a()).await, expected, "after change {change}");
        }
    }
    let expected = recounted(&app.org_a()).await;
    assert!(has_accepted, "risks were accepted");
    assert_eq!(listed(&app.org_a()).await, expected);
    assert_eq!(of_each(&app.org_a(), expected.keys()).await, expected);
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}
