//! Targets of notifications: what is sent to them, when, where to, and where not.

mod bus;
mod chat;
mod delivery;
mod faults;
mod hostile;
mod isolation;
mod mail;
mod page;
mod quiet;
mod receiver;
mod retries;
mod ses;

use std::sync::Arc;

use deliver::{Client, Internet, Reach};
use local::Notifications;
use model::{EventRules, TargetShape, TargetUrl};
use serde_json::Value;
use store::{CreatedTarget, Organization};

use crate::support::{DASHBOARD, TestApp, by_operator, follow_up_report, time};
use receiver::Receiver;

/// Address of the API in links.
const API: &str = "https://api.example";
/// The time of the changes.
const NOW: &str = "2026-07-02T00:00:00Z";

/// Returns the notifications of the service, which also reach this machine.
fn notifications(app: &TestApp) -> Notifications {
    let client = Client::new(Arc::new(Internet), Reach::AndThisMachine).unwrap();
    Notifications::of(app.app.store.clone(), client, DASHBOARD, API)
}

/// Adds a target before all changes.
async fn add(organization: &Organization, url: &TargetUrl, rules: EventRules) -> CreatedTarget {
    let writer = by_operator(organization, time("2026-07-01T00:00:00Z"));
    writer.add_target("Tickets".parse().unwrap(), url.clone(), TargetShape::Webhook, rules).await.unwrap()
}

/// Returns all events of the API.
async fn listed(app: &TestApp, key: &str) -> Vec<Value> {
    let response = app.with_key(key).get("/v1/events?limit=500").await;
    response.success()["events"].as_array().unwrap().clone()
}

/// Adds two reports of a tenant. In the second, controls have drifted, one of them of low severity.
async fn add_reports(app: &TestApp) {
    let mut reports = [follow_up_report("2026-06-01T00:00:00Z"), follow_up_report("2026-07-01T00:00:00Z")];
    for (number, check) in reports[0]["checks"].as_array_mut().unwrap().iter_mut().enumerate() {
        (check["status"], check["severity"]) = ("SECURE".into(), if number == 0 { "LOW" } else { "CRITICAL" }.into());
    }
    let checks = reports[0]["checks"].clone();
    reports[1]["checks"] = checks;
    for check in reports[1]["checks"].as_array_mut().unwrap() {
        check["status"] = "DRIFTED".into();
    }
    for (id, report) in ["rpt_1", "rpt_2"].into_iter().zip(&reports) {
        app.org_a.add_report_at(time(NOW), "scubagear", &app.org_a.tenants[0], id, report).await;
    }
}
