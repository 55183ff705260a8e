//! Maester's files.

use assessments::{IssueKind, Run, Tool, combine, read};
use model::{Severity, Status};
use serde_json::{Value, json};

use crate::support::{report, run};

const RESULTS: &str = include_str!("../fixtures/maester.json");

/// Returns a results file with these tests.
pub(crate) fn results(tests: &[Value]) -> Value {
    let mut file: Value = serde_json::from_str(RESULTS).unwrap();
    file["Tests"] = json!(tests);
    file
}

/// Returns a test as the tool writes it.
pub(crate) fn test(id: &str, result: &str, found: &str) -> Value {
    json!({
        "Id": id,
        "Title": format!("What {id} asks for."),
        "Name": format!("{id}: What {id} asks for."),
        "Severity": "High",
        "Result": result,
        "ErrorRecord": [],
        "Block": "Maester/Entra",
        "ResultDetail": { "TestDescription": "", "TestResult": found, "SkippedReason": null },
    })
}

fn run_of(tests: &[Value]) -> Run {
    run(results(tests).to_string().as_bytes())
}

fn status(run: &Run, control: &str) -> Status {
    run.findings.iter().find(|finding| finding.check.control_id.as_str() == control).unwrap().check.status
}

#[test]
fn a_results_file_becomes_a_report() {
    let run = run(RESULTS.as_bytes());
    insta::assert_json_snapshot!("maester_issues", run.issues);
    insta::assert_json_snapshot!("maester_left_out", run.left_out);
    insta::assert_json_snapshot!("maester_report", report(&run, None).body);
}

#[test]
fn a_results_file_names_tenant_version_and_times() {
    let run = run(RESULTS.as_bytes());
    assert_eq!((run.tool, run.tool_version.as_deref()), (Tool::Maester, Some("1.3.0")));
    assert_eq!(run.tenant.unwrap().as_str(), "11111111-2222-3333-4444-555555555555");
    assert_eq!(run.started.unwrap().to_string(), "2026-02-03T04:05:06.789Z");
    assert_eq!(run.completed.unwrap().to_string(), "2026-02-03T04:08:42.789Z");
    assert_eq!(run.run_id, "Maester/11111111-2222-3333-4444-555555555555/2026-02-03T04:08:42.789Z");
    assert_eq!(run.admins.count, Some(18), "the ratio counts people, and is newer than the recommendation");
}

#[test]
fn the_result_is_the_tools_own() {
    for (result, expected) in [
        ("Passed", Status::Secure),
        ("Failed", Status::Open),
        ("Skipped", Status::NotAssessed),
        ("NotRun", Status::NotAssessed),
        ("Error", Status::NotAssessed),
        ("Investigate", Status::NotAssessed),
        ("Bewildered", Status::NotAssessed),
    ] {
        let run = run_of(&[test("MT.1001", result, "x")]);
        assert_eq!(status(&run, "MT.1001"), expected, "{result}");
        let unknown = run.issues.iter().any(|issue| issue.kind == IssueKind::UnknownResult);
        assert_eq!(unknown, result == "Bewildered", "{result}");
    }
}

#[test]
fn a_merged_file_makes_a_run_of_each_tenant() {
    let mut other = results(&[test("MT.1001", "Failed", "x")]);
    other["TenantId"] = json!("99999999-2222-3333-4444-555555555555");
    let first: Value = serde_json::from_str(RESULTS).unwrap();
    let merged = json!({ "Tenants": [first, other, { "TenantId": "x" }], "CurrentVersion": "1.3.0", "EndOfJson": "x" });
    let combined = combine([read(&merged.to_string().as_bytes()).unwrap()]);
    assert_eq!(combined.runs.len(), 2);
    assert!(combined.runs[0] == run(RESULTS.as_bytes()));
    assert_eq!(combined.runs[1].tenant.as_ref().unwrap().as_str(), "99999999-2222-3333-4444-555555555555");
    assert_eq!(combined.runs[1].findings.len(), 1);
    let kinds: Vec<_> = combined.issues.iter().map(|issue| issue.kind).collect();
    assert_eq!(kinds, [IssueKind::UnreadableRow], "the last element is no tenant's results");

    let single = json!({ "Tenants": first, "EndOfJson": "EndOfJson" });
    assert!(run(single.to_string().as_bytes()) == run(RESULTS.as_bytes()), "a list of one may be the element itself");
}

#[test]
fn a_run_without_connection_names_no_tenant() {
    let mut file = results(&[test("MT.1001", "Passed", "x")]);
    file["TenantId"] = json!("TenantId (not connected to Graph)");
    let run = run(file.to_string().as_bytes());
    assert_eq!(run.tenant, None);
    assert!(run.issues.iter().any(|issue| issue.kind == IssueKind::TenantUnknown));
}

#[test]
fn first_versions_name_tests_in_one_text() {
    let mut old = test("MT.1003", "Failed", "x");
    for key in ["Id", "Title", "Severity"] {
        old.as_object_mut().unwrap().remove(key);
    }
    let run = run_of(&[old]);
    let check = &run.findings[0].check;
    assert_eq!((check.control_id.as_str(), check.name.as_str()), ("MT.1003", "What MT.1003 asks for."));
    assert_eq!(check.severity, None);
}

#[test]
fn several_rows_of_a_test_are_one_check() {
    let rows = [("Passed", "b"), ("Failed", "d"), ("Failed", "c"), ("Skipped", "a"), ("Failed", "e"), ("Failed", "f")];
    let tests: Vec<_> =
        rows.iter().enumerate().map(|(n, (result, found))| test(&format!("MT.1033.{n}"), result, found)).collect();
    let run = run_of(&tests);
    assert_eq!(run.findings.len(), 1);
    let check = &run.findings[0].check;
    assert_eq!((check.control_id.as_str(), check.status), ("MT.1033", Status::Open));
    assert_eq!(check.name, "Users should be blocked from using legacy authentication", "the name contains no user");
    assert_eq!(check.current_state, "6 results: 4 failed, 1 not assessed, 1 passed.\nc\nd\ne\nand 1 more");
    let issue = run.issues.iter().find(|issue| issue.kind == IssueKind::DuplicateControl).unwrap();
    assert_eq!(issue.to_string(), "MT.1033: is listed 6 times; the worst result counts");
}

#[test]
fn rows_without_findings_are_counted() {
    let run = run_of(&[test("MT.1033.0", "NotRun", ""), test("MT.1033.1", "NotRun", " ")]);
    assert_eq!(run.findings[0].check.current_state, "2 results: 2 not assessed.");
    let run = run_of(&[test("MT.1033.0", "NotRun", "")]);
    assert_eq!(run.findings[0].check.current_state, "The control was not evaluated.");
}

#[test]
fn severities_below_the_lowest_are_none() {
    for (word, expected) in [
        (json!("Critical"), Some(Severity::Critical)),
        (json!("Low"), Some(Severity::Low)),
        (json!("Info"), None),
        (json!(""), None),
        (json!(null), None),
    ] {
        let mut row = test("CISA.MS.AAD.1.1", "Failed", "x");
        row["Severity"] = word.clone();
        assert_eq!(run_of(&[row]).findings[0].check.severity, expected, "{word}");
    }
}

#[test]
fn long_results_are_shortened() {
    let table: Vec<_> = (0..50).map(|n| format!("- {n} {}", "x".repeat(400))).collect();
    let run = run_of(&[test("MT.1001", "Failed", &table.join("\n"))]);
    let state = &run.findings[0].check.current_state;
    let lines: Vec<_> = state.lines().collect();
    assert_eq!((lines.len(), lines[20]), (21, "and 30 more lines"));
    assert!(lines[0].starts_with("- 0 xxx") && lines[0].ends_with('…') && lines[0].chars().count() == 301);
}

#[test]
fn debug_output_names_nobody() {
    let run = run(RESULTS.as_bytes());
    let debug = format!("{run:?} {}", run.issues.iter().map(ToString::to_string).collect::<String>());
    for text in ["Example", "anna", "Anna", "bob", "11111111"] {
        assert!(!debug.contains(text), "{text} in {debug}");
    }
}
