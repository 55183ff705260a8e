//! Golden tables leave for another table and arrive as they were.

use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::BTreeMap;

use model::{OrganizationId, Timestamp};
use operations::archive;
use serde_json::{Value, json};
use store::{Store, StoreError, StoredItem, StoredText, TransferError};
use tempfile::TempDir;

use super::golden::{Golden, RELEASED};
use super::newer::newer;
use super::{Item, LATER_FORMAT, check, items, later, read_all, with_items};
use crate::support::{TestApp, by_operator, time};

/// Kinds of items that stay behind.
const LEFT_BEHIND: [&str; 15] = [
    "SESSION",
    "APIKEY",
    "JOB",
    "ONLYJOB",
    "DOCUMENTS",
    "UPLOAD",
    "CONNECTION",
    "CONNECTING",
    "SHARED",
    "TARGET",
    "DELIVERY",
    "QUEUED",
    "DISPATCHED",
    "outside KEY",
    "outside DATA",
];

/// The invitation is still open.
fn exported_at() -> Timestamp {
    time("2026-07-08T00:00:00Z")
}

/// Writes the archive of an organization into a folder.
async fn exported(store: &Store, organization: &OrganizationId, folder: &TempDir) -> std::path::PathBuf {
    let path = folder.path().join("archive.tar.gz");
    let export = archive::Export {
        store,
        organization,
        now: exported_at(),
        release: "1.0.0",
        as_returned: &|report| report.tail.inflate().map_err(StoreError::from),
    };
    archive::export(&export, &path, |_| {}).await.unwrap();
    path
}

/// Returns the items that move, by their keys, with whole reports. This release writes the register, which is not part of
/// the organization, and the look-up of its schedules.
fn moving(items: Vec<Item>) -> BTreeMap<(String, String), Item> {
    let has_expired = |item: &Item| {
        let end = item.0.get("expiresAt").map(|end| end.as_n().unwrap().parse::<i64>().unwrap());
        end.is_some_and(|end| end <= exported_at().to_datetime().timestamp())
    };
    let is_written = |item: &Item| ["outside ORGANIZATIONS", "outside DUE"].contains(&&*item.kind());
    let stays = |item: &Item| LEFT_BEHIND.contains(&&*item.kind()) || is_written(item) || has_expired(item);
    let all = items.clone();
    let items = items.into_iter().filter(|item| !stays(item));
    items
        .map(|mut item| {
            item.make_whole(&all);
            item.change_text(|_| ());
            if item.kind() == "ORG" {
                item.0.remove("usagePlanKey").expect("an organization has a key at the gateway");
            }
            (item.key(), item)
        })
        .collect()
}

/// Moves all items of the sample to another table. Returns both tables.
async fn moved(golden: Vec<Item>) -> (TestApp, TestApp) {
    let folder = TempDir::new().unwrap();
    let here = with_items(golden).await;
    let organization = super::sample::organization();
    let path = exported(&here.app.store, &organization, &folder).await;
    let there = TestApp::new().await;
    archive::import(&there.app.store, &path, |_| {}).await.unwrap();
    (here, there)
}

#[tokio::test]
async fn every_golden_table_moves_with_each_kind_of_items_and_is_read_there() {
    for (_, release) in RELEASED {
        let Golden { mut sample, items: golden } = Golden::read(release);
        let (here, there) = moved(golden.clone()).await;
        let (before, mut after) = (moving(items(&here).await), moving(items(&there).await));
        // An arrival is looked at from then on, which an organization of an earlier release may not be.
        after.retain(|key, _| before.contains_key(key) || key.1 != "SCHEDULES");
        assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>(), "{release}");
        assert!(before == after, "{release}: an item differs");
        let kinds = |items: &[Item]| items.iter().map(Item::kind).collect::<std::collections::BTreeSet<_>>();
        let mut left: Vec<_> = kinds(&golden).difference(&kinds(&items(&there).await)).cloned().collect();
        left.sort();
        // An earlier release did not have all of them.
        let mut expected = LEFT_BEHIND.map(str::to_owned).to_vec();
        expected.retain(|kind| kinds(&golden).contains(kind));
        expected.sort();
        assert_eq!(left, expected, "{release}: a kind of items stays behind");
        check(&there).await;
        let organization = there.app.store.organization(&sample.organization);
        let created = by_operator(&organization, later()).create_key(None).await.unwrap();
        sample.key = created.key.reveal().to_owned();
        read_all(&there, &sample).await;
    }
}

#[tokio::test]
async fn the_texts_beside_the_items_are_those_in_them() {
    let Golden { sample, items } = Golden::newest();
    let stored = |kind: &str| {
        let item = items.iter().find(|item| item.kind() == kind).unwrap();
        StoredItem::from(item.0.clone()).text().unwrap()
    };
    let Some(StoredText::Import(import, json)) = stored("IMPORT") else { panic!("an import has a text") };
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(import.as_str(), "imp_019f2020100074f98b6577f78be37de7");
    assert_eq!(json["reports"][0]["serviceTenantId"], json!(sample.tenants[0]));
    let Some(StoredText::BillableUsers { place, json }) = stored("BILLABLE") else { panic!("users have a text") };
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert!(place.starts_with(sample.tenants[0].as_str()) && json[0]["displayName"] == "Chika", "{place}: {json}");
    assert!(stored("TENANT").is_none());
}

#[tokio::test]
async fn what_a_later_release_wrote_moves_as_it_is() {
    let later: Vec<_> = Golden::newest().items.into_iter().map(newer).collect();
    let (here, there) = moved(later).await;
    let (before, after) = (moving(items(&here).await), moving(items(&there).await));
    assert!(before == after, "an attribute, a value or a format differs");
    let exported = AttributeValue::S("ORGANIZATION_EXPORTED".to_owned());
    let mut moved = after.values().filter(|item| item.0.get("action") != Some(&exported));
    assert!(moved.all(|item| item.0["v"].as_n() == Ok(&LATER_FORMAT.to_string())));
}

#[tokio::test]
async fn an_item_of_another_organization_or_one_that_stays_behind_is_in_no_part() {
    let (own, other) = (super::sample::organization(), "org_other".parse().unwrap());
    for item in Golden::newest().items {
        let may_be = item.key().0 == "ORG#org_golden" && !LEFT_BEHIND.contains(&&*item.kind()) && item.kind() != "ORG";
        let stored = serde_json::from_value::<StoredItem>(item.to_json()).unwrap();
        assert_eq!([&own, &other].map(|id| stored.is_part_of(id)), [may_be, false], "{:?}", item.key());
    }
}

#[tokio::test]
async fn an_item_that_leads_to_another_organization_is_none_of_the_last_ones() {
    let (here, there) = moved(Golden::newest().items).await;
    let (own, other) = (super::sample::organization(), "org_other".parse().unwrap());
    let last = here.app.store.as_operator().last_items(&own, exported_at()).await.unwrap().unwrap();
    let mut kinds = Vec::new();
    for item in last {
        assert_eq!([&own, &other].map(|id| item.is_last_of(id)), [true, false]);
        let mut forged = serde_json::to_value(&item).unwrap();
        let kind = forged["sk"]["S"].as_str().unwrap().to_owned();
        if kind != "ORG" {
            forged["organizationId"] = json!({ "S": other });
            assert!(!serde_json::from_value::<StoredItem>(forged).unwrap().is_last_of(&own), "{kind}");
            kinds.push(kind);
        }
    }
    kinds.dedup();
    assert_eq!(kinds, ["ORG#org_golden", "INVITATION"], "members and invitations");

    let receive = async |archive| there.app.store.as_operator().receive(&other, archive).await.map(drop);
    receive("archive 1").await.unwrap();
    assert!(matches!(receive("archive 2").await, Err(TransferError::Unfinished(_))));
    receive("archive 1").await.unwrap();
}
