//! Secure Score: scores and profiles, in one or several files.

use assessments::{Combined, IssueKind, Run, Tool, combine, read};
use model::{Category, Severity, Status};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::support::report;

const TENANT: &str = "11111111-2222-3333-4444-555555555555";
const OTHER_TENANT: &str = "99999999-2222-3333-4444-555555555555";

pub(crate) fn combined(files: &[Value]) -> Combined {
    combine(files.iter().map(|file| read(&file.to_string().into_bytes()).unwrap()))
}

/// Returns the one run of the files.
fn run(files: &[Value]) -> Run {
    let mut runs = combined(files).runs;
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn page(list: &str, rows: &[Value]) -> Value {
    json!({ "@odata.context": format!("https://graph.example/v1.0/$metadata#security/{list}"), "value": rows })
}

pub(crate) fn scores(rows: &[Value]) -> Value {
    page("secureScores", rows)
}

pub(crate) fn profiles(rows: &[Value]) -> Value {
    page("secureScoreControlProfiles", rows)
}

/// Returns the same page with a link to a next page.
fn open(mut page: Value) -> Value {
    page["@odata.nextLink"] = json!("https://graph.example/v1.0/next?$skiptoken=x");
    page
}

fn score_of(tenant: &str, day: &str, controls: &[Value]) -> Value {
    json!({
        "id": format!("{tenant}_{day}"),
        "azureTenantId": tenant,
        "createdDateTime": format!("{day}T00:00:00Z"),
        "controlScores": controls,
    })
}

pub(crate) fn score(controls: &[Value]) -> Value {
    score_of(TENANT, "2026-02-03", controls)
}

pub(crate) fn control(name: &str, score: Value, percent: Value) -> Value {
    json!({
        "controlCategory": "Identity",
        "controlName": name,
        "description": "<p>What it is about.</p>",
        "score": score,
        "scoreInPercentage": percent,
        "implementationStatus": "<p>As it <b>was</b> found.</p>",
    })
}

pub(crate) fn profile(control: &str, state: &str) -> Value {
    json!({
        "id": control,
        "azureTenantId": TENANT,
        "title": format!("What {control} asks for"),
        "service": "AzureAD",
        "maxScore": 5,
        "remediation": "<ol><li>Open it.</li><li>Change &amp; save it.</li></ol>",
        "threats": ["Account Breach", "dataExfiltration", "Password cracking"],
        "controlStateUpdates": [{ "state": state, "updatedDateTime": null }],
    })
}

/// Returns the status of the only control, from its share of the score and its decision.
fn status(score: Value, percent: Value, decision: &str) -> Status {
    let run = run(&[scores(&[self::score(&[control("A", score, percent)])]), profiles(&[profile("A", decision)])]);
    assert_eq!(run.findings.len(), 1);
    run.findings[0].check.status
}

fn issue(run: &Run, kind: IssueKind) -> Option<&str> {
    let mut found = run.issues.iter().filter(|issue| issue.kind == kind);
    let first = found.next().map(|issue| issue.message.as_str());
    assert!(found.next().is_none(), "{kind:?} is reported once");
    first
}

#[test]
fn all_points_are_secure_and_fewer_are_not() {
    for (percent, expected) in [
        (json!(100), Status::Secure),
        (json!("100"), Status::Secure),
        (json!(100.0), Status::Secure),
        (json!(99.99), Status::Open),
        (json!(99.999), Status::Open),
        (json!("33.3"), Status::Open),
        (json!(0), Status::Open),
    ] {
        assert_eq!(status(json!(1), percent.clone(), "Default"), expected, "{percent}");
    }
    for (score, expected) in
        [(json!("5"), Status::Secure), (json!(4.99), Status::Open), (json!(null), Status::NotAssessed)]
    {
        assert_eq!(status(score.clone(), json!(null), "Default"), expected, "{score} of 5 points");
    }
}

#[test]
fn a_mark_decides_before_the_points() {
    for (decision, short, full) in [
        ("Default", Status::Open, Status::Secure),
        ("Reviewed", Status::Open, Status::Secure),
        ("Ignored", Status::NotAssessed, Status::NotAssessed),
        ("thirdParty", Status::NotAssessed, Status::NotAssessed),
        ("Planned", Status::InProgress, Status::Secure),
        ("inProgress", Status::InProgress, Status::Secure),
        ("a word of tomorrow", Status::Open, Status::Secure),
    ] {
        assert_eq!(status(json!(2), json!(40), decision), short, "{decision}");
        assert_eq!(status(json!(5), json!(100), decision), full, "{decision}");
    }
}

#[test]
fn a_mark_that_is_not_known_is_reported_without_its_text() {
    let files =
        |decision| [scores(&[score(&[control("A", json!(1), json!(20))])]), profiles(&[profile("A", decision)])];
    let marked = run(&files("somebody@example.com"));
    assert_eq!(issue(&marked, IssueKind::UnknownMark), Some("is marked with an unknown word; its points decide"));
    assert_eq!(issue(&run(&files("Ignored")), IssueKind::UnknownMark), None);
}

#[test]
fn the_latest_mark_counts() {
    let mut marked = profile("A", "Planned");
    marked["controlStateUpdates"] = json!([
        { "state": "Planned", "updatedDateTime": "2026-01-02T00:00:00Z" },
        { "state": "Ignored", "updatedDateTime": "2026-02-01T00:00:00Z" },
        { "state": "Default", "updatedDateTime": null },
    ]);
    let run = run(&[scores(&[score(&[control("A", json!(1), json!(20))])]), profiles(&[marked])]);
    assert_eq!(run.findings[0].check.status, Status::NotAssessed);
    assert_eq!(run.findings[0].check.current_state, "As it was found.\nMarked as ignored.");
}

#[test]
fn a_control_without_score_is_not_assessed() {
    let run =
        run(&[scores(&[score(&[control("A", json!("much"), json!(null))])]), profiles(&[profile("A", "Default")])]);
    assert_eq!(run.findings[0].check.status, Status::NotAssessed);
    assert!(issue(&run, IssueKind::UnknownResult).is_some());
}

#[test]
fn score_and_profile_make_a_check() {
    let run = run(&[scores(&[score(&[control("A", json!(2), json!(40))])]), profiles(&[profile("A", "Planned")])]);
    assert_eq!(run.tool, Tool::SecureScore);
    assert_eq!(run.tenant.as_ref().unwrap().as_str(), TENANT);
    assert_eq!(run.run_id, format!("{TENANT}_2026-02-03"));
    assert_eq!(run.completed.unwrap().to_string(), "2026-02-03T00:00:00.000Z");
    let check = &run.findings[0].check;
    assert_eq!((check.category, check.severity), (Category::Accounts, Some(Severity::Medium)));
    assert_eq!(check.name, "What A asks for");
    assert_eq!(check.current_state, "As it was found.\nMarked as planned.");
    assert_eq!(check.why.as_deref(), Some("Protects from account breach, data exfiltration and password cracking."));
    assert_eq!(check.suggested_fix.as_deref(), Some("Open it.\nChange & save it."));
}

#[test]
fn severity_follows_from_the_points_of_a_control() {
    for (points, expected) in [
        (json!(10), Severity::Critical),
        (json!("9"), Severity::Critical),
        (json!(8.99), Severity::High),
        (json!(6), Severity::High),
        (json!(5), Severity::Medium),
        (json!(3), Severity::Medium),
        (json!(2), Severity::Low),
        (json!(0), Severity::Low),
    ] {
        let mut profile = profile("A", "Default");
        profile["maxScore"] = points.clone();
        let run = run(&[scores(&[score(&[control("A", json!(0), json!(0))])]), profiles(&[profile])]);
        assert_eq!(run.findings[0].check.severity, Some(expected), "{points}");
    }
}

#[test]
fn a_control_without_profile_is_imported_with_the_scores_texts() {
    let mut plain = control("B", json!(4), json!(50));
    plain["implementationStatus"] = json!("");
    let files = [scores(&[score(&[control("A", json!(1), json!(20)), plain])]), profiles(&[profile("A", "Default")])];
    let run = run(&files);
    assert_eq!(
        issue(&run, IssueKind::ProfileMissing),
        Some("imported controls without a profile, with the texts of the score; 1: B")
    );
    let check = &run.findings[1].check;
    assert_eq!((check.name.as_str(), check.current_state.as_str()), ("B", "Scored 4 of 8 points."));
    assert_eq!(check.severity, Some(Severity::High), "4 points are half of 8");
    assert_eq!((check.why.as_deref(), &check.suggested_fix), (Some("What it is about."), &None));
}

#[test]
fn without_a_profile_the_texts_are_those_of_the_catalogue() {
    let mut admins = control("OneAdmin", json!(0), json!(0));
    admins["count"] = json!("3");
    let run = run(&[scores(&[score(&[admins])])]);
    let check = &run.findings[0].check;
    assert_eq!((check.category, check.severity), (Category::GlobalAdmins, Some(Severity::Low)));
    assert_eq!(check.name, "Have more than one global administrator");
    assert!(check.why.is_some() && check.suggested_fix.is_some());
    assert_eq!(run.admins.count, Some(3), "the control counts the administrators");
    assert!(issue(&run, IssueKind::CounterpartMissing).unwrap().contains("secureScoreControlProfiles"));
}

#[test]
fn controls_that_no_section_covers_are_left_out_by_name() {
    let device = json!({ "controlCategory": "Device", "controlName": "scid_20", "score": 1, "scoreInPercentage": 10 });
    let label = json!({ "controlCategory": "Data", "controlName": "mip_new", "score": 1, "scoreInPercentage": 10 });
    let app = json!({ "controlCategory": "Apps", "controlName": "MDA_Other", "score": 1, "scoreInPercentage": 10 });
    let rows = [control("A", json!(1), json!(20)), device, label, app];
    let run = run(&[scores(&[score(&rows)]), profiles(&[profile("A", "Default"), profile("scid_20", "Default")])]);
    assert_eq!(run.findings.len(), 1);
    let left: Vec<_> = run.left_out.iter().map(|left| (left.control_id.as_str(), left.name.as_str())).collect();
    assert_eq!(left, [("MDA_Other", "MDA_Other"), ("mip_new", "mip_new"), ("scid_20", "What scid_20 asks for")]);
    let reported = run.issues.iter().filter(|issue| issue.kind == IssueKind::OutOfScope);
    assert!(reported.map(|issue| &issue.message).any(|message| message.ends_with("left out 1: scid_20")));
}

#[test]
fn pages_make_the_same_report_as_one() {
    let rows = ["A", "B", "C"].map(|name| control(name, json!(1), json!(20)));
    let described = ["A", "B", "C"].map(|name| profile(name, "Planned"));
    let whole = run(&[scores(&[score(&rows)]), profiles(&described)]);
    assert_eq!(issue(&whole, IssueKind::PageMissing), None);
    let (first, second) = (open(profiles(&described[..2])), profiles(&described[2..]));
    for files in [
        [scores(&[score(&rows)]), first.clone(), second.clone()],
        [second.clone(), scores(&[score(&rows)]), first.clone()],
        [first, second, scores(&[score(&rows)])],
    ] {
        assert!(run(&files) == whole);
        assert!(report(&run(&files), None) == report(&whole, None));
    }
}

#[test]
fn a_page_that_is_missing_is_reported() {
    let rows = ["A", "B"].map(|name| control(name, json!(1), json!(20)));
    let run = run(&[scores(&[score(&rows)]), open(profiles(&[profile("A", "Default")]))]);
    assert!(issue(&run, IssueKind::PageMissing).is_some());
    assert!(issue(&run, IssueKind::ProfileMissing).is_some());
}

#[test]
fn profiles_without_score_make_no_run() {
    let combined = combined(&[profiles(&[profile("A", "Default")])]);
    assert!(combined.runs.is_empty());
    assert_eq!(combined.issues.len(), 1);
    assert_eq!(combined.issues[0].kind, IssueKind::CounterpartMissing);
    assert!(combined.issues[0].message.contains("secureScores"));
}

#[test]
fn the_latest_score_of_each_tenant_makes_its_run() {
    let day = |tenant, day, percent| score_of(tenant, day, &[control("A", json!(1), json!(percent))]);
    let history = [day(TENANT, "2026-02-02", 0), day(TENANT, "2026-02-03", 100), day(TENANT, "2026-01-31", 0)];
    let other = [day(OTHER_TENANT, "2026-02-01", 20)];
    for files in [[scores(&history), scores(&other)], [scores(&other), scores(&history)]] {
        let runs = combined(&files).runs;
        let found: Vec<_> = runs.iter().map(|run| (run.run_id.as_str(), run.findings[0].check.status)).collect();
        assert_eq!(
            found,
            [
                ("11111111-2222-3333-4444-555555555555_2026-02-03", Status::Secure),
                ("99999999-2222-3333-4444-555555555555_2026-02-01", Status::Open),
            ]
        );
    }
}

#[test]
fn a_tenant_is_never_described_by_anothers_profiles() {
    let mut foreign = profile("A", "Ignored");
    foreign["azureTenantId"] = json!(OTHER_TENANT);
    for id in [json!(TENANT), json!("no identifier"), json!(null)] {
        let mut own = score(&[control("A", json!(1), json!(20))]);
        own["azureTenantId"] = id.clone();
        let run = run(&[scores(&[own]), profiles(std::slice::from_ref(&foreign))]);
        assert_eq!((run.findings[0].check.status, run.findings[0].check.name.as_str()), (Status::Open, "A"), "{id}");
    }
}

#[test]
fn rows_are_recognized_without_their_page() {
    let row = score(&[control("A", json!(1), json!(20))]);
    let expected = run(&[scores(std::slice::from_ref(&row)), profiles(&[profile("A", "Default")])]);
    let bare = profile("A", "Default");
    assert!(run(&[row.clone(), bare.clone()]) == expected);
    assert!(run(&[json!([row]), json!([bare])]) == expected);
    assert!(run(&[json!({ "value": [row] }), json!({ "value": [bare] })]) == expected);
}

#[test]
fn broken_rows_are_counted() {
    let files = [
        scores(&[
            json!({ "id": 1 }),
            score(&[control("A", json!(1), json!(20)), json!({ "controlName": "\n" }), json!(7)]),
        ]),
        profiles(&[profile("A", "Default"), json!("no profile")]),
    ];
    let combined = combined(&files);
    assert_eq!(combined.issues[0].message, "skipped rows that are neither scores nor profiles: 2");
    let run = &combined.runs[0];
    assert_eq!(issue(run, IssueKind::UnreadableRow), Some("skipped rows that are not control results: 2"));
}

proptest! {
    #[test]
    fn the_order_of_rows_and_files_never_matters(
        (rows, shuffled) in controls().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        first_page in 0..4_usize,
    ) {
        let described = ["A", "B", "C", "D"].map(|name| profile(name, "Planned"));
        let (first, second) = described.split_at(first_page);
        let whole = run(&[scores(&[score(&rows)]), profiles(&described)]);
        let other = run(&[profiles(second), scores(&[score(&shuffled)]), open(profiles(first))]);
        prop_assert!(whole.findings == other.findings);
        prop_assert!(whole.left_out == other.left_out);
    }
}

/// Shares of a score, some of the same control.
fn controls() -> impl Strategy<Value = Vec<Value>> {
    let any_control = (select(&["A", "B", "C", "D", "mip_a"]), 0..=5_i32, 0..=100_i32)
        .prop_map(|(name, points, percent)| control(name, json!(points), json!(percent.to_string())));
    prop::collection::vec(any_control, 1..8)
}
