//! `posture risk`.

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};

use crate::samples::results;
use crate::support::{Member, Service, text_of};

const TENANTS: [(&str, &str); 3] = [
    ("Harbour Dental", "11111111-2222-3333-4444-555555555555"),
    ("Lakeside Law", "21111111-2222-3333-4444-555555555555"),
    ("Alder Grove", "31111111-2222-3333-4444-555555555555"),
];

/// Imports a month of the first two tenants. The third has no reports.
fn import(service: &Service, member: &Member, month: u32) {
    for (number, (_, provider)) in TENANTS.iter().take(2).enumerate() {
        // The second tenant meets the second control.
        let second = ["Fail", "Pass"][number];
        let file = service.file(
            &format!("{number}.json"),
            results(provider, month, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", second), ("MS.AAD.3.1v1", "Pass")]),
        );
        service.text(&["report", "import", "--org", &member.id, &file]);
    }
}

/// Returns the accepted risk of a control in the newest report of each tenant.
fn accepted(service: &Service, member: &Member, control: &str) -> Vec<(String, Value)> {
    let reports = service.get(&member.key, "/v1/posture-reports").1["reports"].as_array().unwrap().clone();
    let of = |report: &Value| {
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["controlId"] == control).unwrap();
        assert!(check["status"] == "OPEN" || check["acceptedRisk"].is_null());
        (text_of(&report["tenant"], "name"), check["acceptedRisk"].clone())
    };
    let mut accepted: Vec<_> = reports.iter().map(of).collect();
    accepted.sort_by(|one, other| one.0.cmp(&other.0));
    accepted
}

#[test]
fn a_risk_is_accepted_for_a_tenant_a_label_or_all_and_ended() {
    let service = Service::start();
    let member = service.organization("Northwind");
    for (name, provider) in TENANTS {
        service.tenant(&member, name, provider);
    }
    service.text(&["tenant", "label", "--org", &member.id, "Lakeside Law", "--label", "Gold"]);
    import(&service, &member, 1);
    let until = (Utc::now() + TimeDelta::days(300)).date_naive().to_string();
    let risk = |verb: &str, control: &str, more: &[&str]| {
        let line = ["risk", verb, "--org", &member.id, "--control", control];
        service.json(&[&line, more].concat())
    };
    let because = ["--reason", "New devices come.", "--until", &until];
    let expected = json!({ "reason": "New devices come.", "until": until });

    let done =
        risk("accept", "ms.aad.1.1", &[&["--tenant", "harbour dental", "--tool", "scubagear"], &because[..]].concat());
    assert_eq!((done[0]["tenantName"].as_str(), &done[0]["reason"]), (Some("Harbour Dental"), &Value::Null));
    let of = |control| accepted(&service, &member, control);
    let pair = |harbour: &Value, lakeside: &Value| {
        vec![("Harbour Dental".to_owned(), harbour.clone()), ("Lakeside Law".to_owned(), lakeside.clone())]
    };
    assert_eq!(of("MS.AAD.1.1"), pair(&expected, &Value::Null));
    risk("accept", "MS.AAD.1.1", &[&["--label", "Gold"], &because[..]].concat());
    assert_eq!(of("MS.AAD.1.1"), pair(&expected, &expected));
    let done = risk("accept", "MS.AAD.2.1", &[&["--all"], &because[..]].concat());
    let mut reasons: Vec<_> = done.as_array().unwrap().iter().map(|tenant| tenant["reason"].clone()).collect();
    reasons.sort_by_key(Value::to_string);
    assert_eq!(reasons[0], json!("only a risk of a control that is open, in progress or drifted can be accepted"));
    assert!(reasons[1].as_str().unwrap().starts_with("the tenant has no report"), "{reasons:?}");
    assert_eq!((reasons.len(), &reasons[2]), (3, &Value::Null));
    assert_eq!(of("MS.AAD.2.1"), pair(&expected, &Value::Null));

    import(&service, &member, 2);
    assert_eq!(of("MS.AAD.1.1"), pair(&expected, &expected), "the next reports have them");
    let listed = service.json(&["risk", "list", "--org", &member.id]);
    let keys = ["tenantName", "controlId", "reason", "until", "isOver"];
    let mut rows: Vec<_> =
        listed.as_array().unwrap().iter().map(|risk| keys.map(|key| risk[key].to_string()).join(" ")).collect();
    rows.sort();
    let row = |name: &str, control: &str| format!("\"{name}\" \"{control}\" \"New devices come.\" \"{until}\" false");
    let expected_rows =
        [("Harbour Dental", "MS.AAD.1.1"), ("Harbour Dental", "MS.AAD.2.1"), ("Lakeside Law", "MS.AAD.1.1")];
    assert_eq!(rows, expected_rows.map(|(name, control)| row(name, control)));
    let shown = service.text(&["risk", "list", "--org", &member.id]);
    assert!(shown.contains("New devices come.") && shown.contains(&until), "{shown}");
    let newest = &service.json(&["report", "list", "--org", &member.id, "--tenant", "Harbour Dental"])[0];
    let shown = service.text(&["report", "show", "--org", &member.id, &text_of(newest, "reportId")]);
    assert!(shown.contains(&format!("until {until}: New devices come.")), "{shown}");

    risk("end", "MS.AAD.1.1", &["--all"]);
    assert_eq!(of("MS.AAD.1.1"), pair(&Value::Null, &Value::Null));
    import(&service, &member, 3);
    assert_eq!(of("MS.AAD.1.1"), pair(&Value::Null, &Value::Null));
    assert_eq!(of("MS.AAD.2.1"), pair(&expected, &Value::Null));
    assert_eq!(service.json(&["check", "--org", &member.id])[0]["discrepancies"], json!([]));
}

#[test]
fn a_risk_that_cannot_be_accepted_is_refused() {
    let service = Service::start();
    let member = service.organization("Northwind");
    for (name, provider) in TENANTS {
        service.tenant(&member, name, provider);
    }
    import(&service, &member, 1);
    let day = |days: i64| (Utc::now() + TimeDelta::days(days)).date_naive().to_string();
    let (soon, late) = (day(30), day(400));
    let (today, none) = (day(0), "x".repeat(1_001));
    let lakeside = ["--tenant", "Lakeside Law", "--control", "MS.AAD.1.1"];
    let cases: [(i32, &[&str], [&str; 2], &str); 8] = [
        (1, &lakeside, ["It waits.", &today], "after today (UTC) and within a year"),
        (1, &lakeside, ["It waits.", &late], "after today (UTC) and within a year"),
        (1, &lakeside, [" ", &soon], "needs a reason"),
        (1, &lakeside, [&none, &soon], "at most 1000 characters"),
        (2, &lakeside, ["It waits.", "2027-2-1"], "YYYY-MM-DD"),
        (1, &["--tenant", "Lakeside Law", "--control", "MS.AAD.2.1"], ["It waits.", &soon], "only a risk of a control"),
        (1, &["--tenant", "Lakeside Law", "--control", "MS.AAD.9.9"], ["It waits.", &soon], "no control MS.AAD.9.9"),
        (
            1,
            &["--tenant", "Lakeside Law", "--control", "MS.AAD.1.1", "--tool", "Maester"],
            ["It waits.", &soon],
            "no report in which the control could be edited",
        ),
    ];
    for (code, of, [reason, until], expected) in cases {
        let line = ["risk", "accept", "--org", &member.id, "--reason", reason, "--until", until];
        let complaint = service.failure(code, &[&line[..], of].concat());
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    let complaint = service.failure(1, &[&["risk", "end", "--org", &member.id], &lakeside[..]].concat());
    assert!(complaint.contains("the risk of this control is not accepted"), "{complaint}");
    assert_eq!(service.text(&["risk", "list", "--org", &member.id]).lines().count(), 1);
}
