//! Damaged rows: what is readable counts, what is not is an issue, and nothing good comes of a loss in silence.

use assessments::{IssueKind, NoReport, Run, assemble};
use model::Status;
use serde_json::{Value, json};

use crate::support::{results, row, run, settings};
use crate::{maester, prowler, zerotrust};

/// Number of rows of each file. Half of them fail.
const ROWS: usize = 100;

/// Text that PowerShell writes in place of an object beyond its depth.
const FLATTENED: &str = "@{a=1; b=System.Object[]}";

/// A tool's file, the fields that decide nothing, and those without which a row is lost.
struct Tool {
    file: fn(&[Value]) -> Vec<u8>,
    row: fn(usize) -> Value,
    fields: &'static [&'static str],
    needed: &'static [&'static str],
}

const TOOLS: [Tool; 4] = [
    Tool {
        file: |rows| results(rows),
        row: |index| row(&format!("MS.AAD.1.{index}v1"), if index % 2 == 0 { "Fail" } else { "Pass" }),
        fields: &["/Requirement", "/Criticality", "/Details"],
        needed: &["", "/Control ID", "/Result"],
    },
    Tool {
        file: |rows| maester::results(rows).to_string().into_bytes(),
        row: |index| {
            let result = if index % 2 == 0 { "Failed" } else { "Passed" };
            maester::test(&format!("MT.{}", 9000 + index), result, "x")
        },
        fields: &[
            "/Title",
            "/Severity",
            "/Block",
            "/ErrorRecord",
            "/ResultDetail",
            "/ResultDetail/TestDescription",
            "/ResultDetail/TestResult",
            "/ResultDetail/SkippedReason",
        ],
        needed: &["", "/Result"],
    },
    Tool {
        file: |rows| prowler::results(rows),
        row: |index| prowler::finding(&format!("entra_{index}"), if index % 2 == 0 { "FAIL" } else { "PASS" }, "x"),
        fields: &[
            "/status_detail",
            "/severity",
            "/risk_details",
            "/remediation",
            "/finding_info",
            "/unmapped",
            "/status",
            "/metadata/product",
            "/cloud",
        ],
        needed: &["", "/metadata", "/metadata/event_code", "/status_code"],
    },
    Tool {
        file: |rows| zerotrust::results(rows).to_string().into_bytes(),
        row: |index| zerotrust::test(&json!(90_000 + index), if index % 2 == 0 { "Failed" } else { "Passed" }, "x"),
        fields: &[
            "/TestTitle",
            "/TestPillar",
            "/TestCategory",
            "/TestRisk",
            "/TestDescription",
            "/TestResult",
            "/SkippedReason",
        ],
        needed: &["", "/TestId", "/TestStatus"],
    },
];

impl Tool {
    /// Returns the run of a file in which a field of the failing rows is an object's text, in a percentage of all rows.
    fn damaged(&self, field: &str, percent: usize) -> Run {
        let mut rows: Vec<_> = (0..ROWS).map(self.row).collect();
        let failing_first = (2..ROWS).step_by(2).chain((1..ROWS).step_by(2)).chain([0]);
        // The first row comes last, because the format is recognized by it.
        for index in failing_first.take(percent) {
            let damage = if field.ends_with("TestPillar") { json!({ "a": 1 }) } else { damage_of(field) };
            match rows[index].pointer_mut(field) {
                Some(value) => *value = damage,
                None => panic!("{field} is not in the row"),
            }
        }
        run(&(self.file)(&rows))
    }
}

/// A text is damage in place of an object; an object is damage in place of a text.
fn damage_of(field: &str) -> Value {
    let objects =
        ["", "/ResultDetail", "/ErrorRecord", "/metadata", "/finding_info", "/remediation", "/cloud", "/unmapped"];
    if objects.contains(&field) || field.ends_with("product") { json!(FLATTENED) } else { json!({ "a": FLATTENED }) }
}

fn score(run: &Run) -> Result<u8, NoReport> {
    assemble(run, &settings()).map(|report| report.body.score)
}

#[test]
fn a_row_counts_if_its_id_and_result_are_readable() {
    for tool in TOOLS {
        for field in tool.fields {
            for percent in [1, 10, 50, 100] {
                let run = tool.damaged(field, percent);
                let open = run.findings.iter().filter(|finding| finding.check.status == Status::Open).count();
                assert_eq!((run.rows.total, run.rows.lost), (ROWS, 0), "{field} {percent}");
                let muted_or_out = run.left_out.len();
                assert_eq!(open + muted_or_out, ROWS / 2 + muted_or_out, "{field} {percent}");
                let damaged = run.issues.iter().filter(|issue| issue.kind == IssueKind::UnreadableField);
                let messages: Vec<_> = damaged.map(|issue| issue.message.as_str()).collect();
                assert_eq!(messages.len(), 1, "{field} {percent}: {messages:?}");
                assert!(messages[0].contains(&format!(" {percent} rows")), "{field}: {messages:?}");
            }
        }
    }
}

#[test]
fn a_loss_of_rows_is_the_first_issue_or_ends_the_report() {
    for tool in TOOLS {
        for field in tool.needed {
            for percent in [1, 10, 50, 100] {
                let run = match std::panic::catch_unwind(|| tool.damaged(field, percent)) {
                    Ok(run) => run,
                    // A file of which every row is lost need not be a run.
                    Err(_) if percent == 100 => continue,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                assert_eq!((run.rows.total, run.rows.lost), (ROWS, percent), "{field}");
                let first = &run.issues[0];
                assert_eq!(first.kind, IssueKind::RowsLost, "{field}");
                assert!(first.message.starts_with(&format!("{percent} of {ROWS} rows are lost")), "{}", first.message);
                match (percent, score(&run)) {
                    (1 | 10, Ok(_)) => {}
                    (50, Err(NoReport::RowsLost { lost: 50, total: ROWS })) => {}
                    (100, Err(NoReport::AllUnreadable(ROWS))) => {}
                    (percent, other) => panic!("{field} {percent}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn a_lost_group_counts_as_several_rows() {
    let mut file: Value = serde_json::from_slice(&results(&[row("MS.AAD.1.1v1", "Pass")])).unwrap();
    file["Results"]["EXO"] = json!(["@{GroupName=a; Controls=System.Object[]}"]);
    let run = run(file.to_string().as_bytes());
    assert_eq!((run.rows.total, run.rows.lost), (5, 4));
    assert_eq!(score(&run), Err(NoReport::RowsLost { lost: 4, total: 5 }));
}
