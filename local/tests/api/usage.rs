//! `GET /v1/usage`.

use aws_sdk_dynamodb::Client;
use chrono::{Days, NaiveDate};
use collect::Worker;
use futures_util::{FutureExt, TryStreamExt};
use model::UsageTenant;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Store, StoreError, TenantError};

use crate::events::cost::capacity::Meter;
use crate::requests::Bench;
use crate::schedules::killed;
use crate::support::{TODAY, TestApp, TestOrganization, by_operator, time};

const PATH: &str = "/v1/usage";
const RECORDED: &str = "2026-07-15T03:00:00.000Z";

/// Returns the usage of a tenant, as the contract writes it.
pub(crate) fn usage(id: &str, status: &str, users: u32) -> Value {
    json!({
        "serviceTenantId": id,
        "providerTenantId": "ca08493a-c9c8-4db0-a9e8-d3b4bafac269",
        "onboardingDate": "2026-02-03",
        "displayName": format!("Name of {id}"),
        "service": "Monitoring",
        "isPaused": status == "Paused",
        "firstBillableDate": "2026-03-01",
        "billableStatus": status,
        "totalLicensedUsers": users,
        "billableUsersThisMonth": users / 2,
        "proratingPercentageThisMonth": 51.5,
    })
}

pub(crate) async fn record(organization: &TestOrganization, as_of: NaiveDate, tenants: &[Value]) {
    let tenants: Vec<_> = tenants.iter().map(|tenant| UsageTenant::deserialize(tenant).unwrap()).collect();
    by_operator(&organization.organization, time(RECORDED)).record_usage(as_of, &tenants).await.unwrap();
}

/// Returns the units of one collected tenant in an organization whose usage of the day has so many rows.
async fn units_of_a_collected_tenant(rows: usize) -> f64 {
    let bench = Bench::new().await;
    let rows: Vec<_> = (0..rows).map(|number| usage(&format!("ten_{number}"), "Active", 1)).collect();
    record(&bench.app.org_a, TODAY, &rows).await;
    let meter = Meter::default();
    let client = bench.app.engine.client().config().to_builder().interceptor(meter.clone()).build();
    let worker = Worker { store: Store::new(Client::from_conf(client), "posture"), ..bench.worker() };
    worker.work(&bench.request().await, None).boxed().await.unwrap();
    let body = bench.app.org_a().get(PATH).await.success();
    assert_eq!(body["totalTenants"], rows.len() + 1);
    meter.take().units
}

#[tokio::test(start_paused = true)]
async fn a_collected_tenant_costs_as_much_in_a_large_organization_as_in_a_small_one() {
    let [small, large] = [units_of_a_collected_tenant(2).await, units_of_a_collected_tenant(100).await];
    eprintln!("{small} units, of which no single reads");
    assert_eq!(small, large);
}

#[tokio::test(start_paused = true)]
async fn a_collected_tenant_is_billed_by_the_terms_that_were_recorded_last() {
    let bench = Bench::new().await;
    record(&bench.app.org_a, TODAY, &[usage("ten_a1", "NFR", 1)]).await;
    bench.worker().work(&bench.request().await, None).boxed().await.unwrap();
    let body = bench.app.org_a().get(PATH).await.success();
    let row = ["serviceTenantId", "billableStatus", "firstBillableDate"].map(|field| &body["tenants"][0][field]);
    assert_eq!(row, ["ten_a1", "NFR", "2026-03-01"]);
}

fn days_ago(days: u64) -> NaiveDate {
    TODAY - Days::new(days)
}

#[tokio::test]
async fn every_field_of_usage_exists_under_its_name() {
    let app = TestApp::new().await;
    let tenants = [
        usage("ten_a1", "Trial", 0),
        usage("ten_a2", "Active", 11),
        usage("ten_a3", "Paused", 5),
        usage("ten_a4", "NFR", 4),
    ];
    record(&app.org_a, TODAY, &tenants).await;
    let expected = json!({
        "asOf": "2026-07-15",
        "reportGeneratedAt": RECORDED,
        "organizationName": "Organization A",
        "tenants": tenants,
        "totalTenants": 4,
    });
    let response = app.org_a().get(PATH).await;
    assert_eq!(response.success(), expected);
    assert_eq!(response.header("vary"), Some("Accept-Encoding"));
}

#[tokio::test]
async fn the_date_chooses_the_newest_usage_on_or_before_it_and_is_today_unless_given() {
    let app = TestApp::new().await;
    record(&app.org_a, days_ago(1), &[usage("ten_a1", "Active", 1)]).await;
    record(&app.org_a, days_ago(10), &[usage("ten_a1", "Active", 10)]).await;
    record(&app.org_a, days_ago(20), &[]).await;
    for (query, as_of, tenants) in [
        ("", "2026-07-14", 1),
        ("?asOf=2026-07-15", "2026-07-14", 1),
        ("?asOf=2026-07-14", "2026-07-14", 1),
        ("?asOf=2026-07-13", "2026-07-05", 1),
        ("?asOf=2026-07-05", "2026-07-05", 1),
        ("?asOf=2026-06-30", "2026-06-25", 0),
    ] {
        let response = app.org_a().get(&format!("{PATH}{query}")).await.success();
        assert_eq!((&response["asOf"], &response["totalTenants"]), (&json!(as_of), &json!(tenants)), "{query}");
    }
    let before = app.org_a().get(&format!("{PATH}?asOf=2026-06-24")).await.failure(404, "NOT_FOUND");
    assert_eq!(
        before["details"],
        "No usage is recorded for this date or any before it. Ask for a later date, or the operator to record usage."
    );
}

#[tokio::test]
async fn without_usage_there_is_nothing_to_return() {
    let app = TestApp::new().await;
    record(&app.org_b, TODAY, &[usage("ten_b1", "Active", 1)]).await;
    for query in ["", "?asOf=2026-06-24"] {
        let error = app.org_a().get(&format!("{PATH}{query}")).await.failure(404, "NOT_FOUND");
        assert_eq!(error["details"], "No usage is recorded yet. Ask the operator to record it.", "{query}");
    }
}

#[tokio::test]
async fn a_bad_or_future_date_is_refused_by_name() {
    let app = TestApp::new().await;
    record(&app.org_a, TODAY, &[]).await;
    for value in
        ["2026-07-16", "9999-12-31", "2026-7-1", "2026-02-30", "today", "2026-07-15T00:00:00Z", "20260715", "", "%ff"]
    {
        let error = app.org_a().get(&format!("{PATH}?asOf={value}")).await.failure(400, "INVALID_REQUEST");
        assert!(error["details"].as_str().unwrap().contains("asOf must"), "{value:?}: {error}");
    }
    app.org_a().get(&format!("{PATH}?asOf=2026-07-15&asOf=2026-07-15")).await.failure(400, "INVALID_REQUEST");
}

#[tokio::test]
async fn the_usage_of_past_days_stays_when_a_tenant_is_removed() {
    let app = TestApp::new().await;
    record(&app.org_a, TODAY, &[usage("ten_a1", "Active", 1)]).await;
    app.org_a.remove_tenant(&app.org_a.tenants[0]).await;
    assert_eq!(app.org_a().get(PATH).await.success()["tenants"][0]["serviceTenantId"], "ten_a1");
}

#[tokio::test]
async fn usage_recorded_again_replaces_the_earlier_one() {
    let app = TestApp::new().await;
    record(&app.org_a, TODAY, &[usage("ten_a1", "Active", 1), usage("ten_a2", "Active", 2)]).await;
    record(&app.org_a, TODAY, &[usage("ten_a2", "Paused", 0)]).await;
    let response = app.org_a().get(PATH).await.success();
    assert_eq!((&response["tenants"], &response["totalTenants"]), (&json!([usage("ten_a2", "Paused", 0)]), &json!(1)));
}

#[tokio::test]
async fn usage_that_is_replaced_while_it_is_read_does_not_pass_for_all_of_it() {
    let app = TestApp::new().await;
    record(&app.org_a, TODAY, &[usage("ten_a1", "Active", 1), usage("ten_a2", "Active", 2)]).await;
    let read = app.org_a.organization.usage(TODAY).await.unwrap().unwrap();
    record(&app.org_a, TODAY, &[usage("ten_a2", "Paused", 0)]).await;
    assert!(matches!(read.tenants.try_concat().await, Err(StoreError::Contended(_))));
}

#[tokio::test]
async fn the_row_of_a_tenant_is_added_once_or_replaced() {
    let app = TestApp::new().await;
    record(&app.org_a, TODAY, &[usage("ten_a1", "Active", 1)]).await;
    let version = async || {
        let day = app.items().await.into_iter().find(|item| item["sk"].as_s().unwrap().starts_with("USAGEDAY#"));
        day.unwrap()["version"].as_n().unwrap().parse::<u64>().unwrap()
    };
    let (later, first) = ("2026-07-15T04:00:00.000Z", version().await);
    let writer = by_operator(&app.org_a.organization, time(later));
    for users in [2, 4] {
        let row = usage("ten_a2", "Active", users);
        assert!(writer.record_usage_of_tenant(TODAY, &UsageTenant::deserialize(&row).unwrap()).await.unwrap());
        let body = app.org_a().get(PATH).await.success();
        assert_eq!((&body["totalTenants"], &body["reportGeneratedAt"]), (&json!(2), &json!(later)));
        assert_eq!((&body["tenants"][1], version().await), (&row, first + u64::from(users / 2)));
        assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
    }
    let unknown = UsageTenant::deserialize(usage("ten_unknown", "Active", 1)).unwrap();
    let refused = writer.record_usage_of_tenant(TODAY, &unknown).await;
    assert!(matches!(refused, Err(TenantError::NotFound(_))));
}

#[tokio::test]
async fn the_row_of_a_tenant_is_recorded_whatever_row_comes_between() {
    let app = TestApp::new().await;
    let writer = by_operator(&app.org_a.organization, time(RECORDED));
    let [own, other] = ["ten_a1", "ten_a2"].map(|id| UsageTenant::deserialize(usage(id, "Active", 1)).unwrap());
    for polls in 1.. {
        record(&app.org_a, TODAY, &[]).await;
        let mut recording = Box::pin(writer.record_usage_of_tenant(TODAY, &own));
        if killed(polls, recording.as_mut()).await {
            break;
        }
        assert!(writer.record_usage_of_tenant(TODAY, &other).await.unwrap());
        assert!(recording.await.unwrap(), "after {polls} polls");
        assert_eq!(app.org_a().get(PATH).await.success()["totalTenants"], 2);
    }
}

#[tokio::test]
async fn a_list_of_several_pages_is_complete() {
    let app = TestApp::new().await;
    let tenants: Vec<_> = (0..25)
        .map(|number| {
            let mut tenant = usage(&format!("ten_p{number:02}"), "Active", number);
            tenant["displayName"] = "x".repeat(100_000).into();
            tenant
        })
        .collect();
    record(&app.org_a, TODAY, &tenants).await;
    let response = app.org_a().get(PATH).await.success();
    assert!(response["tenants"] == Value::from(tenants), "each occurs once, in order");
    assert_eq!(response["totalTenants"], 25);
}
