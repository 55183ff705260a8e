//! Copies of a run that already has a report, and runs that assess less than the baseline.

use assessments::{AdminReview, Administrator, Run};
use model::{Actor, MfaEnforcement, MfaMethod, ReportId, ReportType, Status, Timestamp};
use operations::edits::{CheckChange, EditOptions, ReportEdit, edit};
use operations::import::{ImportError, Imported, Outcome, import_run};
use store::{AuditAction, StoredReport};

use crate::support::{World, at, options, run};

/// Returns a copy of a run with this number of rows.
fn with_rows(rows: usize, run: Run) -> Run {
    let mut run = run;
    run.rows.total = rows;
    run
}

async fn import_at(world: &World, run: &Run, imported_at: Timestamp) -> Result<Imported, ImportError> {
    let options = operations::import::Options { imported_at, ..options() };
    import_run(&world.organization, &Actor::operator(), run, &options).await
}

async fn stored(world: &World, id: &ReportId) -> StoredReport {
    world.organization.report(id).await.unwrap().unwrap()
}

const LATER: &str = "2026-06-02T00:00:00Z";

#[tokio::test]
async fn a_larger_copy_replaces_the_report_as_a_change_that_everybody_sees() {
    let world = World::new().await;
    let cut = with_rows(4, run(1, &[Status::Secure]));
    let whole = with_rows(12, run(1, &[Status::Secure, Status::Open, Status::Open]));
    let first = world.import(&cut).await.unwrap();
    assert_eq!((first.outcome, first.figures.score), (Outcome::Added, 100));

    let replaced = import_at(&world, &whole, at(LATER)).await.unwrap();
    assert_eq!(
        (replaced.outcome, replaced.figures.score, replaced.report_id),
        (Outcome::Replaced, 33, first.report_id.clone())
    );
    assert_eq!(replaced.figures.report_type, ReportType::Baseline);
    let report = stored(&world, &first.report_id).await;
    assert_eq!((report.summary.updated_at, report.summary.figures.score, report.summary.revision), (at(LATER), 33, 1));
    assert_eq!(world.reports().await.len(), 1);

    let (entries, _) = world.organization.audit_trail(None, 1, options().imported_at).await.unwrap();
    assert_eq!(
        (entries[0].action, entries[0].subject.as_str()),
        (AuditAction::ReportReplaced, first.report_id.as_str())
    );
    let changes: Vec<_> =
        entries[0].changes.iter().map(|it| (&*it.field, it.before.as_deref(), it.after.as_deref())).collect();
    assert_eq!(changes, [("rows", Some("4"), Some("12")), ("score", Some("100"), Some("33"))]);

    assert_eq!(import_at(&world, &whole, at(LATER)).await.unwrap().outcome, Outcome::AlreadyThere);
}

#[tokio::test]
async fn more_rows_of_the_same_controls_are_a_larger_copy() {
    let world = World::new().await;
    world.import(&with_rows(4, run(1, &[Status::Secure]))).await.unwrap();
    let replaced = world.import(&with_rows(5, run(1, &[Status::Open]))).await.unwrap();
    assert_eq!((replaced.outcome, replaced.figures.score), (Outcome::Replaced, 0));
}

#[tokio::test]
async fn a_smaller_copy_is_refused_and_changes_nothing() {
    let world = World::new().await;
    let whole = world.import(&with_rows(12, run(1, &[Status::Secure, Status::Open, Status::Open]))).await.unwrap();
    let error = world.import(&with_rows(4, run(1, &[Status::Secure]))).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "report {} of the same run contains 12 rows of 3 controls, and this copy only 4 rows of 1 control: it may be cut \
             off, so it was not imported; to import it nevertheless, delete the report first",
            whole.report_id
        )
    );
    assert_eq!(stored(&world, &whole.report_id).await.summary.revision, 0);
}

#[tokio::test]
async fn a_dry_run_says_what_would_be_replaced() {
    let world = World::new().await;
    let first = world.import(&with_rows(4, run(1, &[Status::Secure]))).await.unwrap();
    let dry = operations::import::Options { dry_run: true, ..options() };
    let whole = with_rows(12, run(1, &[Status::Secure, Status::Open]));
    let told = import_run(&world.organization, &Actor::operator(), &whole, &dry).await.unwrap();
    assert_eq!((told.outcome, told.figures.score), (Outcome::WouldBeReplaced, 50));
    assert_eq!(stored(&world, &first.report_id).await.summary.revision, 0);
}

#[tokio::test]
async fn edits_are_kept_in_the_replacement() {
    let world = World::new().await;
    let cut = world.import(&with_rows(4, run(1, &[Status::Open, Status::Secure]))).await.unwrap();
    let change = CheckChange { status: Some(Status::InProgress), why: Some("Ours.".into()), ..CheckChange::default() };
    let of_check = ReportEdit::Check { control: "MS.AAD.1.0".into(), change };
    let actor = Actor::operator();
    let id = &cut.report_id;
    edit(&world.organization, &actor, id, &of_check, EditOptions::default(), at(LATER)).await.unwrap();

    let whole = with_rows(12, run(1, &[Status::Open, Status::Secure, Status::Open]));
    let replaced = import_at(&world, &whole, at("2026-06-03T00:00:00Z")).await.unwrap();
    assert_eq!(
        (replaced.outcome, replaced.figures.controls.in_progress, replaced.figures.controls.open),
        (Outcome::Replaced, 1, 1)
    );
    let report = stored(&world, id).await;
    assert_eq!((report.edits.len(), report.summary.revision), (1, 2));
    let body = report.open().unwrap().body;
    assert_eq!((body.checks[0].status, body.checks[0].why.as_deref()), (Status::InProgress, Some("Ours.")));
}

#[tokio::test]
async fn exports_that_arrive_later_are_joined_to_their_run() {
    let world = World::new().await;
    let alone = with_rows(4, run(1, &[Status::Open]));
    let first = world.import(&alone).await.unwrap();
    let mut with_exports = alone.clone();
    with_exports.admins.count = Some(1);
    with_exports.admins.admins.push(amara());
    with_exports.findings[0].check.observed_usage = Some("Used.".into());
    assert_eq!(world.import(&with_exports).await.unwrap().outcome, Outcome::Replaced);
    let body = stored(&world, &first.report_id).await.open().unwrap().body;
    assert_eq!((body.global_admins.count, body.checks[0].observed_usage.as_deref()), (1, Some("Used.")));
    for copy in [&with_exports, &alone] {
        assert_eq!(world.import(copy).await.unwrap().outcome, Outcome::AlreadyThere);
    }
}

#[tokio::test]
async fn what_exports_told_stays_in_a_replacement_without_them() {
    let world = World::new().await;
    let mut with_admins = with_rows(4, run(1, &[Status::Open, Status::Secure]));
    with_admins.admins.count = Some(1);
    with_admins.admins.admins.push(amara());
    with_admins.findings[0].check.observed_usage = Some("Used.".into());
    let first = world.import(&with_admins).await.unwrap();
    // Another log is added, and then a larger copy without any exports.
    let mut with_log = with_rows(4, run(1, &[Status::Open, Status::Secure]));
    with_log.findings[1].check.observed_usage = Some("Unused.".into());
    let larger = with_rows(5, run(1, &[Status::Open, Status::Secure]));
    for copy in [&with_log, &larger] {
        assert_eq!(world.import(copy).await.unwrap().outcome, Outcome::Replaced);
        let body = stored(&world, &first.report_id).await.open().unwrap().body;
        let usage: Vec<_> = body.checks.iter().map(|check| check.observed_usage.as_deref()).collect();
        assert_eq!((body.global_admins.admins.len(), usage), (1, vec![Some("Used."), Some("Unused.")]));
    }
    // A complete list replaces one that was not.
    let mut complete = larger;
    complete.admins = AdminReview {
        count: Some(2),
        complete: true,
        admins: vec![amara(), Administrator { user_principal_name: "bram@harbour.example".into(), ..amara() }],
    };
    for outcome in [Outcome::Replaced, Outcome::AlreadyThere] {
        assert_eq!(world.import(&complete).await.unwrap().outcome, outcome);
    }
    let body = stored(&world, &first.report_id).await.open().unwrap().body;
    assert_eq!((body.global_admins.data_complete, body.global_admins.known_count()), (true, Some(2)));
}

fn amara() -> Administrator {
    Administrator {
        user_principal_name: "amara@harbour.example".into(),
        mfa_enforcement: MfaEnforcement::Unknown,
        mfa_method: MfaMethod::Sms,
        password_age_days: None,
        failed_sign_ins: 0,
    }
}

#[tokio::test]
async fn a_run_that_assesses_less_says_so_and_why() {
    for (errors, is_comparable) in [(0, true), (2, true), (10, false), (19, false)] {
        let world = World::new().await;
        let full: Vec<_> = (0..20).map(|number| if number % 2 == 0 { Status::Secure } else { Status::Open }).collect();
        world.import(&run(1, &full)).await.unwrap();
        let failed = full.iter().enumerate().map(|(number, status)| {
            // The failing controls are those that the tool could not read.
            if number > 19 - errors { Status::NotAssessed } else { *status }
        });
        let second = world.import(&run(2, &failed.collect::<Vec<_>>())).await.unwrap();
        let coverage = second.figures.coverage.unwrap();
        assert_eq!((coverage.previously_assessed, coverage.lost as usize), (20, errors));
        assert_eq!(coverage.is_comparable(), is_comparable, "{errors}");
        let stored = stored(&world, &second.report_id).await;
        assert_eq!(stored.summary.figures.coverage.as_ref(), Some(&coverage));
        assert_eq!(stored.open().unwrap().body.figures.coverage, Some(coverage));
    }
}

#[tokio::test]
async fn a_baseline_has_no_coverage() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open])).await.unwrap();
    assert_eq!(first.figures.coverage, None);
}
