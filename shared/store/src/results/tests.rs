//! The results in an item, and the list that they refer to.

use model::{AcceptedRisk, Choice, ReportBody, Status, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::item::Results;
use super::{Controls, ControlsItem, ResultsItem};
use crate::keys::{Key, Partition};
use crate::{Fragment, ReportSummary, TenantRecord};

const TOOL: &str = "ScubaGear";

fn key() -> Key {
    Partition::of(&"org_1".parse().unwrap()).results(TOOL, &"ten_1".parse().unwrap())
}

fn at(day: u32) -> Timestamp {
    format!("2026-07-{day:02}T08:00:00Z").parse().unwrap()
}

fn figures(day: u32) -> Value {
    json!({
        "reportType": "BASELINE", "createdAt": at(1), "completedAt": at(day), "activityLookbackDays": 30, "score": 50,
        "grade": "F", "controls": {
            "assessed": 0, "secure": 0, "fixed": 0, "inProgress": 0, "open": 0, "drifted": 0, "notAssessed": 0,
        },
    })
}

/// Returns a report with controls, each with a name and a status.
pub(crate) fn body(day: u32, checks: &[(&str, &str, Status)]) -> ReportBody {
    let mut body = figures(day);
    body["globalAdmins"] = json!({
        "count": 0, "previousCount": null, "bestPracticeMax": 4, "strongMfaCount": 0, "dataComplete": false, "admins": [],
    });
    body["topRisks"] = json!([]);
    let check = |(id, name, status): &(&str, &str, Status)| json!({ "controlId": id, "category": "ACCOUNTS", "name": name, "status": status, "currentState": "" });
    body["checks"] = checks.iter().map(check).collect();
    serde_json::from_value(body).unwrap()
}

fn of() -> (TenantRecord, ReportSummary) {
    let provider = "01234567-89ab-cdef-0123-456789abcdef";
    let tenant: TenantRecord = serde_json::from_value(json!({
        "serviceTenantId": "ten_1", "name": "Tenant", "providerTenantId": provider, "isPaused": false,
        "onboardingDate": at(1), "service": "Monitoring", "latest": null, "version": 0,
    }))
    .unwrap();
    let mut summary = figures(1);
    for (name, value) in [("reportId", "rpt_1"), ("serviceTenantId", "ten_1"), ("providerTenantId", provider)] {
        summary[name] = json!(value);
    }
    (summary["tool"], summary["updatedAt"], summary["revision"]) = (json!(TOOL), json!(at(1)), json!(0));
    (tenant, serde_json::from_value(summary).unwrap())
}

fn item(body: &ReportBody, controls: &Controls, before: Option<&Results>) -> ResultsItem {
    let (tenant, summary) = of();
    ResultsItem::new((&tenant, &summary), body, controls, before).unwrap()
}

fn empty() -> ControlsItem {
    ControlsItem::new(0, true, &Controls::default()).unwrap()
}

/// Returns the results of reports one after the other, and the list that they have in the end.
fn followed(bodies: &[ReportBody]) -> (Vec<Results>, Controls) {
    let (mut controls, mut list) = (Controls::default(), empty());
    let mut followed: Vec<Results> = Vec::new();
    for body in bodies {
        (controls, list) = list.learn(&controls, (TOOL, body), &[], body.figures.completed_at).unwrap();
        followed.push(item(body, &controls, followed.last()).open(key()).unwrap());
    }
    (followed, controls)
}

fn found(results: &Results, controls: &Controls, id: &str) -> Option<(Status, String)> {
    let id = id.parse().unwrap();
    let place = controls.of_tool(TOOL).iter().position(|control| control.control_id == id);
    results.find(place, &id).map(|(status, since)| (status, since.to_string()))
}

#[test]
fn every_status_is_read_as_it_was_written_and_a_missing_control_is_none() {
    for status in Status::KNOWN {
        let (results, controls) =
            followed(&[body(1, &[("A", "a", *status), ("B", "b", Status::Open)]), body(2, &[("C", "c", *status)])]);
        assert_eq!(found(&results[0], &controls, "A"), Some((*status, "2026-07-01".to_owned())));
        assert_eq!(found(&results[1], &controls, "A"), None);
        assert_eq!(found(&results[1], &controls, "C"), Some((*status, "2026-07-02".to_owned())));
        assert_eq!(results[1].statuses().collect::<Vec<_>>(), [(2, *status)]);
    }
}

#[test]
fn a_control_keeps_its_date_while_it_stays_as_secure_as_it_is() {
    let statuses = [Status::Open, Status::Drifted, Status::Fixed, Status::Secure, Status::NotAssessed, Status::Open];
    let bodies: Vec<_> = (1..).zip(statuses).map(|(day, status)| body(day, &[("A", "a", status)])).collect();
    let (results, controls) = followed(&bodies);
    let dates: Vec<_> = results.iter().map(|of| found(of, &controls, "A").unwrap().1).collect();
    assert_eq!(dates, [1, 1, 3, 3, 5, 6].map(|day| format!("2026-07-0{day}")));
    // A deletion lets an older report be the newest again.
    let older = item(&bodies[3], &controls, Some(&results[2])).open(key()).unwrap();
    assert_eq!(found(&older, &controls, "A"), Some((Status::Secure, "2026-07-03".to_owned())));
}

#[test]
fn controls_for_which_the_list_has_no_room_are_stored_by_name() {
    let name = |number: u32| -> String {
        (0..40_u32).map(|part| hex::encode(Sha256::digest(format!("{number} {part}")))).collect()
    };
    let names: Vec<_> = (0..300).map(|number| (format!("X.{number}"), name(number))).collect();
    let checks: Vec<_> = names.iter().map(|(id, name)| (id.as_str(), name.as_str(), Status::Open)).collect();
    let large = body(2, &[&[("A", "a", Status::Drifted)], &checks[..]].concat());
    let (results, controls) = followed(&[body(1, &[("A", "a", Status::Open)]), large.clone()]);
    assert!(controls.is_full(TOOL));
    assert_eq!(controls.of_tool(TOOL).len(), 1);
    assert_eq!(results[1].others().count(), 300);
    assert_eq!(found(&results[1], &controls, "A"), Some((Status::Drifted, "2026-07-01".to_owned())));
    assert_eq!(found(&results[1], &controls, "X.7"), Some((Status::Open, "2026-07-02".to_owned())));
    // The next report keeps the dates, also of those.
    let next = item(&large, &controls, Some(&results[1])).open(key()).unwrap();
    assert_eq!(found(&next, &controls, "X.299"), Some((Status::Open, "2026-07-02".to_owned())));
}

#[test]
fn a_list_has_a_new_version_when_it_learns() {
    let learn = |list: ControlsItem, day, id| {
        let controls = list.open(key()).unwrap();
        list.learn(&controls, (TOOL, &body(day, &[(id, "a", Status::Open)])), &[], at(day)).unwrap().1
    };
    let first = learn(empty(), 1, "A");
    let same = learn(first.clone(), 1, "A");
    let next = learn(same.clone(), 1, "B");
    assert_eq!([first, same, next].map(|list| list.version), [1, 1, 2]);
}

#[test]
fn damaged_results_and_a_damaged_list_are_noticed() {
    let report = body(1, &[("A", "a", Status::Open)]);
    let (controls, list) = empty().learn(&Controls::default(), (TOOL, &report), &[], at(1)).unwrap();
    let stored = item(&report, &controls, None);
    let (results, list) = (serde_json::to_value(stored).unwrap(), serde_json::to_value(list).unwrap());
    let results_are_intact =
        |item: &Value| serde_json::from_value::<ResultsItem>(item.clone()).unwrap().examined(key()).is_ok();
    let list_is_intact =
        |item: &Value| serde_json::from_value::<ControlsItem>(item.clone()).unwrap().examined(key()).is_ok();
    assert!(results_are_intact(&results) && list_is_intact(&list));
    let damaged = |item: &Value| {
        let mut damaged = item.clone();
        damaged["crc32"] = json!(1);
        damaged
    };
    assert!(!results_are_intact(&damaged(&results)) && !list_is_intact(&damaged(&list)));
    // Codes 15 and 16: the last status of the first date, and the first one of a date that does not exist.
    for (letter, is_intact) in [("P", true), ("Q", false)] {
        let text = json!({ "dates": ["2026-07-01"], "controls": letter }).to_string();
        let Fragment { deflated, crc32, length, .. } = Fragment::stored(text.as_bytes());
        let mut other = results.clone();
        (other["results"], other["crc32"], other["length"]) = (json!(deflated.to_vec()), json!(crc32), json!(length));
        assert_eq!(results_are_intact(&other), is_intact, "{letter}");
    }
}

#[test]
fn results_are_those_of_a_report_only_if_everything_agrees() {
    let report = body(1, &[("A", "a", Status::Open), ("B", "b", Status::Secure)]);
    let (controls, _) = empty().learn(&Controls::default(), (TOOL, &report), &[], at(1)).unwrap();
    let (item, (tenant, summary)) = (item(&report, &controls, None), of());
    let holds = |tenant: &TenantRecord, summary: &ReportSummary, body: &ReportBody| {
        item.holds((tenant, summary), body, &controls, key())
    };
    assert!(holds(&tenant, &summary, &report));
    assert!(!holds(&TenantRecord { labels: vec!["Gold".parse().unwrap()], ..tenant.clone() }, &summary, &report));
    assert!(!holds(&tenant, &ReportSummary { revision: 1, ..summary.clone() }, &report));
    let other_status = body(1, &[("A", "a", Status::Drifted), ("B", "b", Status::Secure)]);
    assert!(!holds(&tenant, &summary, &other_status));
    let mut accepted = report.clone();
    accepted.checks[0].accepted_risk = Some(AcceptedRisk { reason: "A".to_owned(), until: at(9).date() });
    assert!(!holds(&tenant, &summary, &accepted));
    assert!(!item.holds((&tenant, &summary), &report, &Controls::default(), key()), "the list is too short");
}
