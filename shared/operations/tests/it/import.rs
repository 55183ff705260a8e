//! Imports into a store on the embedded engine.

use std::time::Duration;

use assessments::Run;
use futures_util::TryStreamExt;
use futures_util::future::join_all;
use model::{Actor, ReportId, ReportType, Status};
use operations::import::{BaselineChoice, ImportError, Imported, Options, Outcome, import_run};
use store::Selection;

use crate::support::{PROVIDER_ID, World, add_tenant, at, new_organization, options, run};

#[tokio::test]
async fn the_first_run_is_the_baseline_and_later_ones_compare_with_it() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open, Status::Secure])).await.unwrap();
    let second = world.import(&run(2, &[Status::Secure, Status::Secure])).await.unwrap();
    let third = world.import(&run(3, &[Status::Secure, Status::Open])).await.unwrap();

    assert_eq!(
        (first.outcome, first.figures.report_type, first.figures.baseline),
        (Outcome::Added, ReportType::Baseline, None)
    );
    assert_eq!((first.tool.as_str(), first.tool_version.as_deref()), ("ScubaGear", Some("1.8.0")));
    assert_eq!((first.figures.score, first.figures.controls.open), (50, 1));
    for (report, fixed, drifted) in [(&second, 1, 0), (&third, 1, 1)] {
        assert_eq!(report.figures.report_type, ReportType::FollowUp);
        assert_eq!(report.figures.baseline.as_ref().unwrap().id, first.report_id);
        assert_eq!((report.fixed.len(), report.drifted.len()), (fixed, drifted));
        assert_eq!((report.figures.controls.fixed, report.figures.controls.drifted), (fixed as u32, drifted as u32));
    }
}

#[tokio::test]
async fn the_result_of_an_import_has_the_text_that_earlier_releases_wrote() {
    let world = World::new().await;
    let first = world.import(&run(1, &[Status::Open, Status::Secure])).await.unwrap();
    let second = world.import(&run(2, &[Status::Secure, Status::Open])).await.unwrap();
    let text = |imported: &Imported| {
        let text = serde_json::to_string(imported).unwrap();
        text.replace(first.report_id.as_str(), "rpt_1")
            .replace(second.report_id.as_str(), "rpt_2")
            .replace(world.tenant.as_str(), "ten_1")
    };
    assert_eq!(
        text(&first),
        r#"{"outcome":"ADDED","reportId":"rpt_1","serviceTenantId":"ten_1","tool":"ScubaGear","toolVersion":"1.8.0","reportType":"BASELINE","baseline":null,"completedAt":"2026-01-01T00:00:00.000Z","score":50,"grade":"F","controls":{"assessed":2,"secure":1,"fixed":0,"inProgress":0,"open":1,"drifted":0,"notAssessed":0},"coverage":null,"fixed":[],"drifted":[],"issues":[],"leftOut":[]}"#
    );
    assert_eq!(
        text(&second),
        r#"{"outcome":"ADDED","reportId":"rpt_2","serviceTenantId":"ten_1","tool":"ScubaGear","toolVersion":"1.8.0","reportType":"FOLLOW_UP","baseline":{"id":"rpt_1","score":50,"completedAt":"2026-01-01T00:00:00.000Z"},"completedAt":"2026-02-01T00:00:00.000Z","score":50,"grade":"F","controls":{"assessed":2,"secure":0,"fixed":1,"inProgress":0,"open":0,"drifted":1,"notAssessed":0},"coverage":{"previouslyAssessed":2,"lost":0,"reasons":[]},"fixed":["MS.AAD.1.0"],"drifted":["MS.AAD.1.1"],"issues":[],"leftOut":[]}"#
    );
}

#[tokio::test]
async fn importing_again_changes_nothing_and_says_so() {
    let world = World::new().await;
    world.import(&run(1, &[Status::Open])).await.unwrap();
    let second = run(2, &[Status::Secure]);
    let added = world.import(&second).await.unwrap();
    let before = world.organization.tenant(&world.tenant).await.unwrap();

    let again = world.import(&second).await.unwrap();
    let as_baseline = world.import_against(&second, BaselineChoice::AsBaseline).await.unwrap();

    assert_eq!(again, Imported { outcome: Outcome::AlreadyThere, ..added });
    assert_eq!(as_baseline, again, "the result is the existing report, not the requested one");
    assert_eq!(world.organization.tenant(&world.tenant).await.unwrap(), before);
    assert_eq!(world.reports().await.len(), 2);
}

#[tokio::test]
async fn a_dry_run_shows_the_reports_and_writes_nothing() {
    let world = World::new().await;
    let options = Options { dry_run: true, ..options() };
    let told = import_run(&world.organization, &Actor::operator(), &run(1, &[Status::Secure]), &options).await.unwrap();
    assert_eq!(told.outcome, Outcome::WouldBeAdded);
    assert!(world.reports().await.is_empty());

    let added = world.import(&run(1, &[Status::Secure])).await.unwrap();
    assert_eq!(added, Imported { outcome: Outcome::Added, ..told });
}

#[tokio::test]
async fn a_run_older_than_the_baseline_is_a_baseline_itself() {
    let world = World::new().await;
    let newer = world.import(&run(3, &[Status::Open])).await.unwrap();
    let older = world.import(&run(1, &[Status::Secure])).await.unwrap();
    assert_eq!(older.figures.report_type, ReportType::Baseline);
    let latest = world.organization.tenant(&world.tenant).await.unwrap().unwrap().latest.unwrap();
    assert_eq!(latest.report_id, newer.report_id, "an older report is not the latest");
}

#[tokio::test]
async fn the_baseline_can_be_named() {
    let world = World::new().await;
    world.import(&run(1, &[Status::Open])).await.unwrap();
    let second = world.import(&run(2, &[Status::Secure])).await.unwrap();

    let named = BaselineChoice::Report(second.report_id.clone());
    let third = world.import_against(&run(3, &[Status::Open]), named).await.unwrap();
    assert_eq!(third.figures.baseline.unwrap().id, second.report_id);
    assert_eq!(third.figures.controls.drifted, 1);

    let fresh = world.import_against(&run(4, &[Status::Open]), BaselineChoice::AsBaseline).await.unwrap();
    let after = world.import(&run(5, &[Status::Secure])).await.unwrap();
    assert_eq!(fresh.figures.report_type, ReportType::Baseline);
    assert_eq!(after.figures.baseline.unwrap().id, fresh.report_id, "the newest baseline counts");
}

#[tokio::test]
async fn a_baseline_that_does_not_compare_is_refused() {
    let world = World::new().await;
    let own = world.import(&run(3, &[Status::Open])).await.unwrap().report_id;
    add_tenant(&world.organization, "99999999-2222-3333-4444-555555555555").await;
    let other_tenants =
        Run { tenant: Some("99999999-2222-3333-4444-555555555555".parse().unwrap()), ..run(1, &[Status::Open]) };
    let others = world.import(&other_tenants).await.unwrap().report_id;
    let unknown: ReportId = "rpt_unknown".parse().unwrap();

    let refuse = async |id: &ReportId| {
        world.import_against(&run(2, &[Status::Open]), BaselineChoice::Report(id.clone())).await.unwrap_err()
    };
    assert!(matches!(refuse(&own).await, ImportError::BaselineNotEarlier(_)));
    assert!(matches!(refuse(&others).await, ImportError::BaselineOfOtherTenant(_)));
    assert!(matches!(refuse(&unknown).await, ImportError::NoSuchBaseline(_)));
    assert_eq!(world.reports().await.len(), 1);
}

#[tokio::test]
async fn a_run_finds_its_tenant_or_is_refused() {
    let world = World::new().await;
    let named = |tenant: &str| Options { tenant: Some(tenant.into()), ..options() };
    let unnamed = Run { tenant: None, ..run(1, &[Status::Open]) };
    let foreign =
        Run { tenant: Some("99999999-2222-3333-4444-555555555555".parse().unwrap()), ..run(1, &[Status::Open]) };

    assert!(matches!(world.import(&unnamed).await, Err(ImportError::TenantUnnamed)));
    assert!(matches!(world.import(&foreign).await, Err(ImportError::NoSuchTenant(_))));
    let mismatch = import_run(&world.organization, &Actor::operator(), &foreign, &named(world.tenant.as_str())).await;
    assert!(matches!(mismatch, Err(ImportError::OtherTenant { .. })));
    assert!(world.reports().await.is_empty());

    for reference in [world.tenant.as_str(), PROVIDER_ID] {
        let imported = import_run(&world.organization, &Actor::operator(), &unnamed, &named(reference)).await.unwrap();
        assert_eq!(imported.service_tenant_id, world.tenant);
    }
    assert_eq!(world.reports().await.len(), 1);
}

#[tokio::test]
async fn another_organizations_tenant_and_reports_are_out_of_reach() {
    let world = World::new().await;
    let own = world.import(&run(1, &[Status::Open])).await.unwrap().report_id;
    let stranger = new_organization(&world.store).await;

    let by_id = Options { tenant: Some(world.tenant.to_string()), ..options() };
    for options in [options(), by_id] {
        let refused = import_run(&stranger, &Actor::operator(), &run(2, &[Status::Open]), &options).await;
        assert!(matches!(refused, Err(ImportError::NoSuchTenant(_))));
    }
    add_tenant(&stranger, PROVIDER_ID).await;
    let baseline = BaselineChoice::Report(own);
    let refused =
        import_run(&stranger, &Actor::operator(), &run(2, &[Status::Open]), &Options { baseline, ..options() }).await;
    assert!(matches!(refused, Err(ImportError::NoSuchBaseline(_))));
    let imported = import_run(&stranger, &Actor::operator(), &run(2, &[Status::Open]), &options()).await.unwrap();
    assert_eq!(imported.figures.report_type, ReportType::Baseline, "the other organization's baseline is not seen");
}

#[tokio::test]
async fn a_run_that_makes_no_report_is_refused() {
    let world = World::new().await;
    let empty = world.import(&run(1, &[Status::NotAssessed])).await;
    assert!(matches!(empty, Err(ImportError::NoReport(_))));
    let imported_at = at("2025-01-01T00:00:00Z");
    let early = import_run(
        &world.organization,
        &Actor::operator(),
        &run(1, &[Status::Open]),
        &Options { imported_at, ..options() },
    )
    .await;
    assert!(matches!(early, Err(ImportError::InTheFuture)));
    assert!(world.reports().await.is_empty());
}

#[tokio::test]
async fn fifty_imports_for_one_tenant_at_once_all_succeed() {
    let world = World::new().await;
    let runs: Vec<_> = (0..50)
        .map(|number| {
            let end = at("2026-01-01T00:00:00Z").to_datetime() + Duration::from_secs(number);
            let completed = Some(end.try_into().unwrap());
            Run { completed, run_id: format!("run {number}"), ..run(1, &[Status::Open]) }
        })
        .collect();
    for imported in join_all(runs.iter().map(|run| world.import(run))).await {
        assert_eq!(imported.unwrap().outcome, Outcome::Added);
    }

    let reports = world.reports().await;
    let latest = world.organization.tenant(&world.tenant).await.unwrap().unwrap().latest.unwrap();
    assert_eq!(reports.len(), 50);
    assert_eq!(latest.completed_at, runs[49].completed.unwrap());
    let all_latest: Vec<_> = world.organization.select(Selection::latest(500)).reports().try_concat().await.unwrap();
    assert_eq!(all_latest.iter().map(|report| &report.summary.report_id).collect::<Vec<_>>(), [&latest.report_id]);
    assert_eq!(world.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn imports_during_a_removal_precede_it_or_find_no_tenant() {
    for removed_after in [0, 2] {
        let world = World::new().await;
        for month in 1..=removed_after {
            world.import(&run(month, &[Status::Open])).await.unwrap();
        }
        let runs: Vec<_> = (removed_after + 1..=6).map(|month| run(month, &[Status::Open])).collect();
        let writer = world.writer();
        let removal = writer.remove_tenant(&world.tenant);
        let (imported, removed) = futures_util::join!(join_all(runs.iter().map(|run| world.import(run))), removal);

        removed.unwrap();
        for outcome in imported {
            let fits = matches!(&outcome, Ok(imported) if imported.outcome == Outcome::Added)
                || matches!(outcome, Err(ImportError::NoSuchTenant(_)));
            assert!(fits, "{outcome:?}");
        }
        let latest: Vec<_> = world.organization.select(Selection::latest(500)).reports().try_concat().await.unwrap();
        let history = world.organization.select(Selection::history(500)).reports().try_concat().await.unwrap();
        assert_eq!((latest, history), (vec![], vec![]));
        assert_eq!(world.organization.inspect().await.unwrap().discrepancies, []);
    }
}

#[tokio::test]
async fn the_same_run_imported_by_many_at_once_is_one_report() {
    let world = World::new().await;
    let run = run(1, &[Status::Open]);
    let outcomes = join_all((0..10).map(|_| world.import(&run))).await;
    let added = outcomes.iter().filter(|imported| imported.as_ref().unwrap().outcome == Outcome::Added).count();
    assert_eq!((added, world.reports().await.len()), (1, 1));
}

#[tokio::test]
async fn a_rename_reaches_every_report_also_those_added_meanwhile() {
    let world = World::new().await;
    let runs: Vec<_> = (1..=6).map(|month| run(month, &[Status::Open])).collect();
    for run in &runs[..3] {
        world.import(run).await.unwrap();
    }
    let (writer, name) = (world.writer(), "Harbour Dental Group".parse().unwrap());
    let renamed = writer.rename_tenant(&world.tenant, &name);
    let (renamed, imported) = futures_util::join!(renamed, join_all(runs[3..].iter().map(|run| world.import(run))));

    assert_eq!(renamed.unwrap().name, "Harbour Dental Group");
    assert!(imported.iter().all(Result::is_ok));
    let names: Vec<_> = world.reports().await.into_iter().map(|report| report.tenant_name).collect();
    assert_eq!(names, vec!["Harbour Dental Group"; 6]);
}

#[tokio::test]
async fn two_renames_at_once_leave_one_name() {
    let world = World::new().await;
    for month in 1..=4 {
        world.import(&run(month, &[Status::Open])).await.unwrap();
    }
    let (writer, a, b) = (world.writer(), "A".parse().unwrap(), "B".parse().unwrap());
    let (a, b) = futures_util::join!(writer.rename_tenant(&world.tenant, &a), writer.rename_tenant(&world.tenant, &b));
    assert!(a.is_ok() && b.is_ok());
    let name = world.organization.tenant(&world.tenant).await.unwrap().unwrap().name;
    assert!(world.reports().await.iter().all(|report| report.tenant_name == name));
}
