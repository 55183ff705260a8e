//! `posture schedule`.

use serde_json::{Value, json};
use store::Store;

use crate::support::Service;

fn of<'a>(organization: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    [&["schedule"], arguments, &["--org", organization]].concat()
}

#[test]
fn a_schedule_is_set_listed_and_removed() {
    let service = Service::start();
    let organization = service.organization("Northwind");
    let id = &*organization.id;
    service.tenant(&organization, "Harbour Dental", "11111111-2222-3333-4444-555555555555");
    service.tenant(&organization, "Lindqvist", "11111111-2222-3333-4444-666666666666");
    let none = service.text(&of(id, &["list"]));
    assert!(none.contains("`posture schedule set`"), "{none}");

    let said = service.text(&of(id, &["set", "--every", "weekly:mon"]));
    assert_eq!(said.trim_end(), format!("Reports of the tenants of {id} are due: weekly:mon 00-05 UTC."));
    let own = ["set", "--every", "daily", "--between", "22-04", "--tenant", "lindqvist"];
    let own = service.json(&of(id, &own));
    assert_eq!((&own["schedule"]["every"], &own["schedule"]["between"]), (&json!("daily"), &json!("22-04")));
    let shown = |listed: &Value| {
        let schedules = listed["tenants"].as_array().unwrap().iter().map(|tenant| {
            assert_eq!((&tenant["isPaused"], &tenant["isStale"]), (&json!(false), &json!(false)));
            assert_eq!(tenant["nextAt"].is_null(), tenant["schedule"]["every"] == "never", "{tenant}");
            json!([tenant["tenantName"], tenant["schedule"]["every"], tenant["isOwn"]])
        });
        schedules.collect::<Value>()
    };
    let listed = service.json(&of(id, &["list"]));
    let expected = json!([["Harbour Dental", "weekly:mon", false], ["Lindqvist", "daily", true]]);
    assert_eq!(shown(&listed), expected);
    let table = service.text(&of(id, &["list"]));
    assert!(table.contains("daily 22-04 UTC") && table.contains("the organization's"), "{table}");

    service.text(&of(id, &["set", "--every", "never", "--tenant", "harbour dental"]));
    let back = service.text(&of(id, &["remove", "--tenant", "lindqvist"]));
    let expected = "Reports of \"Lindqvist\" are due as the schedule of a label or of the organization says.";
    assert_eq!(back.trim_end(), expected);
    let listed = service.json(&of(id, &["list"]));
    assert_eq!(shown(&listed), json!([["Harbour Dental", "never", true], ["Lindqvist", "weekly:mon", false]]));
    let removed = service.json(&of(id, &["remove"]));
    assert_eq!(removed, json!({ "organizationId": id, "serviceTenantId": null, "label": null, "schedule": null }));
}

#[test]
fn a_schedule_of_a_label_comes_before_that_of_the_organization() {
    let service = Service::start();
    let organization = service.organization("Northwind");
    let id = &*organization.id;
    service.tenant(&organization, "Harbour Dental", "11111111-2222-3333-4444-555555555555");
    service.tenant(&organization, "Lindqvist", "11111111-2222-3333-4444-666666666666");
    service.text(&["tenant", "label", "lindqvist", "--label", "Gold", "--label", "Silver", "--org", id]);
    service.text(&of(id, &["set", "--every", "weekly:mon"]));
    service.text(&of(id, &["set", "--every", "monthly:1", "--label", "Silver"]));
    let said = service.text(&of(id, &["set", "--every", "daily", "--between", "22-04", "--label", "Gold"]));
    assert_eq!(said.trim_end(), "Reports of the tenants with the label \"Gold\" are due: daily 22-04 UTC.");
    let listed = service.json(&of(id, &["list"]));
    let days = |schedule: &Value| schedule["every"].clone();
    assert_eq!(days(&listed["schedule"]), "weekly:mon");
    let labels = listed["labels"].as_array().unwrap().iter();
    let labels: Vec<_> = labels.map(|of| (of["label"].clone(), days(&of["schedule"]))).collect();
    assert_eq!(labels, [(json!("Gold"), json!("daily")), (json!("Silver"), json!("monthly:1"))]);
    let tenants = listed["tenants"].as_array().unwrap().iter();
    let tenants = tenants.map(|it| json!([it["tenantName"], days(&it["schedule"]), it["label"], it["isOwn"]]));
    let expected = json!([["Harbour Dental", "weekly:mon", null, false], ["Lindqvist", "daily", "Gold", false]]);
    assert_eq!(tenants.collect::<Value>(), expected);
    let table = service.text(&of(id, &["list"]));
    let (above, rows) = table.split_once("\n\n").unwrap();
    let expected =
        "All tenants: weekly:mon 00-05 UTC\nLabel \"Gold\": daily 22-04 UTC\nLabel \"Silver\": monthly:1 00-05 UTC";
    assert_eq!(above, expected);
    assert!(rows.contains("label \"Gold\"") && rows.contains("the organization's"), "{rows}");
    assert_eq!(listed["staleAfter"], 35);
    let said = service.text(&of(id, &["stale-after", "14"]));
    assert_eq!(said.trim_end(), format!("A tenant of {id} is stale after 14 days without a report."));
    assert_eq!(service.json(&of(id, &["list"]))["staleAfter"], 14);
    let complaint = service.failure(2, &of(id, &["stale-after", "0"]));
    assert!(complaint.contains("must be a number of days from 1 to 365"), "{complaint}");
    let removed = service.text(&of(id, &["remove", "--label", "Gold"]));
    let expected = "Reports of the tenants with the label \"Gold\" are due as another schedule says, or on request.";
    assert_eq!(removed.trim_end(), expected);
    assert_eq!(service.json(&of(id, &["list"]))["tenants"][1]["label"], "Silver");
}

#[test]
fn a_schedule_is_in_hours_and_days_of_an_existing_tenant() {
    let service = Service::start();
    let organization = service.organization("Northwind").id;
    for (wrong, expected) in [
        (["--every", "yearly"], "daily, weekly:mon to weekly:sun, monthly:1 to monthly:31, or never"),
        (["--between", "4-25"], "two hours (UTC), such as 22-04"),
    ] {
        let every = if wrong[0] == "--every" {
            [wrong[0], wrong[1], "--between", "22-04"]
        } else {
            ["--every", "daily", wrong[0], wrong[1]]
        };
        let complaint = service.failure(2, &of(&organization, &[&["set"], &every[..]].concat()));
        assert!(complaint.contains(expected), "{complaint}");
    }
    let unknown = ["set", "--every", "daily", "--tenant", "nobody"];
    let complaint = service.failure(1, &of(&organization, &unknown));
    assert!(complaint.contains("the schedule was not changed"), "{complaint}");
}

#[tokio::test]
async fn documents_are_scheduled_with_their_options_listed_and_ended() {
    let service = Service::start();
    let organization = service.organization("Northwind");
    let id = &*organization.id;
    let said = service.text(&of(id, &["documents", "--every", "monthly:2", "--new", "--board"]));
    assert_eq!(said.trim_end(), format!("PDFs of the tenants of {id} are made: monthly:2."));
    let gold = ["documents", "--every", "daily", "--label", "Gold"];
    let choice = ["--open", "--tasks", "--paper", "letter", "--foreword", "Hello."];
    let changed = service.json(&of(id, &[&gold[..], &choice].concat()));
    assert_eq!(changed, json!({ "organizationId": id, "label": "Gold", "every": "daily", "onlyNew": false }));
    let listed = service.json(&of(id, &["list"]));
    let shown: Vec<_> = listed["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| json!([of["label"], of["every"], of["onlyNew"]]))
        .collect();
    assert_eq!(shown, [json!([null, "monthly:2", true]), json!(["Gold", "daily", false])]);
    let table = service.text(&of(id, &["list"]));
    assert!(table.starts_with("PDFs of new reports: monthly:2\nPDFs of label \"Gold\": daily\n"), "{table}");
    let stored = Store::new(service.client(), "posture").organization(&id.parse().unwrap());
    let stored = stored.schedules().await.unwrap().unwrap().documents;
    let choices: Vec<Value> = stored.iter().map(|of| serde_json::from_str(&of.choice).unwrap()).collect();
    let expected = [
        json!({ "kind": "board", "paper": "a4", "foreword": "", "tasks": "hidden" }),
        json!({ "kind": "open", "paper": "letter", "foreword": "Hello.", "tasks": "shown" }),
    ];
    assert_eq!(choices, expected);
    service.text(&of(id, &["documents", "--every", "never"]));
    let ended = service.text(&of(id, &["documents", "--every", "never", "--label", "Gold"]));
    assert_eq!(ended.trim_end(), "PDFs of the tenants with the label \"Gold\" are made: never.");
    assert_eq!(service.json(&of(id, &["list"]))["documents"], json!([]));
}
