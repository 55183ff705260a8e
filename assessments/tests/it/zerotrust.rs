//! Zero Trust Assessment's report.

use assessments::{IssueKind, Run, Tool};
use model::{Category, Status};
use serde_json::{Value, json};

use crate::support::{report, run};

const REPORT: &str = include_str!("../fixtures/zerotrust.json");

/// Returns a report file with these tests.
pub(crate) fn results(tests: &[Value]) -> Value {
    let mut file: Value = serde_json::from_str(REPORT).unwrap();
    file["Tests"] = json!(tests);
    file
}

/// Returns a test as the tool writes it.
pub(crate) fn test(id: &Value, status: &str, found: &str) -> Value {
    json!({
        "TestId": id,
        "TestTitle": format!("What {id} asks for"),
        "TestStatus": status,
        "TestPillar": "Identity",
        "TestCategory": "Access control",
        "TestRisk": "High",
        "TestMinimumLicense": ["P2", "Governance"],
        "TestDescription": "It is attacked.\n\n**Remediation action**\n\n- Change it",
        "TestResult": found,
        "SkippedReason": null,
    })
}

fn run_of(tests: &[Value]) -> Run {
    run(results(tests).to_string().as_bytes())
}

#[test]
fn a_report_file_becomes_a_report() {
    let run = run(REPORT.as_bytes());
    insta::assert_json_snapshot!("zerotrust_issues", run.issues);
    insta::assert_json_snapshot!("zerotrust_left_out", run.left_out);
    insta::assert_json_snapshot!("zerotrust_report", report(&run, None).body);
}

#[test]
fn a_report_file_names_tenant_version_and_time() {
    let run = run(REPORT.as_bytes());
    assert_eq!((run.tool, run.tool_version.as_deref()), (Tool::ZeroTrustAssessment, Some("2.1.8")));
    assert_eq!(run.tenant.unwrap().as_str(), "11111111-2222-3333-4444-555555555555");
    assert_eq!((run.started, run.completed.unwrap().to_string()), (None, "2026-02-03T04:05:06.789Z".to_owned()));
    assert_eq!(run.admins.count, Some(22), "the ratio counts people, the maximum applications too");
}

#[test]
fn the_result_is_the_tools_own() {
    for (status, expected) in [
        ("Passed", Status::Secure),
        ("Failed", Status::Open),
        ("Skipped", Status::NotAssessed),
        ("Planned", Status::NotAssessed),
        ("Error", Status::NotAssessed),
        ("Investigate", Status::NotAssessed),
        ("Bewildered", Status::NotAssessed),
    ] {
        let run = run_of(&[test(&json!("21796"), status, "x")]);
        assert_eq!(run.findings[0].check.status, expected, "{status}");
        let unknown = run.issues.iter().any(|issue| issue.kind == IssueKind::UnknownResult);
        assert_eq!(unknown, status == "Bewildered", "{status}");
    }
}

#[test]
fn an_id_is_a_number_or_a_text() {
    let run = run_of(&[test(&json!(21796), "Passed", "a"), test(&json!("21796"), "Failed", "b")]);
    let check = &run.findings[0].check;
    assert_eq!((run.findings.len(), check.control_id.as_str(), check.status), (1, "21796", Status::Open));
    assert_eq!(check.current_state, "2 results: 1 failed, 1 passed.\nb");
    assert!(run.issues.iter().any(|issue| issue.kind == IssueKind::DuplicateControl));
}

#[test]
fn a_test_that_is_not_known_belongs_where_its_pillar_and_category_do() {
    let place = |pillar: Value, category: &str| {
        let mut row = test(&json!("99999"), "Passed", "x");
        row["TestPillar"] = pillar;
        row["TestCategory"] = json!(category);
        let run = run_of(&[row]);
        let category = run.findings.first().map(|finding| finding.check.category);
        (category, run.left_out.first().map(|control| control.reason.clone()))
    };
    let left_out = |reason: &str| (None, Some(reason.to_owned()));
    assert_eq!(place(json!("Identity"), "Privileged access"), (Some(Category::GlobalAdmins), None));
    assert_eq!(place(json!("Identity"), "Something new"), (Some(Category::AppsDirectory), None));
    assert_eq!(place(json!("SecOps"), "Email and collaboration security"), (Some(Category::Exchange), None));
    assert_eq!(place(json!("Network"), "Global Secure Access"), left_out("network access"));
    assert_eq!(place(json!(["AI", "SecOps"]), "AI Threat Detection"), left_out("AI agents"));
    assert_eq!(place(json!("Unheard of"), "Something new"), (Some(Category::AppsDirectory), None), "and is reported");
}
