//! Accepted risks from report to report: who hears of them, and when they end.

use chrono::NaiveDate;
use model::{AcceptedRisk, Actor, Check, EventKind, ReportBody, ReportId, Status, Timestamp};
use operations::edits::NewestError;
use operations::edits::{self, CheckChange, EditOptions, Refusal, ReportEdit};
use operations::import::{Options, import_run};
use operations::risks;
use store::{AuditAction, AuditEntry, EventSelection, ReportSummary};

use crate::support::{World, at, options, run};
use Status::{NotAssessed, Open, Secure};

const CONTROL: &str = "MS.AAD.1.0";

fn now() -> Timestamp {
    options().imported_at
}

fn until(month: u32) -> AcceptedRisk {
    let until = NaiveDate::from_ymd_opt(2027, month, 1).unwrap();
    AcceptedRisk { reason: "New devices come in May.".to_owned(), until }
}

impl World {
    async fn accept(&self, risk: Option<AcceptedRisk>) -> Result<(), NewestError> {
        self.accept_in(&self.organization.newest_of_tools().await.unwrap(), risk).await
    }

    async fn accept_in(
        &self,
        reports: impl IntoIterator<Item = &ReportSummary>,
        risk: Option<AcceptedRisk>,
    ) -> Result<(), NewestError> {
        risks::accept(&self.organization, &Actor::operator(), reports, CONTROL, risk, now()).await.map(drop)
    }

    /// Imports the run of a month of 2027, and returns its report with the kinds of its events, without the score's.
    async fn month(&self, month: u32, results: &[Status]) -> (ReportBody, Vec<EventKind>) {
        let mut run = run(1, results);
        run.run_id = format!("run of month {month} of 2027");
        run.completed = Some(at(&format!("2027-{month:02}-01T00:00:00Z")));
        let imported_at = at(&format!("2027-{month:02}-02T00:00:00Z"));
        let options = Options::at(imported_at);
        let imported = import_run(&self.organization, &Actor::operator(), &run, &options).await.unwrap();
        let report = self.organization.report(&imported.report_id).await.unwrap().unwrap();
        let all = EventSelection { limit: 1_000, ..EventSelection::default() };
        let events = self.organization.events(&all, imported_at).await.unwrap().events;
        let events = events.into_iter().filter(|event| event.occurred_at == imported_at);
        let kinds = events.map(|event| event.kind).filter(|kind| *kind != EventKind::ScoreDropped);
        (report.open().unwrap().body, kinds.collect())
    }

    /// Keeps a text of the control.
    async fn keep_text(&self, report: &ReportId) {
        let change = CheckChange { why: Some("It matters.".to_owned()), ..CheckChange::default() };
        let edit = ReportEdit::Check { control: CONTROL.to_owned(), change };
        let keep = EditOptions { keep: Some(true), ..EditOptions::default() };
        edits::edit(&self.organization, &Actor::operator(), report, &edit, keep, now()).await.unwrap();
    }

    async fn kept_risks(&self) -> Vec<Option<AcceptedRisk>> {
        assert_eq!(self.organization.inspect().await.unwrap().discrepancies, []);
        let kept = self.organization.all_kept_edits().await.unwrap();
        kept.into_iter().map(|kept| kept.values.accepted_risk).collect()
    }

    async fn recorded(&self, action: AuditAction) -> Vec<AuditEntry> {
        let trail = self.organization.audit_trail(None, 100, at("2027-06-01T00:00:00Z")).await.unwrap().0;
        trail.into_iter().filter(|entry| entry.action == action).collect()
    }
}

fn risk(body: &ReportBody) -> Option<AcceptedRisk> {
    check(body).accepted_risk.clone()
}

fn check(body: &ReportBody) -> &Check {
    body.checks.iter().find(|check| check.control_id.as_str() == CONTROL).unwrap()
}

/// Returns the controls of the top risks, by their last digit.
fn top_risks(body: &ReportBody) -> String {
    body.top_risks.iter().map(|risk| &risk.control_id.as_str()[9..]).collect()
}

#[tokio::test]
async fn an_accepted_risk_is_in_each_report_until_a_run_finds_the_control_secure() {
    let world = World::new().await;
    world.import(&run(1, &[Open, Open, Secure])).await.unwrap();
    world.accept(Some(until(6))).await.unwrap();
    let newest = world.reports().await.remove(0).open().unwrap().body;
    assert_eq!((risk(&newest), check(&newest).status, newest.figures.score), (Some(until(6)), Open, 33));
    assert_eq!((newest.figures.controls.open, top_risks(&newest).as_str()), (2, "1"));

    let (next, kinds) = world.month(1, &[Open, Open, Secure]).await;
    assert_eq!((risk(&next), top_risks(&next).as_str()), (Some(until(6)), "1"));
    assert_eq!(kinds, [EventKind::ReportCompleted]);
    let (unknown, _) = world.month(2, &[NotAssessed, Open, Secure]).await;
    assert_eq!((risk(&unknown), world.kept_risks().await), (None, vec![Some(until(6))]));
    let (again, _) = world.month(3, &[Open, Open, Secure]).await;
    assert_eq!(risk(&again), Some(until(6)));

    let (fixed, kinds) = world.month(4, &[Secure, Open, Secure]).await;
    assert_eq!((risk(&fixed), world.kept_risks().await.len()), (None, 0));
    assert_eq!(kinds, [EventKind::ReportCompleted, EventKind::ControlFixed]);
    let ended = world.recorded(AuditAction::ReportAdded).await.remove(0).changes;
    let ended = ended.iter().find(|change| change.field == "MS.AAD.1.0 accepted risk").unwrap();
    assert_eq!(ended.before.as_deref(), Some("reason: New devices come in May., until: 2027-06-01"));
    assert_eq!(ended.after, None);
    let (drifted, kinds) = world.month(5, &[Open, Open, Secure]).await;
    assert_eq!((risk(&drifted), top_risks(&drifted).as_str()), (None, "10"));
    assert_eq!(kinds, [EventKind::ReportCompleted, EventKind::ControlDrifted], "a later failure is not hidden");
}

#[tokio::test]
async fn an_accepted_risk_ends_on_its_day() {
    let world = World::new().await;
    world.import(&run(1, &[Open, Open])).await.unwrap();
    world.accept(Some(until(3))).await.unwrap();
    assert_eq!(risk(&world.month(2, &[Open, Open]).await.0), Some(until(3)));
    let (over, kinds) = world.month(3, &[Open, Open]).await;
    assert_eq!((risk(&over), top_risks(&over).as_str(), kinds), (None, "10", vec![EventKind::ReportCompleted]));
    assert_eq!(world.kept_risks().await, []);
}

#[tokio::test]
async fn other_kept_values_outlive_a_risk_that_was_told_to_end() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Open, Open])).await.unwrap();
    world.accept(Some(until(3))).await.unwrap();
    world.keep_text(&first.report_id).await;
    let kept = async || world.organization.all_kept_edits().await.unwrap().remove(0);
    let service = world.organization.by(&Actor::service(), at("2027-02-20T00:00:00Z"));
    assert!(service.tell_expiring(&kept().await).await.unwrap());
    let told = kept().await;
    assert_eq!(check(&world.month(3, &[Open, Open]).await.0).why.as_deref(), Some("It matters."));
    let left = kept().await;
    assert_eq!((told.is_reminded, left.is_reminded), (true, false));
    assert_eq!((left.version, left.values.accepted_risk), (told.version + 1, None));
}

#[tokio::test]
async fn the_drift_of_an_accepted_risk_is_told_once_it_is_no_longer_accepted() {
    let world = World::new().await;
    world.import(&run(1, &[Open, Secure])).await.unwrap();
    // The risk is accepted in the first report, after the second one found the control secure.
    let first = world.reports().await.remove(0).summary;
    world.month(1, &[Secure, Secure]).await;
    world.accept_in([&first], Some(until(3))).await.unwrap();
    let (drifted, kinds) = world.month(2, &[Open, Secure]).await;
    assert_eq!((risk(&drifted), kinds), (Some(until(3)), vec![EventKind::ReportCompleted]));
    let (over, kinds) = world.month(3, &[Open, Secure]).await;
    assert_eq!((risk(&over), kinds), (None, vec![EventKind::ReportCompleted, EventKind::ControlDrifted]));
    let (_, kinds) = world.month(4, &[Secure, Secure]).await;
    assert_eq!(kinds, [EventKind::ReportCompleted, EventKind::ControlFixed]);
}

#[tokio::test]
async fn ending_an_accepted_risk_leaves_other_kept_values() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Open, Open])).await.unwrap();
    world.accept(Some(until(6))).await.unwrap();
    world.keep_text(&first.report_id).await;
    let (next, _) = world.month(1, &[Open, Open]).await;
    assert_eq!((risk(&next), check(&next).why.as_deref()), (Some(until(6)), Some("It matters.")));

    world.accept(None).await.unwrap();
    let (after, _) = world.month(2, &[Open, Open]).await;
    assert_eq!((risk(&after), check(&after).why.as_deref()), (None, Some("It matters.")));
    assert_eq!(world.kept_risks().await, [None]);
    assert!(matches!(world.accept(None).await, Err(NewestError::Refused(Refusal::NotAccepted))));
    let of = async |action| world.recorded(action).await.len();
    assert_eq!((of(AuditAction::RiskAccepted).await, of(AuditAction::RiskAcceptanceEnded).await), (1, 1));
}

#[tokio::test]
async fn an_edit_to_secure_ends_the_accepted_risk() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Open, Open])).await.unwrap();
    world.accept(Some(until(6))).await.unwrap();
    let change = CheckChange { status: Some(Secure), ..CheckChange::default() };
    let edit = ReportEdit::Check { control: CONTROL.to_owned(), change };
    let (organization, options) = (&world.organization, EditOptions::default());
    edits::edit(organization, &Actor::operator(), &first.report_id, &edit, options, now()).await.unwrap();
    let body = world.reports().await.remove(0).open().unwrap().body;
    assert_eq!((risk(&body), world.kept_risks().await), (None, vec![]));
    assert!(matches!(world.accept(Some(until(6))).await, Err(NewestError::Refused(Refusal::NothingToAccept))));
}

#[tokio::test]
async fn a_risk_needs_a_reason_and_an_end_within_a_year() {
    let world = World::new().await;
    assert!(matches!(world.accept(Some(until(1))).await, Err(NewestError::NoReport)));
    world.import(&run(1, &[Open, Open])).await.unwrap();
    // Today is 1 June 2026.
    let with = |reason: &str, until: &str| AcceptedRisk { reason: reason.to_owned(), until: until.parse().unwrap() };
    for day in ["2026-05-31", "2026-06-01", "2027-06-02"] {
        let refused = world.accept(Some(with("It waits.", day))).await;
        assert!(matches!(refused, Err(NewestError::Refused(Refusal::BadEnd))), "{day}: {refused:?}");
    }
    for reason in ["", " \n", &"x".repeat(1_001), "a\u{202e}b"] {
        let refused = world.accept(Some(with(reason, "2027-06-01"))).await;
        assert!(matches!(refused, Err(NewestError::Refused(Refusal::BadReason))), "{reason}: {refused:?}");
    }
    assert_eq!(world.kept_risks().await, []);
    for day in ["2026-06-02", "2027-06-01"] {
        world.accept(Some(with(&format!(" {}\r\n", "é".repeat(1_000)), day))).await.unwrap();
    }
    assert_eq!(world.kept_risks().await, [Some(with(&"é".repeat(1_000), "2027-06-01"))]);
}
