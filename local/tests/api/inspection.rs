//! An inspection notices every missing item.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;

use model::Role;

use crate::dashboard;
use crate::isolation::Canaries;
use crate::schedules::{after, killed};
use crate::support::{TestApp, by_operator, later};

/// Items that make up a recording by themselves: without them, nothing was recorded.
const STAND_ALONE: [&str; 9] =
    ["AUDIT", "USAGEDAY", "BILLABLEUSERS", "KEPT", "EVENT", "KNOWN", "TASK", "TEXT", "TREND"];

type Item = HashMap<String, AttributeValue>;

#[tokio::test]
async fn an_inspection_finds_every_missing_item() {
    let app = TestApp::new().await;
    let organization = Canaries::create(&app, 'a').await.organization;
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
    let mut kinds: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for item in app.items().await.into_iter().filter(|item| is_of(item, organization.id().as_str())) {
        kinds.entry(kind_of(&item)).or_default().push(item);
    }
    assert_eq!(kinds.len(), 29, "{:?}", kinds.keys());
    for (kind, mut items) in kinds {
        // Of the items of a kind, only the first and the last are tested.
        items.drain(1..items.len().max(2) - 1);
        for item in items {
            app.delete(&item).await;
            let found = organization.inspect().await.unwrap().discrepancies.len();
            let unlisted = app.app.store.inspect_outside().await.unwrap().len();
            assert_eq!(found + unlisted == 0, STAND_ALONE.contains(&kind.as_str()), "without {:?}", item["sk"]);
            app.put(item).await;
        }
    }
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_tenant_list_that_nobody_marked_as_changed_is_found_also_where_no_tenant_was_removed() {
    let app = TestApp::new().await;
    let mark = ["ORG#org_a", "CHANGED#TENANTS"].map(|text| AttributeValue::S(text.to_owned()));
    let items = app.items().await;
    app.delete(items.iter().find(|item| [&item["pk"], &item["sk"]] == [&mark[0], &mark[1]]).unwrap()).await;
    let found = app.org_a.organization.inspect().await.unwrap().discrepancies;
    let found: Vec<_> = found.iter().map(|found| (found.subject.as_str(), found.what)).collect();
    assert_eq!(found, [("org_a", "the last change of the tenant list is not marked")]);
}

#[tokio::test]
async fn a_look_of_the_service_is_no_discrepancy_at_any_moment_of_an_inspection() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    app.app.store.as_operator().upgrade(None, |_| {}).await.unwrap();
    let inspect = async || {
        let within = organization.inspect().await.unwrap().discrepancies;
        let outside = app.app.store.inspect_outside().await.unwrap();
        within.into_iter().chain(outside.into_iter().map(|(_, found)| found)).collect::<Vec<_>>()
    };
    for polls in 1.. {
        let mut inspection = Box::pin(inspect());
        let ended = killed(polls, inspection.as_mut()).await;
        let seen = organization.schedules().await.unwrap().unwrap();
        let next_at = after(seen.next_at.unwrap(), 1);
        assert!(by_operator(organization, later()).settle_schedules(&seen, next_at).await.unwrap());
        if ended {
            return;
        }
        assert_eq!(inspection.await, [], "after {polls} polls");
    }
}

#[tokio::test]
async fn missing_items_of_people_are_found() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    dashboard::join(&app, organization, Role::Admin, "admin").await;
    by_operator(organization, chrono::Utc::now().try_into().unwrap()).invite(Role::FullMember, None).await.unwrap();
    let found = async || {
        let inspected = organization.inspect().await.unwrap().discrepancies;
        inspected.len() + app.app.store.inspect_outside().await.unwrap().len()
    };
    assert_eq!(found().await, 0);
    let of_people = |item: &Item| ["MEMBER", "INVITATION", "ORG"].contains(&&*kind_of(item)) && is_of_people(item);
    let items: Vec<_> = app.items().await.into_iter().filter(of_people).collect();
    assert_eq!(items.len(), 4, "a member, an invitation, and what leads to each");
    for item in items {
        app.delete(&item).await;
        assert_eq!(found().await, 1, "without {:?} {:?}", item["pk"], item["sk"]);
        app.put(item).await;
    }
    assert_eq!(found().await, 0);
}

/// Returns whether an item is about people: a member, an invitation, or an item outside the organizations.
fn is_of_people(item: &Item) -> bool {
    let pk = item["pk"].as_s().unwrap();
    kind_of(item) != "ORG" || pk.starts_with("IDENTITY#")
}

/// Returns the beginning of the sort key.
fn kind_of(item: &Item) -> String {
    item["sk"].as_s().unwrap().split('#').next().unwrap().to_owned()
}

/// Returns whether an item belongs to an organization: in its partition, or as the look-up of its key.
fn is_of(item: &Item, organization: &str) -> bool {
    let text = |attribute: &str| item.get(attribute).and_then(|value| value.as_s().ok()).map(String::as_str);
    let is_lookup = text("sk") == Some("KEY") && text("organizationId") == Some(organization);
    is_lookup || text("pk") == Some(&format!("ORG#{organization}"))
}
