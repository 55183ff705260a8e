//! Retention on the embedded engine: every report of some months, then one a month.

use assessments::{Run, Tool};
use futures_util::TryStreamExt;
use model::{Status, Timestamp};
use operations::import::{BaselineChoice, ImportResult, Imported, ImportedRun};
use operations::retention;
use store::Selection;

use crate::support::{World, at, run};

/// The 15th of a month, seven months before which every report is kept.
const NOW: &str = "2025-12-15T00:00:00Z";

fn run_of(tool: Tool, month: u32, day: u32) -> Run {
    let completed = Some(at(&format!("2025-{month:02}-{day:02}T00:00:00Z")));
    Run { tool, run_id: format!("{tool} {month} {day}"), completed, ..run(month, &[Status::Open, Status::Secure]) }
}

/// Returns the months and days of the reports of a tool, oldest first.
async fn left(world: &World, tool: &str) -> Vec<String> {
    let reports = world.reports().await;
    let of_tool = reports.iter().filter(|report| report.summary.tool == tool);
    let day = |time: Timestamp| time.to_string()["2026-".len().."2026-01-01".len()].to_owned();
    of_tool.rev().map(|report| day(report.summary.figures.completed_at)).collect()
}

async fn prune(world: &World, months: &str, imported: &Imported) {
    let reports = vec![ImportedRun { files: Vec::new(), imported: imported.clone() }];
    let imported = ImportResult { reports, ..ImportResult::default() };
    retention::prune_after(&world.organization, &imported, months.parse().unwrap(), at(NOW)).await;
    assert_eq!(world.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn baselines_edits_comparisons_and_the_newest_of_each_tool_are_kept_whatever_their_age() {
    let world = World::new().await;
    let (scuba, maester) = (Tool::ScubaGear, Tool::Maester);
    let mut ids = Vec::new();
    // The baseline is the first. The newest of the second tool is old.
    for (month, day) in [(1, 1), (1, 8), (1, 15), (2, 1), (2, 8), (2, 15), (2, 22), (6, 1), (6, 8), (11, 1), (11, 8)] {
        ids.push(world.import(&run_of(scuba, month, day)).await.unwrap().report_id);
    }
    for day in [3, 10] {
        world.import(&run_of(maester, 3, day)).await.unwrap();
    }
    let edit = |body: &mut model::ReportBody| {
        body.checks[0].why = Some("a reason".to_owned());
        Ok::<_, ()>(())
    };
    world.writer().edit_report(&ids[4], edit).await.map_err(|_| ()).unwrap();
    let against = BaselineChoice::Report(ids[5].clone());
    let last = world.import_against(&run_of(scuba, 12, 1), against).await.unwrap();

    prune(&world, "0", &last).await;
    assert_eq!(left(&world, "ScubaGear").await.len(), 12, "0 keeps all");
    prune(&world, "7", &last).await;
    // 01-01 is the baseline, 02-08 edited, and 02-15 compared with; 01-15 and 02-22 are the last of their months.
    let kept = ["01-01", "01-15", "02-08", "02-15", "02-22", "06-01", "06-08", "11-01", "11-08", "12-01"];
    assert_eq!(left(&world, "ScubaGear").await, kept);
    assert_eq!(left(&world, "Maester").await, ["03-03", "03-10"], "the baseline and the newest");
    prune(&world, "7", &last).await;
    assert_eq!(left(&world, "ScubaGear").await, kept, "a second time changes nothing");
    prune(&world, "1", &last).await;
    let kept = ["01-01", "01-15", "02-08", "02-15", "02-22", "06-08", "11-01", "11-08", "12-01"];
    assert_eq!(left(&world, "ScubaGear").await, kept, "a month is thinned as a whole");
}

#[tokio::test]
async fn an_import_deletes_a_few_reports_and_the_next_one_goes_on() {
    let world = World::new().await;
    for day in 1..=28 {
        world.import(&run_of(Tool::ScubaGear, 1, day)).await.unwrap();
    }
    let last = world.import(&run_of(Tool::ScubaGear, 12, 1)).await.unwrap();
    prune(&world, "1", &last).await;
    assert_eq!(left(&world, "ScubaGear").await.len(), 9, "the oldest 20 of 26 are deleted");
    prune(&world, "1", &last).await;
    assert_eq!(left(&world, "ScubaGear").await, ["01-01", "01-28", "12-01"]);
    let tenant = world.organization.tenant(&world.tenant).await.unwrap().unwrap();
    let listed: Vec<_> = world.organization.select(Selection::latest(10)).reports().try_concat().await.unwrap();
    assert_eq!((listed.len(), tenant.latest.map(|latest| latest.report_id)), (1, Some(last.report_id)));
}
