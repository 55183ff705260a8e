//! Limits of an import: how far clocks may differ, and how many kept edits end with one report.

use chrono::TimeDelta;
use model::{Actor, Status, Timestamp};
use operations::edits::{self, CheckChange, EditOptions, ReportEdit};
use operations::import::{ImportError, Outcome};

use crate::support::{World, options, run};

/// Kept edits that end with one report, so that its transaction stays below the 100 actions that DynamoDB accepts.
const ENDED_AT_ONCE: usize = 80;

#[tokio::test]
async fn a_run_may_end_up_to_24_hours_after_the_import() {
    let world = World::new().await;
    let end_after = |delay: TimeDelta| -> Timestamp {
        let end = options().imported_at.to_datetime() + TimeDelta::hours(24) + delay;
        end.try_into().unwrap()
    };
    let mut run = run(1, &[Status::Open]);
    run.completed = Some(end_after(TimeDelta::milliseconds(1)));
    assert!(matches!(world.import(&run).await, Err(ImportError::InTheFuture)));
    run.completed = Some(end_after(TimeDelta::zero()));
    assert_eq!(world.import(&run).await.unwrap().outcome, Outcome::Added);
}

#[tokio::test]
async fn a_report_ends_80_kept_edits_and_the_next_one_ends_the_others() {
    let world = World::new().await;
    let controls = ENDED_AT_ONCE + 5;
    let first = world.import(&run(1, &vec![Status::Open; controls])).await.unwrap();
    for number in 0..controls {
        let change = CheckChange { status: Some(Status::InProgress), ..CheckChange::default() };
        let edit = ReportEdit::Check { control: format!("MS.AAD.1.{number}"), change };
        let keep = EditOptions { keep: Some(true), ..EditOptions::default() };
        let at = options().imported_at;
        edits::edit(&world.organization, &Actor::operator(), &first.report_id, &edit, keep, at).await.unwrap();
    }
    let kept = async || world.organization.kept_edits(&world.tenant).await.unwrap().len();
    assert_eq!(kept().await, controls);
    for (month, left) in [(2, 5), (3, 0)] {
        let imported = world.import(&run(month, &vec![Status::Secure; controls])).await.unwrap();
        assert_eq!((imported.outcome, kept().await), (Outcome::Added, left));
    }
}
