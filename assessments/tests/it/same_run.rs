//! Recognizes the same run in several files.

use assessments::{IssueKind, Run, assemble};
use model::{ReportType, Timestamp};
use serde_json::{Value, json};

use crate::support::{results, row, run, settings};

/// Returns a table with these rows, which names neither tenant nor time.
fn table(rows: &[(&str, &str)]) -> Run {
    let rows: String = rows.iter().map(|(control, result)| format!("{control},x,{result},Shall,y\n")).collect();
    run(format!("Control ID,Requirement,Result,Criticality,Details\n{rows}").as_bytes())
}

/// Returns the report of one product with these rows.
fn product(rows: &[Value], date: &str) -> Run {
    let report = json!({
        "MetaData": { "Module Version": "1.8.0", "Report Date": date },
        "ReportSummary": { "Date": date },
        "Results": [{ "Controls": rows }],
    });
    run(report.to_string().as_bytes())
}

fn whole() -> Run {
    run(&results(&[row("MS.AAD.1.1v1", "Fail"), row("MS.EXO.1.1v2", "Pass")]))
}

#[test]
fn the_same_results_in_another_file_are_the_same_run() {
    let whole = whole();
    assert!(whole.includes(&table(&[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass")])));
    assert!(whole.includes(&table(&[("MS.EXO.1.1v2", "Pass")])), "a part of it");
    assert!(!whole.includes(&table(&[("MS.EXO.1.1v2", "Fail")])), "another result");
    assert!(!whole.includes(&table(&[("MS.EXO.1.1v2", "Pass"), ("MS.EXO.5.1v1", "Pass")])), "another control");
    let mut dated = table(&[("MS.EXO.1.1v2", "Pass")]);
    dated.complete_at("2026-02-04T04:05:07Z".parse().unwrap());
    assert!(!whole.includes(&dated), "another day");
}

#[test]
fn results_that_one_file_lost_do_not_count() {
    let damaged = run(&results(&[row("MS.AAD.1.1v1", "Fail"), json!({ "Control ID": "MS.EXO.1.1v2" })]));
    assert_eq!(damaged.rows.lost, 1);
    assert!(damaged.includes(&table(&[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass")])));
    assert!(!damaged.includes(&table(&[("MS.AAD.1.1v1", "Pass"), ("MS.EXO.1.1v2", "Pass")])));
}

#[test]
fn parts_are_combined_and_make_no_baseline() {
    let date = "02/03/2026 04:05:06 Coordinated Universal Time";
    let mut part = product(&[row("MS.EXO.1.1v2", "Pass")], date);
    assert!(part.is_part && whole().includes(&part));
    let alone = part.run_id.clone();
    part.add_part(product(&[row("MS.AAD.1.1v1", "Fail")], date));
    let controls: Vec<_> = part.findings.iter().map(|finding| finding.check.control_id.as_str()).collect();
    assert_eq!((controls, part.rows.total), (vec!["MS.AAD.1.1", "MS.EXO.1.1"], 2));
    assert_ne!(part.run_id, alone);

    part.count_from_start_of_day();
    let report = assemble(&part, &settings()).unwrap().body;
    let start: Timestamp = "2026-02-03T00:00:00Z".parse().unwrap();
    assert_eq!(
        (report.figures.report_type, report.figures.completed_at, report.figures.created_at),
        (ReportType::FollowUp, start, start)
    );
    assert_eq!((report.figures.score, report.figures.baseline), (42, None));
    assert_eq!(part.issues[0].kind, IssueKind::PartOfRun);
}
