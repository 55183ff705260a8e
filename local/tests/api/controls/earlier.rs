//! Organizations whose reports an earlier release wrote: responses are complete before their results are collected.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use store::{FORMAT, Upgrade};

use super::list::{report, version};
use crate::support::TestApp;

type Item = HashMap<String, AttributeValue>;

fn is_of_kind(item: &Item, kinds: &[&str]) -> bool {
    kinds.contains(&item["sk"].as_s().unwrap().split('#').next().unwrap())
}

/// Returns both lists of the first organization, and the last page of the second one.
async fn read(app: &TestApp) -> [Value; 3] {
    let client = app.org_a();
    let page = async |query: &str| client.get(&format!("/v1/controls{query}")).await.success();
    let first = page("/X.1?limit=1").await;
    let last = page(&format!("/X.1?limit=1&cursor={}", first["nextCursor"].as_str().unwrap_or_default())).await;
    [page("").await, page("/X.1").await, last]
}

#[tokio::test]
async fn results_are_taken_from_the_reports_until_an_upgrade_has_collected_them() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report(first, "rpt_1", &report("2026-06-01T00:00:00.000Z", "OPEN")).await;
    app.org_a.add_report(second, "rpt_2", &report("2026-07-01T00:00:00.000Z", "SECURE")).await;
    let expected = read(&app).await;
    let of_results = app.items().await.into_iter().filter(|item| is_of_kind(item, &["CONTROLS", "RESULTS"]));
    for item in of_results {
        app.delete(&item).await;
    }
    assert_eq!(read(&app).await, expected);
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);

    let operator = app.app.store.as_operator();
    let collected = |collected| Upgrade { collected, ..Upgrade::default() };
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap(), collected(2));
    assert_eq!(version(&app).await, 2, "it has controls, and is complete");
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap(), collected(0));
    assert_eq!(read(&app).await, expected);
    assert_eq!(app.items().await.iter().filter(|item| is_of_kind(item, &["RESULTS"])).count(), 2);

    // After a return to the earlier release: it imported a report, and deleted the last one of a tenant.
    let of_results: Vec<_> = app.items().await.into_iter().filter(|item| is_of_kind(item, &["RESULTS"])).collect();
    app.org_a.add_report(first, "rpt_3", &report("2026-07-03T00:00:00.000Z", "SECURE")).await;
    app.org_a.writer().delete_report(&"rpt_2".parse().unwrap()).await.unwrap();
    let expected = read(&app).await;
    for item in of_results {
        app.put(item).await;
    }
    assert_ne!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap(), collected(1));
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
    let [list, ..] = read(&app).await;
    assert_eq!(list, expected[0]);
}

#[tokio::test]
async fn an_upgrade_goes_on_after_a_report_that_cannot_be_read_and_leaves_the_results_incomplete() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report(first, "rpt_1", &report("2026-06-01T00:00:00.000Z", "OPEN")).await;
    app.org_a.add_report(second, "rpt_2", &report("2026-07-01T00:00:00.000Z", "SECURE")).await;
    let items = app.items().await;
    for item in items.iter().filter(|item| is_of_kind(item, &["CONTROLS", "RESULTS"])) {
        app.delete(item).await;
    }
    let intact = items.iter().find(|item| is_of_kind(item, &["REPORT"])).unwrap();
    let mut damaged = intact.clone();
    damaged.insert("crc32".to_owned(), AttributeValue::N("1".to_owned()));
    app.put(damaged).await;
    let operator = app.app.store.as_operator();
    let done = operator.upgrade(None, |_| {}).await.unwrap();
    assert_eq!(done, Upgrade { rewritten: 0, collected: 1, unreadable: 1 });
    app.org_a().get("/v1/controls").await.failure(500, "INTERNAL_ERROR");
    app.put(intact.clone()).await;
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap(), Upgrade { collected: 1, ..Upgrade::default() });
    assert_eq!(app.org_a().get("/v1/controls").await.success()["totalControls"], 4);
    assert!(app.items().await.iter().all(|item| item["v"].as_n() == Ok(&FORMAT.to_string())));
}
