//! Properties of every file.

use model::Status;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

use crate::support::{report, report_of, results, row, run};

const CONTROLS: &[&str] = &[
    "MS.AAD.1.1v1",
    "MS.AAD.2.1v1",
    "MS.AAD.3.2v2",
    "MS.AAD.6.1v1",
    "MS.AAD.7.10v1",
    "MS.AAD.7.9v1",
    "MS.EXO.1.1v2",
    "MS.EXO.10.1v1",
    "MS.EXO.9.1v2",
    "MS.TEAMS.2.1v1",
    "MS.TEAMS.2.1v2",
    "MS.UNHEARD.1.1v1",
];

const RESULTS: &[&str] = &["Pass", "Fail", "Warning", "N/A", "Omitted", "Incorrect result", "Error"];

/// Rows of a file, some controls more than once, at least one of them assessed.
fn rows() -> impl Strategy<Value = Vec<Value>> {
    let any_row = (select(CONTROLS), select(RESULTS), any::<bool>()).prop_map(|(control, result, dated)| {
        let mut row = row(control, result);
        row["ResolutionDate"] = if dated { json!("2026-03-31") } else { json!(null) };
        row
    });
    let assessed = select(CONTROLS).prop_map(|control| row(control, "Fail"));
    (prop::collection::vec(any_row, 0..20), assessed).prop_map(|(mut rows, assessed)| {
        rows.push(assessed);
        rows
    })
}

/// Returns some controls, each once and secure.
fn secure_rows() -> impl Strategy<Value = Vec<Value>> {
    subsequence(CONTROLS, 1..=CONTROLS.len()).prop_map(|ids| ids.iter().map(|id| row(id, "Pass")).collect())
}

proptest! {
    #[test]
    fn the_order_of_the_rows_never_matters(
        (rows, shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        (before, before_shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
    ) {
        let report = report_of(&rows, Some(&report_of(&before, None)));
        let other = report_of(&shuffled, Some(&report_of(&before_shuffled, None)));
        prop_assert!(report == other);
    }

    #[test]
    fn the_figures_follow_from_the_checks(rows in rows()) {
        let body = report_of(&rows, None).body;
        let count = |status: Status| body.checks.iter().filter(|check| check.status == status).count() as u32;
        prop_assert!(body.figures.score <= 100);
        let assessed = body.checks.iter().filter(|check| check.status.is_assessed());
        prop_assert_eq!(body.figures.score == 100, assessed.clone().all(|check| check.status.is_secure()));
        prop_assert_eq!(body.figures.controls.assessed as usize, assessed.count());
        prop_assert_eq!(body.figures.controls.secure, count(Status::Secure));
        prop_assert_eq!(body.figures.controls.open, count(Status::Open));
        prop_assert_eq!(body.figures.controls.in_progress, count(Status::InProgress));
        prop_assert_eq!(body.figures.controls.not_assessed, count(Status::NotAssessed));
        let failing = body.figures.controls.open + body.figures.controls.in_progress;
        prop_assert_eq!(body.top_risks.len() as u32, failing.min(5));
    }

    #[test]
    fn all_secure_is_100(rows in secure_rows()) {
        prop_assert_eq!(report_of(&rows, None).body.figures.score, 100);
    }

    #[test]
    fn nothing_changes_against_itself(rows in rows()) {
        let run = run(&results(&rows));
        let baseline = report(&run, None);
        let follow_up = report(&run, Some(&baseline));
        prop_assert_eq!((follow_up.body.figures.controls.fixed, follow_up.body.figures.controls.drifted), (0, 0));
        prop_assert_eq!(follow_up.body.checks, baseline.body.checks);
        prop_assert_eq!(follow_up.body.figures.previous_score, Some(follow_up.body.figures.score));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = assessments::read(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
