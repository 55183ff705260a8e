//! Prowler's findings, in both files.

use std::sync::LazyLock;

use assessments::{Combined, IssueKind, Run, Tool, Unreadable, combine, read};
use model::Status;
use serde_json::{Value, json};

use crate::support::{report, run};

const OCSF: &str = include_str!("../fixtures/prowler.ocsf.json");
const TABLE: &str = include_str!("../fixtures/prowler.csv");

/// Returns a finding as the tool writes it.
pub(crate) fn finding(check: &str, status: &str, found: &str) -> Value {
    static FIRST: LazyLock<Value> = LazyLock::new(|| serde_json::from_str::<Value>(OCSF).unwrap()[0].clone());
    let mut finding = FIRST.clone();
    finding["metadata"]["event_code"] = json!(check);
    finding["status_code"] = json!(status);
    finding["status_detail"] = json!(found);
    finding
}

/// Returns the same finding, muted by the operator.
pub(crate) fn muted(mut finding: Value) -> Value {
    finding["status"] = json!("Suppressed");
    finding
}

pub(crate) fn results(findings: &[Value]) -> Vec<u8> {
    json!(findings).to_string().into_bytes()
}

fn run_of(findings: &[Value]) -> Run {
    run(&results(findings))
}

fn combined(findings: &[Value]) -> Combined {
    combine([read(&results(findings)).unwrap()])
}

#[test]
fn findings_become_a_report() {
    let run = run(OCSF.as_bytes());
    insta::assert_json_snapshot!("prowler_issues", run.issues);
    insta::assert_json_snapshot!("prowler_left_out", run.left_out);
    insta::assert_json_snapshot!("prowler_report", report(&run, None).body);
}

#[test]
fn both_files_give_the_same_run() {
    assert!(run(OCSF.as_bytes()) == run(TABLE.as_bytes()));
}

#[test]
fn findings_name_tenant_version_and_times() {
    let run = run(OCSF.as_bytes());
    assert_eq!((run.tool, run.tool_version.as_deref()), (Tool::Prowler, Some("5.40.0")));
    assert_eq!(run.tenant.unwrap().as_str(), "11111111-2222-3333-4444-555555555555");
    assert_eq!(run.started.unwrap().to_string(), "2026-02-03T04:05:06.789Z", "without a zone it is UTC");
    assert_eq!(run.completed.unwrap().to_string(), "2026-02-03T04:05:15.789Z");
    assert_eq!(run.admins.count, Some(6));
}

#[test]
fn findings_of_a_check_are_combined_and_the_worst_counts() {
    const DENIED: &str = "Cannot verify MFA capability for user Eve: Insufficient privileges.";
    let folded = |findings: &[Value]| {
        let run = run_of(findings);
        assert_eq!((run.findings.len(), run.issues.len()), (1, 1), "only the administrators are not known");
        run.findings[0].check.status
    };
    let pass = || finding("entra_x", "PASS", "It is on.");
    let fail = || finding("entra_x", "FAIL", "It is off.");
    let manual = || finding("entra_x", "MANUAL", "Look for yourself.");
    let denied = || finding("entra_x", "FAIL", DENIED);
    for (findings, expected) in [
        (vec![pass(), pass()], Status::Secure),
        (vec![pass(), manual()], Status::NotAssessed),
        (vec![pass(), denied()], Status::NotAssessed),
        (vec![pass(), muted(fail())], Status::NotAssessed),
        (vec![muted(pass())], Status::NotAssessed),
        (vec![pass(), manual(), denied(), fail()], Status::Open),
    ] {
        assert_eq!(folded(&findings), expected, "{findings:?}");
    }
}

#[test]
fn the_state_contains_the_number_of_resources() {
    let state = |findings: &[Value]| run_of(findings).findings[0].check.current_state.clone();
    assert_eq!(state(&[finding("entra_x", "PASS", "It is on.")]), "It is on.");
    let mut users: Vec<_> = (0..1000).map(|n| finding("entra_x", "FAIL", &format!("User {n:03} is not."))).collect();
    users.push(finding("entra_x", "PASS", "User x is."));
    assert_eq!(
        state(&users),
        "1001 resources: 1000 failed, 1 passed.\nUser 000 is not.\nUser 001 is not.\nUser 002 is not.\nand 997 more"
    );
}

#[test]
fn the_tenant_is_found_where_any_version_writes_it() {
    const ID: &str = "99999999-2222-3333-4444-555555555555";
    let named = |edit: fn(&mut Value)| {
        let mut finding = finding("entra_x", "PASS", "x");
        finding["metadata"]["tenant_uid"] = json!(null);
        edit(&mut finding);
        run_of(&[finding]).tenant.map(|tenant| tenant.to_string())
    };
    assert_eq!(named(|finding| finding["unmapped"]["provider_uid"] = json!(ID)).as_deref(), Some(ID));
    assert_eq!(named(|finding| finding["cloud"]["account"]["uid"] = json!(ID)).as_deref(), Some(ID));
    assert_eq!(named(|_| {}), None, "a domain is no identifier");
    let table = TABLE.replace("11111111-2222-3333-4444-555555555555", "");
    assert_eq!(run(table.as_bytes()).tenant, None);
    let table = table.replace(";example.onmicrosoft.com;example", &format!(";{ID};example"));
    assert_eq!(run(table.as_bytes()).tenant.unwrap().as_str(), ID);
}

#[test]
fn every_tenant_has_a_run_of_its_own() {
    let mut other = finding("entra_x", "FAIL", "Theirs");
    other["metadata"]["tenant_uid"] = json!("99999999-2222-3333-4444-555555555555");
    let Combined { runs, issues, .. } = combined(&[finding("entra_x", "PASS", "Ours"), other]);
    let states: Vec<_> = runs.iter().map(|run| run.findings[0].check.current_state.as_str()).collect();
    assert_eq!((states, issues.len()), (vec!["Ours", "Theirs"], 0));
}

#[test]
fn a_row_that_is_not_a_finding_is_reported() {
    let Combined { runs, issues, .. } = combined(&[finding("entra_x", "PASS", "x"), json!({}), json!("x"), json!(1)]);
    assert_eq!(runs.len(), 1);
    assert_eq!(issues[0].to_string(), "skipped rows that are not findings: 3");
    let broken = TABLE.replacen("example.onmicrosoft.com;", "", 1);
    let Combined { runs, issues, .. } = combine([read(&broken.as_bytes()).unwrap()]);
    assert_eq!((runs.len(), issues.len()), (1, 1));

    let unknown = run_of(&[finding("entra_x", "PERHAPS", "x")]);
    assert_eq!(unknown.findings[0].check.status, Status::NotAssessed);
    assert!(unknown.issues.iter().any(|issue| issue.kind == IssueKind::UnknownResult));
}

#[test]
fn another_provider_is_refused() {
    let refusal = |findings: &[Value]| read(&results(findings)).err();
    let of = |provider: &str| {
        let mut finding = finding("x", "PASS", "x");
        finding["cloud"]["provider"] = json!(provider);
        finding
    };
    let error = refusal(&[of("m365"), of("azure")]);
    assert_eq!(error, Some(Unreadable::OtherProvider { found: "azure".to_owned(), read: "m365" }));
    assert_eq!(
        error.unwrap().to_string(),
        "the file contains results for the provider \"azure\"; only results for \"m365\" can be imported"
    );
    let table = TABLE.replace(";m365;", ";aws;");
    assert_eq!(
        read(&table.as_bytes()).err(),
        Some(Unreadable::OtherProvider { found: "aws".to_owned(), read: "m365" })
    );
    let text = refusal(&[of("anna@example.com, and so on")]).unwrap().to_string();
    assert!(text.contains("\"anna\"") && !text.contains('@'), "{text}");
    assert_eq!(refusal(&[of("microsoft365")]), None, "as the first versions call it");
}

#[test]
fn debug_output_names_nobody() {
    let run = run(OCSF.as_bytes());
    let debug = format!("{run:?}");
    for text in ["example", "Anna", "Bob", "11111111"] {
        assert!(!debug.contains(text), "{text} in {debug}");
    }
}
