//! `posture task`.

use serde_json::{Value, json};

use crate::samples::results;
use crate::support::{Member, Service};

const TENANTS: [(&str, &str); 2] = [
    ("Harbour Dental", "11111111-2222-3333-4444-555555555555"),
    ("Lakeside Law", "21111111-2222-3333-4444-555555555555"),
];

/// Imports a month of the first tenant. The second has no reports.
fn import(service: &Service, member: &Member, month: u32, result: &str) {
    let controls = [("MS.AAD.1.1v1", result), ("MS.AAD.2.1v1", "Pass")];
    let file = service.file("results.json", results(TENANTS[0].1, month, &controls));
    service.text(&["report", "import", "--org", &member.id, &file]);
}

#[test]
fn a_task_is_set_listed_done_and_removed() {
    let service = Service::start();
    let member = service.organization("Northwind");
    for (name, provider) in TENANTS {
        service.tenant(&member, name, provider);
    }
    service.text(&["tenant", "label", "--org", &member.id, "Harbour Dental", "--label", "Gold"]);
    import(&service, &member, 1, "Fail");
    let of = |verb: &'static str, control: &'static str| ["task", verb, "--org", &member.id, "--control", control];
    let list = || {
        let listed = service.json(&["task", "list", "--org", &member.id]);
        let row = |task: &Value| {
            ["tenantName", "controlId", "owner", "due", "note", "isOverdue"].map(|key| task[key].clone()).to_vec()
        };
        listed.as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let harbour = ["--tenant", "harbour dental", "--tool", "scubagear"];
    let assigned = ["--owner", "Dana", "--due", "2026-02-28", "--note", "After the move."];
    let set = service.json(&[&of("set", "ms.aad.1.1")[..], &harbour, &assigned].concat());
    assert!(set[0]["reportId"].is_string() && set[0]["reason"].is_null(), "{set}");
    let expected = json!(["Harbour Dental", "MS.AAD.1.1", "Dana", "2026-02-28", "After the move.", true]);
    assert_eq!(json!(list()), json!([expected]));
    let shown = service.text(&["task", "list", "--org", &member.id]);
    assert!(shown.contains("2026-02-28 (overdue)") && shown.contains("After the move."), "{shown}");
    // Set again, the task is another.
    service.text(&[&of("set", "MS.AAD.1.1")[..], &["--label", "Gold", "--owner", "Ben"]].concat());
    let expected = json!(["Harbour Dental", "MS.AAD.1.1", "Ben", null, null, false]);
    assert_eq!(json!(list()), json!([expected]));

    let all = service.json(&[&of("set", "MS.AAD.1.1")[..], &["--all", "--owner", "Ben"]].concat());
    let mut reasons: Vec<_> = all.as_array().unwrap().iter().map(|tenant| tenant["reason"].to_string()).collect();
    reasons.sort();
    let no_report = "\"the tenant has no report with the control: import one, or name another tool\"";
    assert_eq!(reasons, [no_report, "null"]);
    for (control, more, expected) in [
        ("MS.AAD.2.1", &["--owner", "Ben"][..], "only a control that is open, in progress or drifted"),
        ("MS.AAD.9.9", &["--owner", "Ben"], "no control MS.AAD.9.9"),
        ("MS.AAD.1.1", &["--owner", " "], "a task needs an owner"),
        ("MS.AAD.1.1", &["--owner", "Ben", "--tool", "Maester"], "the tenant has no report"),
    ] {
        let line = [&of("set", control)[..], &["--tenant", "Harbour Dental"], more].concat();
        let complaint = service.failure(1, &line);
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }

    let removed = service.text(&[&of("remove", "MS.AAD.1.1")[..], &["--label", "Gold"]].concat());
    assert!(removed.contains("The task is removed for 1 of 1 tenant."), "{removed}");
    let line = [&of("remove", "MS.AAD.1.1")[..], &["--tenant", "Harbour Dental"]].concat();
    assert!(service.failure(1, &line).contains("the control has no task"));
    assert_eq!(service.text(&["task", "list", "--org", &member.id]).lines().count(), 1);
    let set = [&of("set", "MS.AAD.1.1")[..], &["--tenant", "Harbour Dental", "--owner", "Ben"]].concat();
    service.text(&set);
    let removed = service.text(&[&of("remove", "MS.AAD.1.1")[..], &["--all"]].concat());
    assert!(removed.contains("The task is removed for 1 of 2 tenants."), "{removed}");
    service.text(&set);
    import(&service, &member, 2, "Pass");
    assert_eq!(json!(list()), json!([]), "it is done");
}
