//! Real results of ScubaGear, of one tenant at three times: their content, and their follow-ups.

use assessments::{Assembled, Run, Tool};
use model::{ReportType, Status};

use crate::corpus::corpus;
use crate::support::report;

const RESULTS_1_4: &str = "scubagear/ScubaResults_v1.4.0_2024-08.json";
const RESULTS_1_6: &str = "scubagear/ScubaResults_v1.6.0_2025-07.json";
const RESULTS_1_7: &str = "scubagear/ScubaResults_v1.7.0_2025-10.json";
const PRODUCT_REPORT_1_8: &str = "scubagear/IndividualReport_AAD.json";
const TABLE_1_8: &str = "scubagear/ScubaResults_sample.csv";

/// Returns the one run of a corpus file.
fn run(file: &str) -> Option<Run> {
    corpus(file).map(|bytes| crate::support::run(&bytes))
}

fn controls_with(report: &Assembled, status: Status) -> Vec<&str> {
    let checks = report.body.checks.iter().filter(|check| check.status == status);
    checks.map(|check| check.control_id.as_str()).collect()
}

#[test]
fn a_real_run_is_read_completely() {
    let Some(run) = run(RESULTS_1_7) else { return };
    assert_eq!(run.tool, Tool::ScubaGear);
    assert_eq!(run.tool_version.as_deref(), Some("1.7.0"));
    assert_eq!(run.tenant.as_ref().unwrap().as_str(), "ca08493a-c9c8-4db0-a9e8-d3b4bafac269");
    assert_eq!(run.run_id, "dfd70a15-3042-4bc9-8e02-61d4f868be10");
    assert_eq!(run.completed.unwrap().to_string(), "2025-10-06T22:30:54.153Z");
    assert_eq!(run.admins.count, Some(2));
    assert_eq!(run.issues, []);
}

#[test]
fn annotations_without_comments_propose_nothing() {
    for file in [RESULTS_1_4, RESULTS_1_6, RESULTS_1_7, PRODUCT_REPORT_1_8, TABLE_1_8] {
        let Some(run) = run(file) else { return };
        assert!(run.findings.iter().all(|finding| finding.check.proposed_risk.is_none()), "{file}");
    }
}

#[test]
fn the_first_run_is_a_baseline() {
    let Some(run) = run(RESULTS_1_4) else { return };
    assert_eq!(run.run_id, "ScubaGear/ca08493a-c9c8-4db0-a9e8-d3b4bafac269/2024-08-02T19:25:11.166Z");
    let report = report(&run, None);
    assert_eq!(report.body.figures.report_type, ReportType::Baseline);
    let counts = report.body.figures.controls;
    assert_eq!((counts.secure, counts.open, counts.not_assessed), (55, 27, 48));
    assert_eq!(counts.assessed, 82);
    assert_eq!(report.body.checks.len(), 130);
}

#[test]
fn later_runs_show_what_was_fixed_and_what_drifted() {
    let (Some(first), Some(second), Some(third)) = (run(RESULTS_1_4), run(RESULTS_1_6), run(RESULTS_1_7)) else {
        return;
    };
    let first = report(&first, None);
    let second_alone = report(&second, None);
    let second = report(&second, Some(&first));
    assert_eq!(
        controls_with(&second, Status::Fixed),
        ["MS.DEFENDER.6.1", "MS.POWERPLATFORM.2.2", "MS.EXO.4.1", "MS.EXO.4.2", "MS.EXO.4.3", "MS.EXO.4.4",]
    );
    assert_eq!(controls_with(&second, Status::Drifted), ["MS.DEFENDER.1.5"]);
    assert_eq!(second.body.figures.score, second_alone.body.figures.score, "a comparison does not change the score");

    for earlier in [&second, &second_alone] {
        let third = report(&third, Some(earlier));
        assert_eq!(controls_with(&third, Status::Fixed), ["MS.AAD.5.2", "MS.DEFENDER.4.2"]);
        assert_eq!(controls_with(&third, Status::Drifted), ["MS.DEFENDER.4.4"]);
        assert_eq!(third.body.figures.previous_score, Some(second.body.figures.score));
    }
}

#[test]
fn one_products_report_and_the_table_are_read() {
    let (Some(report), Some(table)) = (run(PRODUCT_REPORT_1_8), run(TABLE_1_8)) else { return };
    assert_eq!(report.findings.len(), 30);
    assert_eq!(report.completed.unwrap().to_string(), "2026-05-04T17:15:48.000Z");
    assert_eq!(table.findings.len(), 92);
    assert_eq!((table.tenant, table.completed), (None, None));
}

#[test]
fn no_markup_and_no_badge_is_left() {
    for file in [RESULTS_1_4, RESULTS_1_6, RESULTS_1_7, PRODUCT_REPORT_1_8, TABLE_1_8] {
        let Some(run) = run(file) else { return };
        for check in run.findings.iter().map(|finding| &finding.check) {
            for text in [&check.name, &check.current_state] {
                assert!(
                    !text.is_empty() && text.trim() == text && !text.ends_with(" ."),
                    "{}: {text:?}",
                    check.control_id
                );
                for leftover in
                    ["<", ">", "&quot;", "BOD 25-01", "Automated Check", "View all CA policies", "#dns-logs", " . "]
                {
                    assert!(!text.contains(leftover), "{}: {text:?}", check.control_id);
                }
            }
        }
    }
}
