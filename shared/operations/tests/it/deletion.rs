//! Deleting reports on the embedded engine.

use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::join_all;
use model::{Actor, Admin, ReportId, ReportType, Status};
use operations::import::{BaselineChoice, ImportError, Outcome, import_run};
use store::{ReportError, Selection};

use crate::support::{World, at, new_organization, options, run};

impl World {
    async fn delete(&self, id: &ReportId) -> Result<(), ReportError> {
        self.writer().delete_report(id).await
    }

    async fn latest(&self) -> Option<ReportId> {
        let tenant = self.organization.tenant(&self.tenant).await.unwrap().unwrap();
        tenant.latest.map(|latest| latest.report_id)
    }

    async fn assert_consistent(&self) {
        assert_eq!(self.organization.inspect().await.unwrap().discrepancies, []);
    }
}

#[tokio::test]
async fn the_report_before_becomes_the_newest_again() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for month in [1, 2, 3] {
        ids.push(world.import(&run(month, &[Status::Open])).await.unwrap().report_id);
    }
    for (deleted, newest) in [(1, Some(2)), (2, Some(0)), (0, None)] {
        world.delete(&ids[deleted]).await.unwrap();
        assert_eq!(world.latest().await, newest.map(|index: usize| ids[index].clone()));
        assert!(matches!(world.delete(&ids[deleted]).await, Err(ReportError::NotFound(_))), "deleted twice");
        world.assert_consistent().await;
    }
    assert!(world.reports().await.is_empty());
}

#[tokio::test]
async fn later_reports_compare_with_the_baseline_that_remains_and_earlier_ones_are_unchanged() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open])).await.unwrap();
    let as_baseline = BaselineChoice::AsBaseline;
    let second = world.import_against(&run(2, &[Status::Secure]), as_baseline).await.unwrap();
    let follow_up = world.import(&run(3, &[Status::Open])).await.unwrap();
    assert_eq!(follow_up.figures.baseline.as_ref().unwrap().id, second.report_id);
    let before = world.organization.report(&follow_up.report_id).await.unwrap();

    world.delete(&second.report_id).await.unwrap();
    assert_eq!(world.organization.report(&follow_up.report_id).await.unwrap(), before);
    let next = world.import(&run(4, &[Status::Secure])).await.unwrap();
    assert_eq!((next.figures.baseline.unwrap().id, next.figures.controls.fixed), (first.report_id.clone(), 1));

    world.delete(&first.report_id).await.unwrap();
    let alone = world.import(&run(5, &[Status::Open])).await.unwrap();
    assert_eq!(alone.figures.report_type, ReportType::Baseline, "without a baseline, the next report is one");
    world.assert_consistent().await;
}

#[tokio::test]
async fn a_deleted_run_can_be_imported_again() {
    let world = World::new().await;
    let added = world.import(&run(1, &[Status::Open])).await.unwrap();
    world.delete(&added.report_id).await.unwrap();
    assert_eq!(world.import(&run(1, &[Status::Open])).await.unwrap(), added);
    world.assert_consistent().await;
}

#[tokio::test]
async fn another_organizations_report_is_out_of_reach() {
    let world = World::new().await;
    let report = world.import(&run(1, &[Status::Open])).await.unwrap().report_id;
    let stranger = new_organization(&world.store).await;
    let refused = stranger.by_admin(&Admin::operator(), options().imported_at).delete_report(&report).await;
    assert!(matches!(refused, Err(ReportError::NotFound(_))));
    assert_eq!(world.latest().await, Some(report));
}

#[tokio::test]
async fn deletions_and_imports_at_once_leave_consistent_data() {
    let world = World::new().await;
    let mut old = Vec::new();
    for month in 1..=3 {
        old.push(world.import(&run(month, &[Status::Open])).await.unwrap().report_id);
    }
    let new: Vec<_> = (4..=6).map(|month| run(month, &[Status::Secure])).collect();
    let (deleted, imported) = futures_util::join!(
        join_all(old.iter().map(|id| world.delete(id))),
        join_all(new.iter().map(|run| world.import(run)))
    );
    assert!(deleted.iter().all(Result::is_ok), "{deleted:?}");
    for imported in imported {
        assert_eq!(imported.unwrap().outcome, Outcome::Added);
    }
    assert_eq!(world.reports().await.len(), 3);
    world.assert_consistent().await;
}

#[tokio::test]
async fn a_reader_skips_a_report_that_is_deleted_meanwhile() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for minute in 0..70 {
        let end = at("2026-01-01T00:00:00Z").to_datetime() + Duration::from_secs(60 * minute);
        let run = assessments::Run {
            completed: Some(end.try_into().unwrap()),
            run_id: format!("run {minute}"),
            ..run(1, &[Status::Open])
        };
        let imported: Result<_, ImportError> =
            import_run(&world.organization, &Actor::operator(), &run, &options()).await;
        ids.push(imported.unwrap().report_id);
    }
    let mut history = world.organization.select(Selection::history(500)).reports();
    let mut read = history.try_next().await.unwrap().unwrap();
    // The pointers are read; the bodies of the oldest reports are not.
    world.delete(&ids[0]).await.unwrap();
    while let Some(page) = history.try_next().await.unwrap() {
        read.extend(page);
    }
    assert_eq!(read.len(), 69);
}
