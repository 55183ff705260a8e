//! Stale tenants: told of once, when no report has come for days, until the next one.

use model::{Admin, EventKind, Schedule, TargetShape, Timestamp};
use operations::Queues;
use schedule::Scheduler;
use serde_json::{Value, json};
use store::{AdminWriter, AuditAction};

use crate::support::{TestApp, baseline_report, time};

/// The last report of the tenant.
const REPORT: &str = "2026-06-01T00:00:00Z";

fn admin(app: &TestApp, at: &str) -> AdminWriter {
    app.org_a.organization.by_admin(&Admin::operator(), time(at))
}

pub(crate) async fn round(app: &TestApp, at: &str) {
    let scheduler = Scheduler { store: app.app.store.clone(), queues: Queues::default() };
    scheduler.handle(time(at)).await.unwrap();
}

async fn add_report(app: &TestApp, id: &str, completed_at: &str) {
    app.org_a.add_report(&app.org_a.tenants[0], id, &baseline_report(completed_at)).await;
}

/// Returns the events that tell of stale tenants: their times and their last reports.
async fn told(app: &TestApp) -> Vec<(String, Value)> {
    let response = app.with_key(&app.org_a.key).get("/v1/events?limit=500&kind=tenant.stale").await;
    let events = response.success()["events"].as_array().unwrap().clone();
    for event in &events {
        assert_eq!(event["tenant"]["serviceTenantId"], app.org_a.tenants[0].as_str());
    }
    events
        .iter()
        .map(|event| (event["occurredAt"].as_str().unwrap().to_owned(), event["report"]["id"].clone()))
        .collect()
}

pub(crate) async fn next_at(app: &TestApp) -> Option<Timestamp> {
    app.org_a.organization.schedules().await.unwrap().unwrap().next_at
}

/// Returns a service that looks for stale tenants, with a report of one tenant.
async fn watched() -> TestApp {
    let app = TestApp::new().await;
    add_report(&app, "rpt_1", REPORT).await;
    admin(&app, "2026-06-02T00:00:00Z").set_stale_after(14.try_into().unwrap()).await.unwrap();
    round(&app, "2026-06-02T00:00:00Z").await;
    app
}

#[tokio::test]
async fn a_tenant_that_reported_is_told_to_be_stale_once_until_its_next_report() {
    let app = watched().await;
    assert_eq!(next_at(&app).await, Some(time("2026-06-08T12:00:00Z")), "when the week is made");
    round(&app, "2026-06-14T23:59:59Z").await;
    assert_eq!(told(&app).await, []);
    for at in ["2026-06-15T00:00:00Z", "2026-06-15T00:05:00Z", "2026-07-14T00:00:00Z"] {
        round(&app, at).await;
        assert_eq!(told(&app).await, [("2026-06-15T00:00:00.000Z".to_owned(), json!("rpt_1"))], "{at}");
    }
    let tenant = async || app.org_a.organization.tenant(&app.org_a.tenants[0]).await.unwrap().unwrap();
    assert!(tenant().await.is_told_stale());
    // An older run ends nothing.
    add_report(&app, "rpt_0", "2026-05-01T00:00:00Z").await;
    assert!(tenant().await.is_told_stale());
    add_report(&app, "rpt_2", "2026-07-14T00:00:00Z").await;
    assert!(!tenant().await.is_told_stale());
    round(&app, "2026-07-28T00:00:00Z").await;
    let again = ("2026-07-28T00:00:00.000Z".to_owned(), json!("rpt_2"));
    assert_eq!(told(&app).await, [("2026-06-15T00:00:00.000Z".to_owned(), json!("rpt_1")), again]);
    let (trail, _) = app.org_a.organization.audit_trail(None, 100, time("2026-07-28T00:00:00Z")).await.unwrap();
    let entries: Vec<_> = trail.iter().filter(|entry| entry.action == AuditAction::TenantStale).collect();
    assert_eq!((entries.len(), &*entries[0].author_name), (2, "The service"));
    assert_eq!(entries[0].changes[0].after.as_deref(), Some("2026-07-14T00:00:00.000Z"));
    assert_eq!(app.org_b.organization.schedules().await.unwrap().unwrap().stale_after, None);
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_scheduled_tenant_is_stale_only_if_a_report_that_was_due_is_missing() {
    let app = watched().await;
    let [reported, never] = &app.org_a.tenants;
    let set = "2026-06-02T00:00:00Z";
    let (every, between) = ("monthly:30".parse().unwrap(), "00-01".parse().unwrap());
    let monthly = Schedule { every, between, since: time(set) };
    admin(&app, set).schedule_tenant(reported, Some(monthly)).await.unwrap();
    round(&app, "2026-06-30T06:00:00Z").await;
    assert_eq!(told(&app).await, [], "the report of the month may still come");
    round(&app, "2026-06-30T07:00:00Z").await;
    assert_eq!(told(&app).await.len(), 1);
    // Without a report, the days begin with the schedule.
    let daily = Schedule { every: "daily".parse().unwrap(), ..monthly };
    admin(&app, set)
        .schedule_tenant(never, Some(Schedule { since: time("2026-07-01T12:00:00Z"), ..daily }))
        .await
        .unwrap();
    let is_told = async || app.org_a.organization.tenant(never).await.unwrap().unwrap().is_told_stale();
    round(&app, "2026-07-15T11:59:59Z").await;
    assert!(!is_told().await);
    round(&app, "2026-07-15T12:00:00Z").await;
    assert!(is_told().await);
}

#[tokio::test]
async fn a_paused_tenant_is_not_stale_and_begins_anew_when_it_is_resumed() {
    let app = watched().await;
    let [tenant, never] = &app.org_a.tenants;
    admin(&app, "2026-06-10T00:00:00Z").pause_tenant(tenant, true).await.unwrap();
    round(&app, "2026-07-01T00:00:00Z").await;
    admin(&app, "2026-07-02T00:00:00Z").pause_tenant(tenant, false).await.unwrap();
    // It is not paused, so this changes nothing.
    admin(&app, "2026-07-05T00:00:00Z").pause_tenant(tenant, false).await.unwrap();
    round(&app, "2026-07-15T23:59:59Z").await;
    assert_eq!(told(&app).await, []);
    round(&app, "2026-07-16T00:00:00Z").await;
    assert_eq!(told(&app).await.len(), 1);
    assert_eq!(
        app.org_a.organization.tenant(never).await.unwrap().unwrap().stale_since,
        None,
        "nothing is expected of it"
    );
}

#[tokio::test]
async fn who_begins_to_be_told_hears_nothing_of_tenants_that_were_stale_before() {
    let app = TestApp::new().await;
    add_report(&app, "rpt_1", REPORT).await;
    round(&app, "2026-07-06T00:00:00Z").await;
    assert_eq!(told(&app).await.len(), 1, "also without a target");
    let url = "https://hooks.example".parse().unwrap();
    let writer = admin(&app, "2026-09-01T00:00:00Z");
    writer.add_target("Tickets".parse().unwrap(), url, TargetShape::Webhook, Default::default()).await.unwrap();
    // A look makes a quarter of a year of the trend.
    for _ in 0..4 {
        round(&app, "2026-09-01T00:00:01Z").await;
    }
    assert_eq!(told(&app).await.len(), 1);
    assert_eq!(next_at(&app).await, Some(time("2026-09-07T12:00:00Z")), "when the week is made");
    add_report(&app, "rpt_2", "2026-09-02T00:00:00Z").await;
    round(&app, "2026-10-06T00:00:01Z").await;
    assert_eq!(next_at(&app).await, Some(time("2026-10-07T00:00:00Z")));
}

#[tokio::test]
async fn rounds_at_once_and_a_report_meanwhile_tell_once_or_not_at_all() {
    let app = watched().await;
    let tenant = app.org_a.organization.tenant(&app.org_a.tenants[0]).await.unwrap().unwrap();
    let writer = admin(&app, "2026-06-20T00:00:00Z");
    let rounds = [writer.tell_stale(&tenant), writer.tell_stale(&tenant), writer.tell_stale(&tenant)];
    let told_by: Vec<_> = futures_util::future::join_all(rounds).await.into_iter().map(Result::unwrap).collect();
    assert_eq!((told_by.iter().filter(|told| **told).count(), told(&app).await.len()), (1, 1));
    let seen = app.org_a.organization.tenant(&app.org_a.tenants[0]).await.unwrap().unwrap();
    assert_eq!(seen.version, tenant.version + 1);
    add_report(&app, "rpt_2", "2026-06-20T00:00:00Z").await;
    assert!(!writer.tell_stale(&seen).await.unwrap());
    let kinds = [EventKind::TenantStale].into();
    let rules = model::EventRules { kinds, ..Default::default() };
    let since = time("2026-06-10T00:00:00Z");
    let selected =
        operations::notifications::selected(&app.org_a.organization, &rules, since, None, time("2026-07-01T00:00:00Z"));
    assert_eq!(selected.await.unwrap().len(), 1, "the preview of a rule has it");
}
