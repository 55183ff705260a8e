//! `posture repair`, by the guide in docs/DEPLOY.md, and after `kill -9`.

use std::collections::HashMap;
use std::fs;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::moving::kills::{filled, killed};
use crate::samples::results;
use crate::support::{Service, text_of};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";

type Item = HashMap<String, AttributeValue>;

/// Returns the items of an organization's partition, in the order of their keys.
async fn items(service: &Service, organization: &str) -> Vec<Item> {
    let of = AttributeValue::S(format!("ORG#{organization}"));
    let query = service.client().query().table_name("posture").key_condition_expression("pk = :pk");
    let pages = query.expression_attribute_values(":pk", of).into_paginator().items().send();
    pages.collect::<Result<_, _>>().await.unwrap()
}

fn is_of_kind(item: &Item, kind: &str) -> bool {
    item["sk"].as_s().unwrap().starts_with(kind)
}

/// Gives an attribute of the items of a kind the wrong type.
async fn damage(service: &Service, organization: &str, kind: &str, attribute: &str) -> usize {
    let mut damaged = items(service, organization).await;
    damaged.retain(|item| is_of_kind(item, kind));
    for item in &mut damaged {
        item.insert(attribute.to_owned(), AttributeValue::Bool(true));
        let put = service.client().put_item().table_name("posture").set_item(Some(item.clone()));
        put.send().await.unwrap();
    }
    damaged.len()
}

/// Returns the sort keys in a file of a repair.
fn kept(file: &str) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let items = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    items.map(|item| text_of(&item["sk"], "S")).collect()
}

fn repair<'a>(organization: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&["repair", "--org", organization], options].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_item_is_mended_by_the_commands_of_the_guide() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let tenant = service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    let results = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    service.text(&["report", "import", "--org", &member.id, &results]);
    let reports = || service.get(&member.key, &format!("/v1/posture-reports?latestOnly=false&tenantId={tenant}"));
    let (sound, org) = (reports(), ["--org", &member.id]);
    assert!(service.text(&repair(&member.id, &[])).starts_with("Found nothing to repair in organization"));

    assert_eq!(damage(&service, &member.id, "HISTORY", "score").await, 1);
    assert_eq!(damage(&service, &member.id, "ORG", "name").await, 1);
    let entries = damage(&service, &member.id, "AUDIT", "changes").await;
    assert_eq!(reports().0, 500);
    let check = service.run(&[&["check"], &org[..]].concat());
    let found = String::from_utf8(check.stdout).unwrap();
    assert_eq!(check.status.code(), Some(1));
    assert!(found.contains(&format!("ORG#{} HISTORY#{tenant}#", member.id)), "{found}");
    assert!(String::from_utf8(check.stderr).unwrap().contains("`posture repair --org ORG`"));

    let refused = service.failure(2, &repair(&member.id, &[]));
    assert!(refused.contains("confirm with --yes"), "{refused}");
    assert_eq!(reports().0, 500, "nothing is changed without a confirmation");
    let file = service.folder.path().join("kept.jsonl").display().to_string();
    let taken = service.file("taken.jsonl", "");
    assert!(service.failure(1, &repair(&member.id, &["--yes", "--file", &taken])).contains("exists already"));
    assert_eq!(reports().0, 500, "nothing is changed without a file");
    let done = service.json(&repair(&member.id, &["--yes", "--file", &file]));
    assert_eq!((&done["rebuilt"], &done["setAside"], &done["refused"]), (&json!(2), &json!(entries), &json!(0)));
    assert_eq!((&done["file"], &done["left"]), (&json!(file), &json!([])));
    assert_eq!(kept(&file).len(), 2 + entries);

    assert_eq!(service.json(&[&["check"], &org[..]].concat())[0]["discrepancies"], json!([]));
    assert_eq!(reports(), sound);
    // Its name is lost.
    assert_eq!(text_of(&service.json(&["org", "list"])[0], "name"), member.id);
    let again = service.json(&repair(&member.id, &["--yes"]));
    assert_eq!((&again["changes"], &again["file"]), (&json!([]), &Value::Null));
    assert!(service.failure(1, &["repair", "--org", "org_nowhere", "--yes"]).contains("does not exist"));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_repairs_lose_nothing_and_are_completed_by_another_run() {
    let (service, organization) = filled(80).await;
    let mut damaged = 0;
    for (kind, attribute) in [("HISTORY", "score"), ("COMPLETED", "score"), ("AUDIT", "changes")] {
        damaged += damage(&service, &organization, kind, attribute).await;
    }
    let broken = async || {
        let is_broken =
            |item: &&Item| ["score", "changes"].iter().any(|name| item.get(*name).is_some_and(AttributeValue::is_bool));
        items(&service, &organization).await.iter().filter(is_broken).count()
    };
    let file = |number: usize| service.folder.path().join(format!("{number}.jsonl")).display().to_string();
    let spawn = |number: usize| service.spawn(&["repair", "--org", &organization, "--yes", "--file", &file(number)]);
    let progress = async || 1.0 - broken().await as f64 / damaged as f64;
    let interrupted = killed(spawn, progress, || {}).await;
    eprintln!("the repair was interrupted {interrupted} times");
    service.text(&["repair", "--org", &organization, "--yes", "--file", &file(100)]);
    assert_eq!(service.json(&["check"])[0]["discrepancies"], json!([]));
    let mut kept: Vec<_> = (0..=100).flat_map(|number| kept(&file(number))).collect();
    kept.retain(|key| ["HISTORY", "COMPLETED", "AUDIT"].iter().any(|kind| key.starts_with(kind)));
    kept.sort();
    kept.dedup();
    assert_eq!(kept.len(), damaged, "the original of every damaged item is in a file");
    assert_eq!(service.json(&["repair", "--org", &organization])["changes"], json!([]));
}
