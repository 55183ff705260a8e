//! Repairs: of missing items, beside other organizations and other writers.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::TryStreamExt;
use model::{Role, Timestamp};
use store::{Organization, OrganizationError, Repaired};

use crate::dashboard::join;
use crate::formats::Item;
use crate::isolation::Canaries;
use crate::support::{TestApp, TestOrganization, baseline_report, by_operator, follow_up_report, time};

fn now() -> Timestamp {
    time("2026-07-15T12:00:00Z")
}

async fn repair(organization: &Organization) -> Repaired {
    let plan = organization.plan_repair(now()).await.unwrap();
    by_operator(organization, now()).repair(plan).await.unwrap()
}

async fn discrepancies(app: &TestApp, organization: &Organization) -> usize {
    let outside = app.app.store.inspect_outside().await.unwrap().len();
    organization.inspect().await.unwrap().discrepancies.len() + outside
}

/// Returns the items whose keys or organization name an organization.
async fn items_of(app: &TestApp, organization: &Organization) -> Vec<Item> {
    let id = organization.id().to_string();
    let is_own = |item: &Item| {
        let (pk, sk) = item.key();
        let named = item.0.get("organizationId").and_then(|value| value.as_s().ok());
        pk == format!("ORG#{id}") || sk == format!("ORG#{id}") || named == Some(&id)
    };
    app.items().await.into_iter().map(Item).filter(is_own).collect()
}

/// Returns the first item of a kind.
async fn first(app: &TestApp, organization: &Organization, kind: &str) -> HashMap<String, AttributeValue> {
    let items = items_of(app, organization).await;
    items.into_iter().find(|item| item.kind() == kind).expect("an item has the kind").0
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

#[tokio::test]
async fn every_missing_item_is_rebuilt_or_what_needs_it_is_set_aside() {
    let app = TestApp::new().await;
    let organization = Canaries::create(&app, 'a').await.organization;
    join(&app, &organization, Role::Admin, "amara").await;
    // A check knows the time.
    let today = chrono::Utc::now().try_into().unwrap();
    by_operator(&organization, today).invite(Role::FullMember, None).await.unwrap();
    let all = app.items().await;
    assert_eq!(repair(&organization).await, Repaired::default(), "there is nothing to repair");
    let mut kinds: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    for item in items_of(&app, &organization).await {
        kinds.entry(item.kind()).or_default().push(item);
    }
    assert_eq!(kinds.len(), 35, "{:?}", kinds.keys());
    for (kind, mut items) in kinds {
        // Of the items of a kind, only the first and the last are tested.
        items.drain(1..items.len().max(2) - 1);
        for item in items {
            app.delete(&item.0).await;
            if kind == "ORG" {
                let plan = organization.plan_repair(now()).await.err();
                assert!(matches!(plan, Some(OrganizationError::NotFound(_))));
            } else {
                let was_found = discrepancies(&app, &organization).await > 0;
                let done = repair(&organization).await;
                assert_eq!((done != Repaired::default(), done.refused), (was_found, 0), "without {:?}", item.key());
                assert_eq!(discrepancies(&app, &organization).await, 0, "without {:?}", item.key());
                assert_eq!(
                    repair(&organization).await,
                    Repaired::default(),
                    "without {:?}, repaired twice",
                    item.key()
                );
            }
            app.restore(&all).await;
        }
    }
}

#[tokio::test]
async fn a_repair_concerns_one_organization_alone() {
    let app = TestApp::new().await;
    let [own, other] = [Canaries::create(&app, 'a').await.organization, Canaries::create(&app, 'b').await.organization];
    for organization in [&own, &other] {
        for (kind, attribute) in [("HISTORY", "score"), ("AUDIT", "action"), ("APIKEY", "createdAt")] {
            let mut item = first(&app, organization, kind).await;
            item.insert(attribute.to_owned(), AttributeValue::Bool(true));
            app.put(item).await;
        }
    }
    // A look-up of a key that is listed here, but that gives access to the other organization.
    let mut lookup = first(&app, &own, "outside KEY").await;
    lookup.insert("organizationId".to_owned(), text(other.id().as_str()));
    app.put(lookup.clone()).await;
    let mut listing = first(&app, &own, "APIKEY").await;
    listing.insert("createdAt".to_owned(), text("2026-01-01T00:00:00.000Z"));
    app.put(listing).await;
    let before = items_of(&app, &other).await;
    let plan = own.plan_repair(now()).await.unwrap();
    let key = format!("{} KEY", lookup["pk"].as_s().unwrap());
    assert_eq!(plan.left().iter().map(|left| left.subject.as_str()).collect::<Vec<_>>(), [key]);
    let done = by_operator(&own, now()).repair(plan).await.unwrap();
    assert_eq!(done, Repaired { rebuilt: 1, set_aside: 1, refused: 0 });
    assert_eq!(items_of(&app, &other).await, before);
    assert_eq!(other.plan_repair(now()).await.unwrap().changes().len(), 3 + 1);
}

#[tokio::test]
async fn a_change_after_the_plan_is_not_overwritten() {
    let app = TestApp::new().await;
    let organization = Canaries::create(&app, 'a').await.organization;
    let all = app.items().await;
    let writer = by_operator(&organization, now());
    let mut pointer = first(&app, &organization, "HISTORY").await;
    pointer.insert("score".to_owned(), AttributeValue::Bool(true));
    let mut entry = first(&app, &organization, "AUDIT").await;
    entry.insert("action".to_owned(), AttributeValue::Bool(true));
    // Another writer changes the tenant, or mends the item.
    for changes_tenant in [true, false] {
        app.put(pointer.clone()).await;
        app.put(entry.clone()).await;
        let plan = organization.plan_repair(now()).await.unwrap();
        assert_eq!(plan.changes().len(), 2);
        if changes_tenant {
            let tenants: Vec<_> = organization.tenants().try_concat().await.unwrap();
            for tenant in tenants {
                writer.pause_tenant(&tenant.service_tenant_id, true).await.unwrap();
            }
        } else {
            app.restore(&all).await;
        }
        let before = items_of(&app, &organization).await;
        let done = writer.repair(plan).await.unwrap();
        let set_aside = usize::from(changes_tenant);
        assert_eq!(done, Repaired { rebuilt: 0, set_aside, refused: 2 - set_aside });
        let after = items_of(&app, &organization).await;
        let lost = before.iter().filter(|item| !after.contains(item)).map(Item::kind);
        // Every repair that changes something marks a change.
        let lost: Vec<_> = lost.filter(|kind| kind != "CHANGED").collect();
        assert_eq!(lost, ["AUDIT"][..set_aside]);
        repair(&organization).await;
        assert_eq!(discrepancies(&app, &organization).await, 0);
        app.restore(&all).await;
    }
}

#[tokio::test]
async fn the_name_of_a_tenant_comes_from_its_own_reports() {
    let app = TestApp::new().await;
    let made = TestOrganization::create(&app.app, "c").await;
    let organization = &made.organization;
    for (number, tenant) in (1..).zip(&made.tenants) {
        made.add_report(tenant, &format!("rpt_{number}"), &baseline_report("2026-07-01T00:00:00.000Z")).await;
    }
    let all = app.items().await;
    for tenant in &made.tenants {
        let item = all.iter().find(|item| item["sk"] == text(&format!("TENANT#{tenant}"))).unwrap();
        app.delete(item).await;
        let plan = organization.plan_repair(now()).await.unwrap();
        by_operator(organization, now()).repair(plan).await.unwrap();
        let tenants: Vec<_> = organization.tenants().try_concat().await.unwrap();
        let names: Vec<_> = tenants.iter().map(|tenant| &*tenant.name).collect();
        assert_eq!(names, ["Tenant c1", "Tenant c2"]);
    }
}

#[tokio::test]
async fn an_organization_has_a_mark_of_its_tenants_if_it_has_some() {
    let app = TestApp::new().await;
    let organization = TestOrganization::create(&app.app, "c").await.organization;
    let delete = async |kinds: &[&str]| {
        for item in items_of(&app, &organization).await {
            if kinds.iter().any(|kind| item.kind() == *kind) {
                app.delete(&item.0).await;
            }
        }
        let plan = organization.plan_repair(now()).await.unwrap();
        plan.changes().into_iter().map(|change| change.item).collect::<Vec<_>>()
    };
    // Reports have no mark yet.
    assert_eq!(delete(&["CHANGED"]).await, ["ORG#org_c CHANGED#TENANTS"]);
    assert_eq!(delete(&["TENANT", "PROVIDER", "SCHEDULES", "outside DUE"]).await, [""; 0]);
}

#[tokio::test]
async fn results_with_another_name_or_beside_an_earlier_list_are_rebuilt() {
    let app = TestApp::new().await;
    let made = TestOrganization::create(&app.app, "c").await;
    let organization = &made.organization;
    let tenant = &made.tenants[0];
    made.add_report(tenant, "rpt_1", &baseline_report("2026-06-01T00:00:00.000Z")).await;
    let earlier = first(&app, organization, "CONTROLS").await;
    for (id, at) in [("rpt_2", "2026-06-15T00:00:00.000Z"), ("rpt_3", "2026-07-01T00:00:00.000Z")] {
        made.add_report(tenant, id, &follow_up_report(at)).await;
    }
    let all = app.items().await;
    let before = first(&app, organization, "RESULTS").await;
    let results = format!("ORG#org_c RESULTS#scubagear#{tenant}");
    let mut renamed = before.clone();
    renamed.insert("tenantName".to_owned(), text("Another"));
    for (item, expected) in [(renamed, vec![&*results]), (earlier, vec!["ORG#org_c CONTROLS"])] {
        app.put(item).await;
        let plan = organization.plan_repair(now()).await.unwrap();
        let changed: Vec<_> = plan.changes().into_iter().map(|change| change.item).collect();
        assert_eq!(changed, expected);
        let done = by_operator(organization, now()).repair(plan).await.unwrap();
        assert_eq!(done, Repaired { rebuilt: expected.len(), set_aside: 0, refused: 0 });
        // They know since when controls are as they are.
        assert_eq!(first(&app, organization, "RESULTS").await, before);
        assert_eq!(discrepancies(&app, organization).await, 0);
        app.restore(&all).await;
    }
}
