//! Tables that were cut off at any place, and then the whole table: the last word is the whole table's.

use futures_util::stream;
use model::Actor;
use operations::InputFile;
use operations::import::{ImportResult, Options, Outcome, import};

use crate::support::{PROVIDER_ID, World, at, options};

/// Number of rows.
const ROWS: usize = 6;

/// Returns a table of each tool, whose run ends at a minute.
fn tables(minute: usize) -> [String; 2] {
    let result = |row: usize, words: [&'static str; 2]| words[row % 2];
    let scubagear = (0..ROWS).map(|row| {
        let result = result(row, ["Pass", "Fail"]);
        format!("\"MS.AAD.{}.1v1\",\"A requirement\",\"{result}\",\"Shall\",\"Details, and more\"\r\n", row + 1)
    });
    let prowler = (0..ROWS).map(|row| {
        let (result, time) = (result(row, ["PASS", "FAIL"]), time(minute).replace('T', " ").replace('Z', ""));
        format!("{time};{PROVIDER_ID};m365;entra_check_{row};A title;{result};Found.;False;high\n")
    });
    [
        format!("Control ID,Requirement,Result,Criticality,Details\r\n{}", scubagear.collect::<String>()),
        format!(
            "TIMESTAMP;ACCOUNT_UID;PROVIDER;CHECK_ID;CHECK_TITLE;STATUS;STATUS_EXTENDED;MUTED;SEVERITY\n{}",
            prowler.collect::<String>()
        ),
    ]
}

fn time(minute: usize) -> String {
    format!("2026-05-01T{:02}:{:02}:00Z", minute / 60, minute % 60)
}

/// Returns the places to cut: every byte of the last two rows, and 20 places before.
fn places(table: &str) -> Vec<usize> {
    let ends: Vec<_> = table.match_indices('\n').map(|(end, _)| end + 1).collect();
    let (first, last_two) = (ends[0], ends[ROWS - 2]);
    (0..20).map(|place| first + (last_two - first) * place / 20).chain(last_two..table.len()).collect()
}

#[tokio::test]
async fn the_whole_table_has_the_last_word_wherever_its_copy_was_cut() {
    for (tool, table) in tables(0).iter().enumerate() {
        let world = World::new().await;
        let mut partial = Vec::new();
        for (minute, place) in places(table).into_iter().enumerate() {
            let whole = tables(minute)[tool].clone();
            let cut = imported(&world, minute, &whole[..place]).await;
            let last = imported(&world, minute, &whole).await;
            let report = &last.reports[0].imported;
            assert_eq!((report.figures.controls.assessed, report.figures.controls.open), (6, 3), "{place}");
            let Some(first) = cut.reports.first() else { continue };
            // Without its last line break, a table whose last cell is in quotation marks is complete.
            let is_complete = whole[place..].trim().is_empty();
            let outcome = if is_complete { Outcome::AlreadyThere } else { Outcome::Replaced };
            assert_eq!((report.outcome, &report.report_id), (outcome, &first.imported.report_id), "{place}");
            partial.extend((!is_complete).then_some(place));
        }
        // Nothing shows that a table was cut between two rows.
        let is_between = |place: &usize| table[..*place].ends_with('\n') || table[*place..].starts_with(['\r', '\n']);
        assert!(!partial.is_empty() && partial.iter().all(is_between), "{partial:?}");
    }
}

async fn imported(world: &World, minute: usize, table: &str) -> ImportResult {
    let completed_at = Some(at(&time(minute)));
    let options = Options { tenant: Some(PROVIDER_ID.to_owned()), completed_at, ..options() };
    let file = InputFile::new("results.csv", table.as_bytes().to_vec());
    import(&world.organization, &Actor::operator(), stream::iter([file]), &options, &mut ()).await.unwrap()
}
