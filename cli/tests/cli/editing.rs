//! `posture report edit` and `delete`.

use serde_json::{Value, json};

use crate::samples::results;
use crate::support::{Member, Service, text_of};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";

/// Returns a service with one report for each list of results, a month apart.
fn service(months: &[&[(&str, &str)]]) -> (Service, Member) {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    for (month, controls) in (1..).zip(months) {
        let file = service.file("results.json", results(PROVIDER_ID, month, controls));
        service.text(&["report", "import", "--org", &member.id, &file]);
    }
    (service, member)
}

/// Returns the newest report, as the API returns it.
fn newest(service: &Service, member: &Member) -> Value {
    service.get(&member.key, "/v1/posture-reports").1["reports"][0].clone()
}

fn check<'a>(report: &'a Value, control: &str) -> &'a Value {
    report["checks"].as_array().unwrap().iter().find(|check| check["controlId"] == control).unwrap()
}

#[test]
fn the_api_returns_an_edit_at_once_with_all_that_follows_from_it() {
    let (service, member) = service(&[&[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass"), ("MS.AAD.3.1v1", "Fail")]]);
    let before = newest(&service, &member);
    let id = text_of(&before, "id");
    let edit = |control: &str, changes: &[&str]| {
        let edit = ["report", "edit", "--org", &member.id, &id, "--control", control];
        service.json(&[&edit, changes].concat())
    };
    edit("MS.AAD.2.1", &["--severity", "critical"]);
    edit("MS.AAD.3.1", &["--severity", "CRITICAL"]);
    let texts = ["--current-state", "Half of it.", "--why", "It matters.", "--suggested-fix", ""];
    let edited = edit("ms.aad.1.1", &[&["--status", "in-progress", "--severity", "low"], &texts[..]].concat());

    let returned = newest(&service, &member);
    let mut shown = edited;
    shown.as_object_mut().unwrap().remove("changes");
    assert_eq!(shown, returned, "the command shows what the API returns");
    let mut expected = check(&before, "MS.AAD.1.1").clone();
    let changed = json!({
        "status": "IN_PROGRESS", "severity": "LOW", "currentState": "Half of it.", "why": "It matters.",
        "suggestedFix": null,
    });
    expected.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
    assert_eq!(*check(&returned, "MS.AAD.1.1"), expected);
    // 4 of 1 + 4 + 4.
    assert_eq!((&returned["score"], &returned["grade"]), (&json!(44), &json!("F")));
    assert_eq!((&returned["controls"]["open"], &returned["controls"]["inProgress"]), (&json!(1), &json!(1)));
    assert_eq!(returned["topRisks"][0]["controlId"], "MS.AAD.3.1");

    edit("MS.AAD.3.1", &["--status", "secure"]);
    let returned = newest(&service, &member);
    assert_eq!((&returned["score"], &returned["grade"]), (&json!(88), &json!("B")));
    assert_eq!(returned["controls"]["secure"], 2);
    let risks = returned["topRisks"].as_array().unwrap();
    assert_eq!((risks.len(), &risks[0]["controlId"]), (1, &json!("MS.AAD.1.1")));
    let history = service.get(&member.key, "/v1/posture-reports?latestOnly=false").1;
    assert_eq!(history["reports"], json!([returned]));
    let listed = service.json(&["report", "list", "--org", &member.id]);
    assert_eq!((&listed[0]["score"], &listed[0]["grade"]), (&json!(88), &json!("B")));
    assert_eq!(service.json(&["check", "--org", &member.id])[0]["discrepancies"], json!([]));
}

#[test]
fn the_next_report_compares_with_the_edited_one() {
    let (service, member) = service(&[&[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")]]);
    let id = text_of(&newest(&service, &member), "id");
    service.text(&["report", "edit", "--org", &member.id, &id, "--control", "MS.AAD.1.1", "--status", "secure"]);
    let file =
        service.file("next.json", results(PROVIDER_ID, 2, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")]));
    let imported = service.json(&["report", "import", "--org", &member.id, &file]);
    assert_eq!(imported["reports"][0]["drifted"], json!(["MS.AAD.1.1"]));
}

#[test]
fn an_edit_is_kept_only_if_asked_for() {
    let (service, member) = service(&[&[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Fail")]]);
    let id = text_of(&newest(&service, &member), "id");
    let edit = |control: &str, more: &[&str]| {
        let edit = ["report", "edit", "--org", &member.id, &id, "--control", control, "--severity", "low"];
        service.text(&[&edit, more].concat())
    };
    edit("MS.AAD.1.1", &["--keep"]);
    edit("MS.AAD.2.1", &[]);
    let file =
        service.file("next.json", results(PROVIDER_ID, 2, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Fail")]));
    service.text(&["report", "import", "--org", &member.id, &file]);
    let next = newest(&service, &member);
    assert_eq!(["MS.AAD.1.1", "MS.AAD.2.1"].map(|id| &check(&next, id)["severity"]), ["LOW", "HIGH"]);
}

#[test]
fn a_result_that_no_longer_compares_loses_its_previous_state() {
    let (service, member) = service(&[&[("MS.AAD.1.1v1", "Fail")], &[("MS.AAD.1.1v1", "Pass")]]);
    let report = newest(&service, &member);
    assert_eq!(check(&report, "MS.AAD.1.1")["previousState"], "Details of month 1.");
    let edit = ["report", "edit", "--org", &member.id, &text_of(&report, "id"), "--control", "MS.AAD.1.1"];
    service.text(&[&edit[..], &["--why", "It matters."]].concat());
    assert_eq!(check(&newest(&service, &member), "MS.AAD.1.1")["previousState"], "Details of month 1.");
    service.text(&[&edit[..], &["--status", "IN_PROGRESS"]].concat());
    assert_eq!(check(&newest(&service, &member), "MS.AAD.1.1")["previousState"], Value::Null);
    service.text(&[&edit[..], &["--status", "DRIFTED"]].concat());
    assert_eq!(newest(&service, &member)["controls"]["drifted"], 1, "a follow-up can have drifted results");
}

#[test]
fn a_refused_edit_changes_nothing() {
    let (service, member) = service(&[&[("MS.AAD.1.1v1", "Fail")]]);
    let stranger = service.organization("Stranger");
    let before = newest(&service, &member);
    let id = text_of(&before, "id");
    let cases: [(i32, &str, &str, &[&str], &str); 12] = [
        (1, &member.id, "rpt_1", &["--control", "MS.AAD.1.1", "--why", "x"], "has no report rpt_1"),
        (1, &stranger.id, &id, &["--control", "MS.AAD.1.1", "--why", "x"], "has no report"),
        (1, &member.id, &id, &["--control", "MS.AAD.9.9", "--why", "x"], "has no control MS.AAD.9.9"),
        (1, &member.id, &id, &["--admin", "amara@harbour.example", "--status", "OPEN"], "has no administrator"),
        (1, &member.id, &id, &["--control", "MS.AAD.1.1", "--status", "FIXED"], "this report is a baseline"),
        (1, &member.id, &id, &["--control", "MS.AAD.1.1", "--status", "NOT_ASSESSED"], "no assessed control"),
        (2, &member.id, &id, &["--control", "MS.AAD.1.1", "--status", "DONE"], "expected one of"),
        (2, &member.id, &id, &["--control", "MS.AAD.1.1", "--current-state", ""], "--current-state"),
        (2, &member.id, &id, &["--control", "MS.AAD.1.1"], "required"),
        (2, &member.id, &id, &["--status", "OPEN"], "required"),
        (2, &member.id, &id, &["--control", "a", "--admin", "b", "--status", "OPEN"], "cannot be used with"),
        (2, &member.id, &id, &["--admin", "b", "--why", "x"], "cannot be used with"),
    ];
    for (code, organization, report, options, expected) in cases {
        let edit = ["report", "edit", "--org", organization, report];
        let complaint = service.failure(code, &[&edit[..], options].concat());
        assert!(complaint.contains(expected), "{expected}: {complaint}");
        assert!(!complaint.contains("amara"), "{complaint}");
    }
    assert_eq!(newest(&service, &member), before);
}

#[test]
fn a_deleted_report_gives_way_to_the_one_before() {
    let (service, member) = service(&[&[("MS.AAD.1.1v1", "Fail")], &[("MS.AAD.1.1v1", "Pass")]]);
    let stranger = service.organization("Stranger");
    let id = text_of(&newest(&service, &member), "id");
    let delete = ["report", "delete", "--org", &member.id, &id];
    let complaint = service.failure(2, &delete);
    assert!(complaint.contains("nothing was changed: without a terminal, confirm with --yes"), "{complaint}");
    let complaint = service.failure(1, &["report", "delete", "--org", &stranger.id, &id, "--yes"]);
    assert!(complaint.contains("has no report") && complaint.contains("posture report list"), "{complaint}");
    assert_eq!(newest(&service, &member)["id"], json!(id));

    service.text(&[&delete[..], &["--yes"]].concat());
    assert_eq!(newest(&service, &member)["completedAt"], "2026-01-01T06:00:00.000Z");
    assert_eq!(service.get(&member.key, "/v1/posture-reports?latestOnly=false").1["totalReports"], 1);
    assert_eq!(service.json(&["check", "--org", &member.id])[0]["discrepancies"], json!([]));
    service.failure(1, &[&delete[..], &["--yes"]].concat());
}
