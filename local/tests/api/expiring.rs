//! Accepted risks that end soon: told of once, 14 days before.

use model::{AcceptedRisk, Actor, EventKind, EventRules};
use operations::edits::{self, CheckChange, EditOptions, ReportEdit};
use operations::risks;
use serde_json::{Value, json};
use store::{AuditAction, KeptEdit};

use crate::stale::{next_at, round};
use crate::support::{DASHBOARD, TestApp, baseline_report, time};

const CONTROL: &str = "X.1";
pub(crate) const DUE: &str = "2026-07-06T00:00:00Z";

/// Returns a service with a risk that was accepted until 20 July.
pub(crate) async fn accepted() -> TestApp {
    let app = TestApp::new().await;
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &baseline_report("2026-06-01T00:00:00Z")).await;
    accept(&app, "2026-06-02T00:00:00Z", Some("2026-07-20")).await;
    app
}

async fn accept(app: &TestApp, at: &str, until: Option<&str>) {
    accept_of(app, CONTROL, at, until).await;
}

async fn accept_of(app: &TestApp, control: &str, at: &str, until: Option<&str>) {
    let organization = &app.org_a.organization;
    let newest = organization.newest_of_tools().await.unwrap();
    let risk = until.map(|until| AcceptedRisk { reason: "It is known.".to_owned(), until: until.parse().unwrap() });
    risks::accept(organization, &Actor::operator(), &newest, control, risk, time(at)).await.unwrap();
}

/// Keeps another value of the same control.
async fn keep_text(app: &TestApp, at: &str) {
    let change = CheckChange { why: Some("Another reason.".to_owned()), ..CheckChange::default() };
    let edit = ReportEdit::Check { control: CONTROL.to_owned(), change };
    let keep = EditOptions { keep: Some(true), ..EditOptions::default() };
    let report = "rpt_1".parse().unwrap();
    edits::edit(&app.org_a.organization, &Actor::operator(), &report, &edit, keep, time(at)).await.unwrap();
}

async fn told(app: &TestApp) -> Vec<Value> {
    let events = app.org_a().get("/v1/events?limit=500&kind=risk.expiring").await.success();
    events["events"].as_array().unwrap().clone()
}

async fn kept(app: &TestApp) -> Option<KeptEdit> {
    app.org_a.organization.kept_edits(&app.org_a.tenants[0]).await.unwrap().pop()
}

#[tokio::test]
async fn an_accepted_risk_is_told_once_14_days_before_its_end() {
    let app = accepted().await;
    assert_eq!(next_at(&app).await, Some(time("2026-02-03T04:05:06.789Z")), "it is looked at once");
    round(&app, "2026-06-02T00:00:01Z").await;
    assert_eq!(next_at(&app).await, Some(time("2026-06-08T12:00:00Z")), "when the week is made");
    round(&app, "2026-07-05T23:59:59Z").await;
    assert_eq!(told(&app).await, [] as [Value; 0]);
    round(&app, DUE).await;
    let events = told(&app).await;
    let [event] = &events[..] else { panic!("{events:?}") };
    let control = json!({ "id": CONTROL, "severity": null, "driftId": null, "acceptedUntil": "2026-07-20" });
    assert_eq!((&event["control"], &event["report"]["id"]), (&control, &json!("rpt_1")));
    let url = format!("{DASHBOARD}/tenants/{}/reports/rpt_1", app.org_a.tenants[0]);
    assert_eq!((&event["url"], &event["occurredAt"]), (&json!(url), &json!("2026-07-06T00:00:00.000Z")));

    // A kept edit of a text is no new acceptance, and a later end is one.
    keep_text(&app, "2026-07-07T00:00:00Z").await;
    round(&app, "2026-07-07T00:00:01Z").await;
    assert_eq!(told(&app).await.len(), 1);
    accept(&app, "2026-07-08T00:00:00Z", Some("2026-08-02")).await;
    round(&app, "2026-07-19T00:00:00Z").await;
    assert_eq!(told(&app).await[1]["control"]["acceptedUntil"], "2026-08-02");
    let (trail, _) = app.org_a.organization.audit_trail(None, 100, time("2026-07-20T00:00:00Z")).await.unwrap();
    let entry = trail.iter().find(|entry| entry.action == AuditAction::RiskExpiring).unwrap();
    assert_eq!((&*entry.author_name, &*entry.subject), ("The service", CONTROL));
    let rules = EventRules { kinds: [EventKind::RiskExpiring].into(), ..Default::default() };
    let (since, until) = (time(DUE), time("2026-07-20T00:00:00Z"));
    let selected = operations::notifications::selected(&app.org_a.organization, &rules, since, None, until);
    assert_eq!(selected.await.unwrap().len(), 2, "the preview of a rule has them");
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn the_severity_is_that_of_the_control() {
    let app = accepted().await;
    accept_of(&app, "X.3", "2026-06-02T00:00:00Z", Some("2026-07-20")).await;
    round(&app, DUE).await;
    let mut severities = told(&app).await.into_iter().map(|event| event["control"].clone()).collect::<Vec<_>>();
    severities.sort_by_key(|control| control["id"].to_string());
    let severities: Vec<_> = severities.iter().map(|control| (&control["id"], &control["severity"])).collect();
    assert_eq!(severities, [(&json!("X.1"), &Value::Null), (&json!("X.3"), &json!("MEDIUM"))]);
}

#[tokio::test]
async fn nothing_is_told_of_a_risk_that_ended_or_is_over_or_was_accepted_for_a_short_time() {
    for (at, until, from) in [
        ("2026-06-03T00:00:00Z", None, DUE),
        ("2026-07-01T00:00:00Z", Some("2026-07-15"), "2026-07-02T00:00:00Z"),
        ("2026-06-03T00:00:00Z", Some("2026-07-20"), "2026-07-20T00:00:00Z"),
    ] {
        let app = accepted().await;
        accept(&app, at, until).await;
        round(&app, from).await;
        assert_eq!(told(&app).await, [] as [Value; 0], "{at} {until:?}");
    }
    let app = accepted().await;
    app.org_a.remove_tenant(&app.org_a.tenants[0]).await;
    round(&app, DUE).await;
    assert_eq!(told(&app).await, [] as [Value; 0], "the tenant is removed");
}

#[tokio::test]
async fn accepting_a_risk_lets_the_organization_be_looked_at_unless_the_next_look_is_early_enough() {
    let app = accepted().await;
    round(&app, "2026-06-02T00:00:01Z").await;
    let next_look = "2026-06-08T12:00:00Z";
    for (until, next) in [("2026-06-23", next_look), ("2026-06-22", "2026-06-03T00:00:00Z")] {
        accept(&app, "2026-06-03T00:00:00Z", Some(until)).await;
        assert_eq!(next_at(&app).await, Some(time(next)), "{until}");
    }
}

#[tokio::test]
async fn rounds_at_once_tell_once_and_a_new_end_meanwhile_is_not_told() {
    let app = accepted().await;
    let seen = kept(&app).await.unwrap();
    let writer = app.org_a.organization.by(&Actor::service(), time(DUE));
    let rounds = [writer.tell_expiring(&seen), writer.tell_expiring(&seen), writer.tell_expiring(&seen)];
    let told_by: Vec<_> = futures_util::future::join_all(rounds).await.into_iter().map(Result::unwrap).collect();
    assert_eq!((told_by.iter().filter(|told| **told).count(), told(&app).await.len()), (1, 1));
    accept(&app, "2026-07-06T01:00:00Z", Some("2026-09-01")).await;
    assert!(!writer.tell_expiring(&seen).await.unwrap());
    assert!(!kept(&app).await.unwrap().is_reminded);
}

#[tokio::test]
async fn every_change_of_a_kept_edit_has_a_new_version_and_keeps_whether_its_risk_was_told() {
    let app = accepted().await;
    let state = async || {
        let kept = kept(&app).await.unwrap();
        (kept.version, kept.is_reminded, kept.values.accepted_risk.is_some())
    };
    assert_eq!(state().await, (1, false, true));
    keep_text(&app, "2026-06-03T00:00:00Z").await;
    assert_eq!(state().await, (2, false, true));
    round(&app, DUE).await;
    assert_eq!(state().await, (3, true, true));
    keep_text(&app, "2026-07-07T00:00:00Z").await;
    assert_eq!(state().await, (4, true, true));
    accept(&app, "2026-07-08T00:00:00Z", None).await;
    assert_eq!(state().await, (5, false, false));
}
