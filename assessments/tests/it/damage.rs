//! Damaged rows: readable fields count, others are an issue, and no loss is silent.

use assessments::{IssueKind, NoReport, Run, assemble};
use model::Status;
use serde_json::{Value, json};

use crate::support::{results, row, run, settings};
use crate::{maester, prowler, secure_score, zerotrust};

/// Number of rows of each file. Half of them fail.
const ROWS: usize = 100;

/// Text that PowerShell writes instead of an object beyond its depth.
const FLATTENED: &str = "@{a=1; b=System.Object[]}";

/// A tool's file, the fields that decide nothing, and those without which a row is lost.
struct Tool {
    file: fn(&[Value]) -> Vec<u8>,
    row: fn(usize) -> Value,
    fields: &'static [&'static str],
    needed: &'static [&'static str],
}

const TOOLS: [Tool; 5] = [
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
            "/finding_info/title",
            "/remediation/desc",
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
    Tool {
        file: |rows| secure_score::scores(&[secure_score::score(rows)]).to_string().into_bytes(),
        row: |index| {
            let percent = if index % 2 == 0 { 0 } else { 100 };
            secure_score::control(&format!("Control{index}"), json!(percent / 20), json!(percent))
        },
        fields: &["/controlCategory", "/description", "/implementationStatus"],
        needed: &["", "/controlName", "/scoreInPercentage"],
    },
];

impl Tool {
    /// Returns the field with a word for the result. Microsoft Secure Score has a number.
    fn result(&self) -> Option<&'static str> {
        let fields = ["/Result", "/status_code", "/TestStatus"];
        self.needed.iter().copied().find(|field| fields.contains(field))
    }

    /// Returns the run of a file in which a field of the failing rows is an object's text, in a percentage of all rows.
    fn damaged(&self, field: &str, percent: usize) -> Run {
        let mut rows: Vec<_> = (0..ROWS).map(self.row).collect();
        let failing_first = (2..ROWS).step_by(2).chain((1..ROWS).step_by(2)).chain([0]);
        // The first row comes last, because it identifies the format.
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

/// Returns damage for a value: a text instead of an object, or an object instead of another value.
fn damage_of(field: &str) -> Value {
    let objects =
        ["", "/ResultDetail", "/ErrorRecord", "/metadata", "/finding_info", "/remediation", "/cloud", "/unmapped"];
    if objects.contains(&field) || field.ends_with("product") { json!(FLATTENED) } else { json!({ "a": FLATTENED }) }
}

fn score(run: &Run) -> Result<u8, NoReport> {
    assemble(run, &settings()).map(|report| report.body.figures.score)
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
                assert!(messages[0].contains(&format!(" {}", model::counted(percent, "row"))), "{field}: {messages:?}");
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
                    // A file that lost every row need not be a run.
                    Err(_) if percent == 100 => continue,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                assert_eq!((run.rows.total, run.rows.lost), (ROWS, percent), "{field}");
                let first = &run.issues[0];
                assert_eq!(first.kind, IssueKind::RowsLost, "{field}");
                assert!(first.message.starts_with(&format!("lost {percent} of {ROWS} rows")), "{}", first.message);
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
fn the_case_of_a_result_does_not_matter() {
    let changes: [fn(&str) -> String; 3] = [str::to_uppercase, str::to_lowercase, |word| format!(" {word} ")];
    for tool in TOOLS.into_iter().filter(|tool| tool.result().is_some()) {
        let field = tool.result().unwrap();
        let rows: Vec<_> = (0..ROWS).map(tool.row).collect();
        let as_written = run(&(tool.file)(&rows));
        for change in changes {
            let mut rows = rows.clone();
            for row in &mut rows {
                let word = row.pointer_mut(field).unwrap();
                *word = json!(change(word.as_str().unwrap()));
            }
            let changed = run(&(tool.file)(&rows));
            assert_eq!((changed.rows.lost, score(&changed)), (0, score(&as_written)), "{field}");
        }
    }
}

#[test]
fn a_word_that_stays_unknown_is_a_lost_row() {
    for tool in TOOLS.into_iter().filter(|tool| tool.result().is_some()) {
        let field = tool.result().unwrap();
        for percent in [1, 10, 11, 100] {
            let mut rows: Vec<_> = (0..ROWS).map(tool.row).collect();
            let unknown = rows.iter_mut().rev().take(percent);
            unknown.for_each(|row| *row.pointer_mut(field).unwrap() = json!("Perhaps"));
            let run = run(&(tool.file)(&rows));
            assert_eq!((run.rows.lost, run.issues[0].kind), (percent, IssueKind::RowsLost), "{field}");
            assert!(run.issues.iter().any(|issue| issue.kind == IssueKind::UnknownResult), "{field}");
            match (percent, score(&run)) {
                (1 | 10, Ok(_)) => {}
                (11, Err(NoReport::NotUnderstood { unknown: 11, total: ROWS })) => {}
                (100, Err(NoReport::UnknownResults(controls))) => assert_eq!(controls, run.findings.len()),
                (percent, other) => panic!("{field} {percent}: {other:?}"),
            }
        }
    }
}

#[test]
fn marks_that_are_damaged_are_lost_results() {
    let control = |index: usize| secure_score::control(&format!("Control{index}"), json!(5), json!(100));
    let scores = secure_score::scores(&[secure_score::score(&(0..ROWS).map(control).collect::<Vec<_>>())]);
    let run = |damage: &dyn Fn(usize, &mut Value)| {
        let profiles = (0..ROWS).map(|index| {
            // All points belong to a third party, except for one control.
            let decision = if index == 0 { "Default" } else { "ThirdParty" };
            let mut profile = secure_score::profile(&format!("Control{index}"), decision);
            damage(index, &mut profile);
            profile
        });
        let profiles = secure_score::profiles(&profiles.collect::<Vec<_>>());
        let mut runs = secure_score::combined(&[scores.clone(), profiles]).runs;
        runs.remove(0)
    };
    let secure = |run: &Run| run.findings.iter().filter(|finding| finding.check.status == Status::Secure).count();
    assert_eq!(secure(&run(&|_, _| ())), 1);
    for percent in [1, 10, 50] {
        let decisions = run(&|index, profile| {
            if index >= ROWS - percent {
                profile["controlStateUpdates"] = json!(FLATTENED);
            }
        });
        assert_eq!((secure(&decisions), decisions.rows.lost), (1, percent));
        assert_eq!(decisions.issues[0].kind, IssueKind::RowsLost);
        assert_eq!(score(&decisions).is_ok(), percent <= 10);
        // Without its profile, the points of a control count, and the first issue reports this.
        let profiles = run(&|index, profile| {
            if index >= ROWS - percent {
                *profile = json!(FLATTENED);
            }
        });
        assert_eq!((secure(&profiles), profiles.issues[0].kind), (1 + percent, IssueKind::ProfileMissing));
    }
}

#[test]
fn findings_that_lost_their_tenant_are_lost() {
    let mut rows: Vec<_> = (0..ROWS).map(|index| prowler::finding(&format!("entra_{index}"), "PASS", "x")).collect();
    for row in &mut rows[1..=5] {
        for place in ["/metadata/tenant_uid", "/unmapped", "/cloud/account"] {
            if let Some(value) = row.pointer_mut(place) {
                *value = Value::Null;
            }
        }
        row["status_code"] = json!("FAIL");
    }
    let run = run(&prowler::results(&rows));
    assert_eq!((run.rows.total, run.rows.lost, run.issues[0].kind), (ROWS, 5, IssueKind::RowsLost));
}

#[test]
fn a_lost_group_counts_as_several_rows() {
    let mut file: Value = serde_json::from_slice(&results(&[row("MS.AAD.1.1v1", "Pass")])).unwrap();
    file["Results"]["EXO"] = json!(["@{GroupName=a; Controls=System.Object[]}"]);
    let run = run(file.to_string().as_bytes());
    assert_eq!((run.rows.total, run.rows.lost), (5, 4));
    assert_eq!(score(&run), Err(NoReport::RowsLost { lost: 4, total: 5 }));
}
