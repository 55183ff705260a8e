//! An organization after ten years of weekly reports: what it takes in the table, and what reads of it cost.

use std::collections::BTreeMap;
use std::time::Instant;

use aws_sdk_dynamodb::types::AttributeValue;
use model::ServiceTenantId;
use operations::retention;
use serde_json::Value;

use crate::copies::{Times, fill};
use crate::faults::{FaultyStore, LimitedStore};
use crate::support::{Client, TestApp, follow_up_report, large_report, tenant, time};

const WEEK: i64 = 7 * 24 * 3600;

/// Returns a number from the environment: 100 tenants and 520 weeks are a hundredth of ten years of 10,000 tenants.
fn scale(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |number| number.parse().unwrap())
}

/// Returns a follow-up of a size that is common: about 85 KB of JSON, stored in 15 KB.
fn report(completed_at: &str, number: usize) -> Value {
    let mut random = fastrand::Rng::with_seed(number as u64);
    let mut report = follow_up_report(completed_at);
    report["checks"] = large_report(completed_at, number)["checks"].clone();
    for check in report["checks"].as_array_mut().unwrap() {
        let state: String = std::iter::repeat_with(|| random.lowercase()).take(110).collect();
        check["currentState"] = format!("{} {state}", check["currentState"].as_str().unwrap()).into();
    }
    report
}

/// Returns the number of bytes that DynamoDB counts for an item.
fn size_of(item: &std::collections::HashMap<String, AttributeValue>) -> usize {
    item.iter().map(|(name, value)| name.len() + size_of_value(value)).sum()
}

fn size_of_value(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.len() / 2 + 1,
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::M(fields) => {
            3 + fields.iter().map(|(name, of)| name.len() + size_of_value(of) + 1).sum::<usize>()
        }
        AttributeValue::L(values) => 3 + values.iter().map(|value| size_of_value(value) + 1).sum::<usize>(),
        _ => 1,
    }
}

/// Prints the number and the size of the items of each kind, and returns the size of all.
async fn sizes(app: &TestApp) -> usize {
    // A scan of the engine looks for each of its pages from the start, and a query without a limit reads to the end.
    let query = app.engine.client().query().table_name("posture").limit(200).key_condition_expression("pk = :pk");
    let organization = AttributeValue::S(format!("ORG#{}", app.org_a.organization.id()));
    let pages = query.expression_attribute_values(":pk", organization).into_paginator().send();
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut pages = std::pin::pin!(pages);
    while let Some(page) = pages.try_next().await.unwrap() {
        for item in page.items() {
            let kind = item["sk"].as_s().unwrap().split('#').next().unwrap().to_owned();
            let (items, bytes) = kinds.entry(kind).or_default();
            (*items, *bytes) = (*items + 1, *bytes + size_of(item));
        }
    }
    for (kind, (items, bytes)) in &kinds {
        eprintln!("{kind}: {items} items, {:.1} MB", *bytes as f64 / 1e6);
    }
    kinds.values().map(|(_, bytes)| bytes).sum()
}

/// Prints what a request takes, and returns its read units and the response.
async fn measured(limited: &LimitedStore, client: &Client, path: &str) -> (f64, Value) {
    let (before, began) = (limited.read_units(), Instant::now());
    let response = client.get_gzip(path).await;
    let took = began.elapsed();
    let units = limited.read_units() - before;
    eprintln!("{path}: {} ms, {units} read units, {:.2} MB", took.as_millis(), response.body.len() as f64 / 1e6);
    assert_eq!(response.status, 200, "{path}");
    (units, serde_json::from_slice(&response.gunzipped()).unwrap())
}

/// Returns the most memory of this process since the last call, and what it has now, in MB. `None` where the system does
/// not say.
fn memory() -> Option<[usize; 2]> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let megabytes = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        Some(line.split_ascii_whitespace().nth(1)?.parse::<usize>().ok()? / 1000)
    };
    let seen = [megabytes("VmHWM")?, megabytes("VmRSS")?];
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    Some(seen)
}

fn count(body: &Value) -> usize {
    body["reports"].as_array().unwrap().len()
}

#[tokio::test]
async fn ten_years_of_reports_are_read_for_what_is_shown() {
    let (tenants, weeks) = (scale("TEN_YEARS_TENANTS", 3), scale("TEN_YEARS_WEEKS", 60));
    let app = TestApp::new().await;
    let ids: Vec<ServiceTenantId> = (0..tenants).map(|number| format!("ten_{number:0>32}").parse().unwrap()).collect();
    for id in &ids {
        app.org_a.add_tenant(&tenant(id, "Tenant")).await;
    }
    // One tenant after another within each week, so that all weeks end on the same days.
    let times = Times { first: time("2016-07-18T00:00:00Z"), step: WEEK / tenants as i64 };
    fill(&app, &ids, tenants * weeks, &times, report).await;
    let bytes = sizes(&app).await;
    let each = bytes / (tenants * weeks);
    eprintln!("{} reports, {:.1} MB, {each} bytes for each", tenants * weeks, bytes as f64 / 1e6);

    let limited = LimitedStore::over(&app.engine).await;
    let client = FaultyStore::client_of(&limited.store, &app);
    let one = &ids[0];
    let (units, newest) = measured(&limited, &client, "/v1/posture-reports?latestOnly=false&limit=100").await;
    assert_eq!(count(&newest), 100);
    // A report takes two units at half price, and its pointer a part of one.
    assert!(units < 100.0 * 3.0 + 10.0, "{units} for 100 reports");
    let (_, latest) = measured(&limited, &client, "/v1/posture-reports").await;
    assert_eq!(count(&latest), tenants.min(100));
    measured(&limited, &client, "/v1/posture-reports?latestOnly=false&limit=500").await;
    let own = format!("/v1/posture-reports?latestOnly=false&tenantId={one}&limit=500");
    assert_eq!(count(&measured(&limited, &client, &own).await.1), weeks.min(500));
    let summaries = format!("/v1/report-summaries?latestOnly=false&tenantId={one}&limit=500");
    let (units, _) = measured(&limited, &client, &summaries).await;
    assert!(units < weeks.min(500) as f64 / 2.0 + 10.0, "{units} for summaries");
    measured(&limited, &client, "/v1/report-summaries?latestOnly=false&limit=500").await;

    let organization = limited.store.organization(app.org_a.organization.id());
    let (before, began) = (memory(), Instant::now());
    let inspection = organization.inspect().await.unwrap();
    // Copies have the bodies of other times, so each of them is one that is found.
    assert_eq!(inspection.reports, tenants * weeks);
    assert!(inspection.discrepancies.len() <= tenants * weeks, "{:?}", inspection.discrepancies.last());
    if let (Some([_, before]), Some([peak, _])) = (before, memory()) {
        eprintln!("an inspection: {} ms, {} MB more memory at its peak", began.elapsed().as_millis(), peak - before);
    }
    let record = organization.tenant(one).await.unwrap().unwrap();
    let (before, began) = (limited.read_units(), Instant::now());
    let keeps = "12".parse().unwrap();
    let now = time("2026-07-15T00:00:00Z");
    let outdated = retention::outdated(&organization, record, keeps, now).await.unwrap();
    eprintln!(
        "retention of a tenant: {} of {weeks} reports are outdated, {} read units, {} ms",
        outdated.len(),
        limited.read_units() - before,
        began.elapsed().as_millis()
    );
    for report in &outdated {
        retention::delete(&app.org_a.organization, &report.report_id, now).await.unwrap();
    }
    let left = count(&measured(&limited, &client, &own).await.1);
    assert_eq!(left, (weeks - outdated.len()).min(500));
    eprintln!("{left} reports of the tenant are left");
}
