//! `posture upgrade`, and data files of other releases.

use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use store::{DataError, FORMAT, Upgrade};

use super::golden::Golden;
use super::{Item, LATER_FORMAT, items, later, read_all, with_items};
use crate::faults::{Fault, FaultyStore};
use crate::support::by_operator;

/// Returns the golden table as it was before items had a format.
fn without_formats() -> Golden {
    let mut golden = Golden::newest();
    golden.items.retain(|item| item.kind() != "outside DATA");
    for item in &mut golden.items {
        item.0.remove("v").expect("a golden item has a format");
    }
    golden
}

#[tokio::test]
async fn an_upgrade_rewrites_every_older_item_once() {
    let Golden { sample, items: older } = without_formats();
    let (number, expected) = (older.len(), Golden::newest().items);
    let app = with_items(older).await;
    let operator = app.app.store.as_operator();
    let steps = AtomicUsize::new(0);
    let count = |_: Upgrade| {
        steps.fetch_add(1, Ordering::Relaxed);
    };
    let in_partition = items(&app).await.iter().filter(|item| item.key().0 == "ORG#org_golden").count();
    let done = operator.upgrade(Some(&sample.organization), count).await.unwrap();
    assert_eq!(
        (done, steps.load(Ordering::Relaxed)),
        (Upgrade { rewritten: in_partition, ..Upgrade::default() }, in_partition)
    );
    let done = operator.upgrade(None, |_| {}).await.unwrap();
    assert_eq!(done, Upgrade { rewritten: number - in_partition, ..Upgrade::default() });
    let upgraded = items(&app).await;
    assert_eq!(upgraded.len(), number);
    assert!(upgraded.iter().all(|item| expected.contains(item)), "an upgrade changes the format alone");
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap(), Upgrade::default());
    read_all(&app, &sample).await;
}

#[tokio::test]
async fn an_upgrade_beside_changes_loses_none_of_them() {
    let Golden { sample, items: older } = without_formats();
    let app = with_items(older).await;
    let organization = app.app.store.organization(&sample.organization);
    let writer = by_operator(&organization, later());
    let operator = app.app.store.as_operator();
    let changes = async {
        for number in 1..=20 {
            writer.rename_tenant(&sample.tenants[0], &format!("Name {number}").parse().unwrap()).await.unwrap();
        }
    };
    let (upgraded, ()) = futures_util::future::join(operator.upgrade(None, |_| {}), changes).await;
    assert_eq!(upgraded.unwrap().unreadable, 0);
    let tenant = organization.tenant(&sample.tenants[0]).await.unwrap().unwrap();
    assert_eq!(tenant.name, "Name 20");
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap().rewritten, 0);
    assert!(items(&app).await.iter().all(|item| item.0["v"].as_n() == Ok(&FORMAT.to_string())));
}

#[tokio::test]
async fn an_upgrade_whose_answer_is_lost_finds_that_the_item_is_done() {
    let older = without_formats().items.into_iter().find(|item| item.kind() == "TENANT").unwrap();
    let app = with_items([older.clone()]).await;
    let faulty = FaultyStore::over(&app.engine).await;
    let operator = faulty.store.as_operator();
    faulty.plan(Fault::HalfResponse, 0..0);
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap().rewritten, 1);
    let (upgraded, calls) = (items(&app).await, faulty.made());
    let put = calls.iter().position(|operation| operation == "PutItem").unwrap();
    app.put(older.0).await;
    faulty.plan(Fault::HalfResponse, put..put + 1);
    assert_eq!(operator.upgrade(None, |_| {}).await.unwrap(), Upgrade::default(), "{:?}", faulty.made());
    assert_eq!(items(&app).await, upgraded);
}

#[tokio::test]
async fn items_that_cannot_be_read_are_counted_and_left() {
    let mut damaged = without_formats().items.into_iter().find(|item| item.kind() == "TENANT").unwrap();
    damaged.0.insert("isPaused".to_owned(), AttributeValue::S("perhaps".to_owned()));
    let app = with_items([damaged.clone()]).await;
    let done = app.app.store.as_operator().upgrade(None, |_| {}).await.unwrap();
    assert_eq!(done, Upgrade { unreadable: 1, ..Upgrade::default() });
    assert_eq!(items(&app).await, [damaged]);
}

#[tokio::test]
async fn data_of_an_earlier_release_is_taken_over_and_that_of_a_later_one_refused() {
    let older = without_formats().items;
    let number = older.len();
    let tenant = older.iter().find(|item| item.kind() == "TENANT").unwrap().clone();
    let app = with_items(older).await;
    let operator = app.app.store.as_operator();
    assert_eq!(operator.take_over("1.0.0").await.unwrap(), Upgrade { rewritten: number, ..Upgrade::default() });
    assert_eq!(operator.take_over("1.0.1").await.unwrap(), Upgrade::default());
    let stamp = |items: Vec<Item>| items.into_iter().find(|item| item.kind() == "outside DATA").unwrap();
    let mut stamp = stamp(items(&app).await);
    assert_eq!(stamp.0["release"], AttributeValue::S("1.0.1".to_owned()));
    stamp.0.insert("format".to_owned(), AttributeValue::N((FORMAT - 1).to_string()));
    for Item(item) in [stamp.clone(), tenant] {
        app.put(item).await;
    }
    assert_eq!(operator.take_over("1.0.1").await.unwrap(), Upgrade { rewritten: 1, ..Upgrade::default() });
    stamp.0.insert("release".to_owned(), AttributeValue::S("2.3.0".to_owned()));
    stamp.0.insert("format".to_owned(), AttributeValue::N(LATER_FORMAT.to_string()));
    app.engine.client().put_item().table_name("posture").set_item(Some(stamp.0)).send().await.unwrap();
    let before = app.items().await;
    let refused = operator.take_over("1.0.1").await.unwrap_err();
    assert!(matches!(&refused, DataError::Newer { format: LATER_FORMAT, release } if release == "2.3.0"));
    assert_eq!(
        refused.to_string(),
        format!(
            "the data was written by release 2.3.0 in format {LATER_FORMAT}, but this release reads formats up to {FORMAT}: use \
             release 2.3.0 or a later one, or another file"
        )
    );
    assert_eq!(app.items().await, before);
}
