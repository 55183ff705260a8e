//! Real results of the tools, recounted here directly from the files. Without their folder, these tests print that they
//! skip.

#[path = "../corpus/mod.rs"]
pub(crate) mod corpus_files;

use std::collections::{BTreeMap, BTreeSet};

use assessments::{Combined, IssueKind, Run, Unreadable, combine, read};
use model::Status;
use serde_json::Value;

use crate::support::report;

const MAESTER: &str = "maester/TestResults-2025-11-27.json";
const ZERO_TRUST: &str = "zerotrust/SampleReport.json";
const PROWLER_OCSF: &str = "prowler/derived_m365.ocsf.json";
const PROWLER_TABLE: &str = "prowler/derived_m365.csv";
const SECURE_SCORE: &str = "securescore/secureScore.json";
const SECURE_SCORE_PROFILES: &str = "securescore/profiles.json";
const PROWLER_OTHER: &str = "prowler/example_output_azure.ocsf.json";

/// Returns a file of the corpus, or `None` if it does not exist.
pub(crate) fn corpus(file: &str) -> Option<Vec<u8>> {
    corpus_files::path(file).map(|path| std::fs::read(path).unwrap())
}

/// Returns the only run of a corpus file, and the file as JSON if it is JSON.
fn run(file: &str) -> Option<(Run, Value)> {
    let bytes = corpus(file)?;
    let Combined { mut runs, issues, .. } = combine([read(&bytes).unwrap()]);
    assert_eq!((runs.len(), issues.len()), (1, 0), "{file}");
    Some((runs.remove(0), serde_json::from_slice(&bytes).unwrap_or_default()))
}

/// Returns the worst of the statuses: open, then not assessed, then secure.
fn worst(a: Status, b: Status) -> Status {
    let badness = |status| [Status::Secure, Status::NotAssessed, Status::Open].iter().position(|each| *each == status);
    if badness(a) > badness(b) { a } else { b }
}

/// Returns the worst status of each control; `row` extracts control and status from a row.
fn counted<'a>(
    rows: impl IntoIterator<Item = &'a Value>,
    row: impl Fn(&Value) -> (String, Status),
) -> BTreeMap<String, Status> {
    let mut controls = BTreeMap::new();
    for (control, status) in rows.into_iter().map(row) {
        controls.entry(control).and_modify(|known| *known = worst(*known, status)).or_insert(status);
    }
    controls
}

fn text(row: &Value, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}

/// Asserts that every control is in the report with that status, or left out of it.
fn assert_report(run: &Run, expected: BTreeMap<String, Status>) {
    let body = report(run, None).body;
    let mut found: BTreeMap<String, Status> =
        body.checks.iter().map(|check| (check.control_id.to_string(), check.status)).collect();
    for control in run.left_out.iter().map(|control| control.control_id.as_str()) {
        assert!(found.insert(control.to_owned(), expected[control]).is_none(), "{control} is in both");
    }
    assert_eq!(found, expected);
    let counts = body.figures.controls;
    let count = |status| body.checks.iter().filter(|check| check.status == status).count();
    assert_eq!(counts.secure as usize, count(Status::Secure));
    assert_eq!(counts.open as usize, count(Status::Open));
    assert_eq!(counts.not_assessed as usize, count(Status::NotAssessed));
}

#[test]
fn maesters_statuses_are_those_of_the_rows() {
    let Some((run, file)) = run(MAESTER) else { return };
    let rows = file["Tests"].as_array().unwrap();
    let expected = counted(rows, |row| {
        let id = text(row, "Id");
        let id = match id.split('.').collect::<Vec<_>>()[..] {
            ["MT", test @ ("1033" | "1059"), _] => format!("MT.{test}"),
            _ => id,
        };
        let status = match text(row, "Result").as_str() {
            "Passed" => Status::Secure,
            "Failed" => Status::Open,
            _ => Status::NotAssessed,
        };
        (id, status)
    });
    assert_eq!((rows.len(), expected.len(), run.left_out.len()), (317, 314, 12));
    assert_report(&run, expected);
    let counts = report(&run, None).body.figures.controls;
    assert_eq!((counts.secure, counts.open, counts.not_assessed), (71, 65, 166));
}

#[test]
fn maesters_run_is_read_completely() {
    let Some((run, _)) = run(MAESTER) else { return };
    assert_eq!(run.tool_version.as_deref(), Some("Next"));
    assert_eq!(run.tenant.as_ref().unwrap().as_str(), "0817c655-a853-4d8f-9723-3a333b5b9235");
    assert_eq!(run.completed.unwrap().to_string(), "2025-11-27T10:32:38.460Z");
    assert_eq!(run.admins.count, Some(18));
    let unknown: Vec<_> = run.issues.iter().filter(|issue| issue.kind == IssueKind::UnknownControl).collect();
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    assert_eq!(unknown[0].control_id.as_ref().unwrap().as_str(), "CT001", "a test that the operator added");
}

#[test]
fn zero_trust_assessments_statuses_are_those_of_the_rows() {
    let Some((run, file)) = run(ZERO_TRUST) else { return };
    let rows = file["Tests"].as_array().unwrap();
    let expected = counted(rows, |row| {
        let status = match text(row, "TestStatus").as_str() {
            "Passed" => Status::Secure,
            "Failed" => Status::Open,
            _ => Status::NotAssessed,
        };
        (row["TestId"].to_string().trim_matches('"').to_owned(), status)
    });
    let identity = rows.iter().filter(|row| row["TestPillar"] == "Identity" || row["TestPillar"].is_null()).count();
    assert_eq!((rows.len(), identity), (295, 136));
    assert_eq!(
        run.findings.len(),
        identity + 7,
        "and seven tests of other pillars that concern a section all the same"
    );
    assert_eq!(run.left_out.len(), 152);
    assert_report(&run, expected);
}

#[test]
fn zero_trust_assessments_run_is_read_completely() {
    let Some((run, _)) = run(ZERO_TRUST) else { return };
    assert_eq!(run.tenant.as_ref().unwrap().as_str(), "aaaabbbb-0000-cccc-1111-dddd2222eeee");
    assert_eq!(run.completed.unwrap().to_string(), "2026-05-18T22:21:38.163Z");
    assert_eq!(run.admins.count, Some(22));
    assert!(run.issues.iter().all(|issue| issue.kind == IssueKind::OutOfScope), "{:?}", run.issues);
    assert!(run.findings.iter().all(|finding| finding.check.why.is_some()));
}

#[test]
fn prowlers_statuses_are_those_of_the_rows() {
    let Some((run, file)) = run(PROWLER_OCSF) else { return };
    let expected = counted(file.as_array().unwrap(), |row| {
        let denied = text(row, "status_detail").contains("Insufficient privileges");
        let status = match text(row, "status_code").as_str() {
            _ if denied => Status::NotAssessed,
            "PASS" => Status::Secure,
            "FAIL" => Status::Open,
            _ => Status::NotAssessed,
        };
        (text(&row["metadata"], "event_code"), status)
    });
    assert_eq!((expected.len(), run.left_out.len(), run.issues.len()), (8, 0, 0));
    assert_report(&run, expected);
    assert_eq!(run.admins.count, Some(6));
}

#[test]
fn prowlers_files_give_the_same_run() {
    let (Some((findings, _)), Some((table, _))) = (run(PROWLER_OCSF), run(PROWLER_TABLE)) else { return };
    assert!(findings == table);
}

#[test]
fn prowlers_results_for_another_provider_are_refused() {
    let Some(bytes) = corpus(PROWLER_OTHER) else { return };
    assert_eq!(read(&bytes).err(), Some(Unreadable::OtherProvider { found: "azure".to_owned(), read: "m365" }));
}

#[test]
fn a_file_that_was_cut_off_is_refused() {
    for file in [MAESTER, ZERO_TRUST, PROWLER_OCSF] {
        let Some(bytes) = corpus(file) else { return };
        let whole = bytes.trim_ascii_end();
        let half = whole[..whole.len() / 2].iter().rposition(|byte| *byte == b'\n').unwrap();
        for length in [whole.len() - 1, half] {
            let error = read(&&whole[..length]).err();
            assert!(matches!(error, Some(Unreadable::CutOff { .. })), "{file}: {error:?}");
        }
    }
}

#[test]
fn no_markup_is_left() {
    for file in [MAESTER, ZERO_TRUST, PROWLER_OCSF] {
        let Some((run, _)) = run(file) else { return };
        for check in run.findings.iter().map(|finding| &finding.check) {
            for text in
                [Some(&check.current_state), check.why.as_ref(), check.suggested_fix.as_ref()].into_iter().flatten()
            {
                assert!(!text.is_empty() && text.trim() == text, "{}: {text:?}", check.control_id);
                for leftover in ["](https://entra", "\n#", "```", "<br", "&nbsp;", ":---", "\n\n", "%TestResult%"] {
                    assert!(!text.contains(leftover), "{}: {text:?}", check.control_id);
                }
            }
            for line in [check.why.as_ref(), check.suggested_fix.as_ref()].into_iter().flatten() {
                assert!(!line.contains('\n'), "{}: {line:?}", check.control_id);
            }
        }
    }
}

/// Returns the run of the score with these pages of profiles, and the score itself.
fn secure_score(pages: &[Value]) -> Option<(Run, Value)> {
    let score = corpus(SECURE_SCORE)?;
    let files = pages.iter().map(|page| page.to_string().into_bytes()).chain([score.clone()]);
    let mut combined = combine(files.map(|file| read(&file).unwrap()));
    assert_eq!((combined.runs.len(), combined.issues.len()), (1, 0));
    Some((combined.runs.remove(0), serde_json::from_slice(&score).unwrap()))
}

fn profiles_page() -> Option<Value> {
    Some(serde_json::from_slice(&corpus(SECURE_SCORE_PROFILES)?).unwrap())
}

#[test]
fn secure_scores_statuses_are_those_of_the_score() {
    let Some(page) = profiles_page() else { return };
    let (run, file) = secure_score(std::slice::from_ref(&page)).unwrap();
    let decisions =
        page["value"].as_array().unwrap().iter().flat_map(|row| row["controlStateUpdates"].as_array().unwrap());
    assert!(
        decisions.clone().count() > 100 && decisions.clone().all(|decision| decision["state"] == "Default"),
        "nothing is marked"
    );
    let rows = file["value"][0]["controlScores"].as_array().unwrap();
    let expected = counted(rows, |row| {
        let status = if row["scoreInPercentage"] == 100 { Status::Secure } else { Status::Open };
        (text(row, "controlName"), status)
    });
    assert_eq!(expected.len(), 68);
    assert_report(&run, expected);
}

#[test]
fn secure_scores_controls_without_a_profile_are_named() {
    let Some(page) = profiles_page() else { return };
    let (run, file) = secure_score(std::slice::from_ref(&page)).unwrap();
    let described: Vec<_> = page["value"].as_array().unwrap().iter().map(|row| text(row, "id")).collect();
    let rows = file["value"][0]["controlScores"].as_array().unwrap().iter().map(|row| text(row, "controlName"));
    let missing: BTreeSet<_> = rows.filter(|control| !described.contains(control)).collect();
    let missing = Vec::from_iter(missing).join(", ");
    let issue = run.issues.iter().find(|issue| issue.kind == IssueKind::ProfileMissing).unwrap();
    assert!(issue.message.ends_with(&format!("; 27: {missing}")), "{}", issue.message);
    assert!(run.issues.iter().any(|issue| issue.kind == IssueKind::PageMissing), "the page says that the list goes on");
    assert!(run.issues.iter().any(|issue| issue.kind == IssueKind::TenantUnknown), "the identifier is made up");
    assert_eq!(run.admins.count, Some(1));
}

#[test]
fn secure_scores_checks_are_complete_and_without_markup() {
    let Some(page) = profiles_page() else { return };
    let (run, _) = secure_score(&[page]).unwrap();
    for check in run.findings.iter().map(|finding| &finding.check) {
        let id = &check.control_id;
        assert!(check.name != id.as_str() && check.severity.is_some(), "{id}");
        let texts = [Some(&check.name), Some(&check.current_state), check.why.as_ref(), check.suggested_fix.as_ref()];
        for text in texts.map(|text| text.unwrap_or_else(|| panic!("{id} lacks a text"))) {
            assert!(!text.is_empty() && text.trim() == text, "{id}: {text:?}");
            for leftover in ["<", "&nbsp;", "&amp;", "&lsquo;", "\t", "\n\n"] {
                assert!(!text.contains(leftover), "{id}: {text:?}");
            }
        }
        assert!(!check.why.as_ref().unwrap().contains('\n'), "{id}: one line");
    }
}

#[test]
fn secure_scores_profiles_in_pages_make_the_same_report() {
    let Some(page) = profiles_page() else { return };
    let rows = page["value"].as_array().unwrap();
    let part = |rows: &[Value]| serde_json::json!({ "value": rows, "@odata.nextLink": page["@odata.nextLink"] });
    let pages = [part(&rows[..70]), part(&rows[70..71]), part(&rows[71..])];
    let (whole, _) = secure_score(std::slice::from_ref(&page)).unwrap();
    let (paged, _) = secure_score(&pages).unwrap();
    assert!(whole == paged && report(&whole, None) == report(&paged, None));
}
