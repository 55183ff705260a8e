//! Edits that are kept for later reports, and their effect on the next imports.

use model::{Actor, Check, ReportId, Status, Timestamp};
use operations::edits::{self, CheckChange, EditOptions, Refusal, ReportEdit};
use operations::import::{BaselineChoice, Imported};
use store::{AuditAction, EditError, EditedField};

use crate::support::{World, at, finding, options, run};

const CONTROL: &str = "MS.AAD.1.0";

fn edited_at() -> Timestamp {
    at("2026-06-01T00:00:00Z")
}

impl World {
    async fn edit(&self, report: &ReportId, change: CheckChange, keep: Option<bool>) -> Result<(), EditError<Refusal>> {
        let edit = ReportEdit::Check { control: CONTROL.to_owned(), change };
        let options = EditOptions { keep, ..EditOptions::default() };
        edits::edit(&self.organization, &Actor::operator(), report, &edit, options, edited_at()).await.map(drop)
    }

    /// Imports a run, and returns the check with kept edits and the fields that they set.
    async fn next(&self, month: u32, results: &[Status]) -> (Check, Vec<EditedField>, Imported) {
        let imported = self.import(&run(month, results)).await.unwrap();
        let stored = self.organization.report(&imported.report_id).await.unwrap().unwrap();
        let fields = stored.edits.iter().filter(|mark| mark.kept).flat_map(|mark| mark.fields.clone()).collect();
        let body = stored.open().unwrap().body;
        assert_eq!((body.figures.score, body.figures.controls), (imported.figures.score, imported.figures.controls));
        (body.checks.into_iter().find(|check| check.control_id.as_str() == CONTROL).unwrap(), fields, imported)
    }

    async fn kept(&self) -> usize {
        let kept = self.organization.kept_edits(&self.tenant).await.unwrap();
        assert_eq!(self.organization.inspect().await.unwrap().discrepancies, []);
        kept.len()
    }
}

fn in_progress() -> CheckChange {
    CheckChange { status: Some(Status::InProgress), ..CheckChange::default() }
}

#[tokio::test]
async fn a_kept_edit_is_applied_to_later_reports_and_its_status_ends_once_the_control_is_secure() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open, Status::Secure])).await.unwrap();
    let change = CheckChange {
        severity: Some(None),
        current_state: Some("Only of this run.".to_owned()),
        why: Some("The customer waits for devices.".to_owned()),
        ..in_progress()
    };
    world.edit(&first.report_id, change, Some(true)).await.unwrap();

    let (check, fields, imported) = world.next(2, &[Status::Open, Status::Secure]).await;
    assert_eq!((check.status, check.severity), (Status::InProgress, None));
    assert_eq!(check.why.as_deref(), Some("The customer waits for devices."));
    assert_eq!(check.current_state, "It is Open.", "every run finds the state anew");
    assert_eq!(fields, [EditedField::Status, EditedField::Severity, EditedField::Why]);
    assert_eq!((imported.figures.controls.in_progress, imported.figures.controls.open), (1, 0));

    let (check, fields, _) = world.next(3, &[Status::Secure, Status::Secure]).await;
    assert_eq!(check.status, Status::Fixed, "the baseline had it open");
    assert_eq!(fields, [EditedField::Severity, EditedField::Why]);
    let trail = world.organization.audit_trail(None, 100, options().imported_at).await.unwrap().0;
    let changes: Vec<_> = trail.iter().flat_map(|entry| &entry.changes).collect();
    let ended: Vec<_> = changes.iter().filter(|change| change.field == "MS.AAD.1.0 kept status").collect();
    assert_eq!((ended.len(), ended[0].before.as_deref(), &ended[0].after), (1, Some("IN_PROGRESS"), &None));

    let (check, fields, _) = world.next(4, &[Status::Open, Status::Secure]).await;
    assert_eq!(check.status, Status::Open, "a later failure is not covered up");
    assert_eq!((fields.len(), world.kept().await), (2, 1));
}

#[tokio::test]
async fn a_kept_status_alone_is_gone_once_it_ends() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open, Status::Open])).await.unwrap();
    world.edit(&first.report_id, in_progress(), Some(true)).await.unwrap();
    let (check, ..) = world.next(2, &[Status::NotAssessed, Status::Open]).await;
    assert_eq!((check.status, world.kept().await), (Status::NotAssessed, 1));
    let (check, ..) = world.next(3, &[Status::Secure, Status::Open]).await;
    assert_eq!((check.status, world.kept().await), (Status::Fixed, 0));
}

#[tokio::test]
async fn a_status_that_compares_stays_right() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Secure, Status::Secure])).await.unwrap();
    let second = world.import(&run(2, &[Status::Open, Status::Secure])).await.unwrap();
    assert_eq!(second.figures.controls.drifted, 1);
    let accepted = CheckChange { status: Some(Status::Secure), ..CheckChange::default() };
    world.edit(&second.report_id, accepted, Some(true)).await.unwrap();
    let (check, _, imported) = world.next(3, &[Status::Open, Status::Open]).await;
    assert_eq!((check.status, check.previous_state), (Status::Secure, None));
    assert_eq!((imported.figures.controls.secure, imported.figures.controls.drifted), (1, 1), "the other one drifted");
    assert_eq!(imported.figures.baseline.unwrap().id, first.report_id);

    // A baseline has neither fixed nor drifted results, kept or not.
    let drifted = CheckChange { status: Some(Status::Drifted), ..CheckChange::default() };
    world.edit(&imported.report_id, drifted, Some(true)).await.unwrap();
    let fresh = world.import_against(&run(4, &[Status::Open, Status::Open]), BaselineChoice::AsBaseline).await.unwrap();
    assert_eq!((fresh.figures.controls.open, fresh.figures.controls.drifted), (2, 0));
}

#[tokio::test]
async fn earlier_runs_and_other_revisions_are_left_alone() {
    let world = World::new().await;
    let third = world.import(&run(3, &[Status::Open, Status::Open])).await.unwrap();
    world.edit(&third.report_id, in_progress(), Some(true)).await.unwrap();
    let (check, ..) = world.next(2, &[Status::Open, Status::Open]).await;
    assert_eq!(check.status, Status::Open, "the run is earlier than the edit");
    let mut revised = run(4, &[Status::Open, Status::Open]);
    revised.findings[0].revision = 2;
    let imported = world.import(&revised).await.unwrap();
    assert_eq!((imported.figures.controls.in_progress, world.kept().await), (0, 1));
}

#[tokio::test]
async fn ending_what_was_never_kept_keeps_nothing() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open, Status::Secure])).await.unwrap();
    world.edit(&first.report_id, in_progress(), Some(false)).await.unwrap();
    assert_eq!(world.kept().await, 0);
}

#[tokio::test]
async fn keeping_ends_with_the_box_the_list_or_the_tenant() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open, Status::Open])).await.unwrap();
    let state = CheckChange { current_state: Some("Other.".to_owned()), ..CheckChange::default() };
    let refused = world.edit(&first.report_id, state, Some(true)).await;
    assert!(matches!(refused, Err(EditError::NothingToKeep(_))), "{refused:?}");
    world.edit(&first.report_id, in_progress(), Some(true)).await.unwrap();
    world.edit(&first.report_id, CheckChange::default(), None).await.unwrap();
    assert_eq!(world.kept().await, 1);
    world.edit(&first.report_id, CheckChange::default(), Some(false)).await.unwrap();
    assert_eq!(world.kept().await, 0);

    world.edit(&first.report_id, CheckChange::default(), Some(true)).await.unwrap();
    let control = finding(0, Status::Open).check.control_id;
    world.writer().end_kept_edit(&world.tenant, &control).await.unwrap();
    let trail = world.organization.audit_trail(None, 100, options().imported_at).await.unwrap().0;
    assert!(trail.iter().any(|entry| entry.action == AuditAction::KeptEditEnded && entry.subject == CONTROL));
    let again = world.writer().end_kept_edit(&world.tenant, &control).await;
    assert!(again.is_err() && world.kept().await == 0);

    world.edit(&first.report_id, CheckChange::default(), Some(true)).await.unwrap();
    world.writer().remove_tenant(&world.tenant).await.unwrap();
    assert_eq!(world.kept().await, 0);
}
