//! Repairs of the golden table: each changes exactly what is damaged or contradicts another item.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use store::{AuditAction, Organization, Repaired};

use super::checked::{Checked, name, number, text};
use super::{Item, LATER_FORMAT, sample};
use crate::support::{by_operator, later, time};

/// The time of repairs, at which the invitation is open.
const NOW: &str = "2026-07-03T00:00:00Z";
const ORGANIZATION: &str = "ORG#org_golden ";

/// The golden table, to be damaged and repaired.
struct Repairing(Checked);

impl Repairing {
    async fn new() -> Self {
        Self(Checked::new().await)
    }

    fn organization(&self) -> Organization {
        self.0.app.app.store.organization(&sample::organization())
    }

    /// Returns the first item whose name begins so; within the organization, or else with the word "outside".
    fn item(&self, beginning: &str) -> Item {
        let beginning = match beginning.strip_prefix("outside ") {
            Some(beginning) => beginning.to_owned(),
            None => format!("{ORGANIZATION}{beginning}"),
        };
        self.0.golden.iter().find(|item| name(item).starts_with(&beginning)).expect("there is such an item").clone()
    }

    /// Returns the same item as it is stored now.
    async fn stored(&self, beginning: &str) -> Item {
        let key = self.item(beginning).key();
        self.0.app.items().await.into_iter().map(Item).find(|item| item.key() == key).unwrap()
    }

    async fn without(&self, items: &[&str]) -> &Self {
        for item in items {
            self.0.app.delete(&self.item(item).0).await;
        }
        self
    }

    /// Gives an attribute of an item another value.
    async fn with(&self, item: &str, attribute: &str, value: AttributeValue) -> &Self {
        self.and(changed(self.item(item), attribute, value)).await
    }

    /// Adds an item, or overwrites it.
    async fn and(&self, item: Item) -> &Self {
        self.0.app.put(item.0).await;
        self
    }

    /// Repairs, and undoes everything. Returns what was rebuilt (`+`) and set aside (`-`).
    async fn repaired(&self) -> Vec<String> {
        self.repaired_at(NOW).await
    }

    async fn repaired_at(&self, now: &str) -> Vec<String> {
        let changes = self.made_at(now).await;
        self.undo().await;
        changes
    }

    /// Repairs, after which nothing is found and nothing is left to repair.
    async fn made_at(&self, now: &str) -> Vec<String> {
        let (organization, now) = (self.organization(), time(now));
        let plan = organization.plan_repair(now).await.unwrap();
        assert_eq!(plan.left(), []);
        let changes = plan.changes();
        let set_aside = changes.iter().filter(|change| change.is_set_aside).count();
        let done = by_operator(&organization, now).repair(plan).await.unwrap();
        let expected = Repaired { rebuilt: changes.len() - set_aside, set_aside, refused: 0 };
        assert_eq!(done, expected, "{changes:?}");
        assert_eq!(self.0.found().await, [], "after {changes:?}");
        assert_eq!(organization.plan_repair(now).await.unwrap().changes(), [], "after {changes:?}");
        let sign = |is_set_aside| if is_set_aside { "-" } else { "+" };
        let named = changes.iter().map(|change| sign(change.is_set_aside).to_owned() + of_organization(&change.item));
        named.collect()
    }

    async fn undo(&self) {
        self.0.app.restore(&self.0.stored).await;
    }
}

fn of_organization(name: &str) -> &str {
    name.strip_prefix(ORGANIZATION).unwrap_or(name)
}

fn changed(mut item: Item, attribute: &str, value: AttributeValue) -> Item {
    item.0.insert(attribute.to_owned(), value);
    item
}

fn broken() -> AttributeValue {
    AttributeValue::L(vec![AttributeValue::Bool(true)])
}

/// Returns an item as if it were about another tenant.
fn about(tenant: &str, item: Item) -> Item {
    let place = item.key().1.replace("ten_golden1", tenant);
    changed(changed(item, "sk", text(&place)), "serviceTenantId", text(tenant))
}

/// Returns the summary in the item of a report.
fn summary_in(Item(fields): &mut Item) -> &mut HashMap<String, AttributeValue> {
    match fields.get_mut("summary") {
        Some(AttributeValue::M(summary)) => summary,
        _ => panic!("a report has a summary"),
    }
}

#[tokio::test]
async fn a_missing_tenant_is_listed_again_if_its_provider_identifier_is_and_removed_if_not() {
    let golden = Repairing::new().await;
    assert_eq!(
        golden.without(&["TENANT#"]).await.repaired().await,
        ["+RESULTS#ScubaGear#ten_golden1", "+TENANT#ten_golden1"],
        "the results have its labels"
    );
    let removed = [
        "+CORRECTION#ten_golden1",
        "-LATEST#2026-07-01T00:00:00.000Z#rpt_golden_2",
        "+REMOVED#ten_golden1",
        "-RESULTS#ScubaGear#ten_golden1",
        "-TOOL#ten_golden1#ScubaGear#2026-07-01T00:00:00.000Z#rpt_golden_2",
    ];
    assert_eq!(golden.without(&["TENANT#", "PROVIDER#"]).await.repaired().await, removed);
    assert_eq!(golden.without(&["REMOVED#"]).await.repaired().await, ["+REMOVED#ten_golden2"]);
}

#[tokio::test]
async fn a_damaged_tenant_that_is_removed_too_is_set_aside() {
    let golden = Repairing::new().await;
    let removed = changed(golden.item("TENANT#"), "sk", text("REMOVED#ten_golden1"));
    let removed = changed(removed, "inHistory", AttributeValue::Bool(true));
    let removed = changed(removed, "removedAt", text("2026-07-02T00:00:00.000Z"));
    let expected = [
        "+CORRECTION#ten_golden1",
        "-LATEST#2026-07-01T00:00:00.000Z#rpt_golden_2",
        "-PROVIDER#ca08493a-c9c8-4db0-a9e8-6f6c64656e31",
        "-RESULTS#ScubaGear#ten_golden1",
        "-TENANT#ten_golden1",
        "-TOOL#ten_golden1#ScubaGear#2026-07-01T00:00:00.000Z#rpt_golden_2",
    ];
    assert_eq!(golden.with("TENANT#", "name", broken()).await.and(removed).await.repaired().await, expected);
}

#[tokio::test]
async fn what_is_about_no_tenant_is_set_aside() {
    let golden = Repairing::new().await;
    for kind in ["KEPT#", "TASK#", "REQUEST#", "KNOWN#", "CONNECTION#", "CORRECTION#"] {
        // The other tenant is removed.
        for tenant in ["ten_nobody", "ten_golden2"] {
            let stray = about(tenant, golden.item(kind));
            let expected = format!("-{}", stray.key().1);
            assert_eq!(golden.and(stray).await.repaired().await, [expected]);
        }
    }
    let removing = golden.with("REMOVED#", "inHistory", AttributeValue::Bool(true)).await;
    assert_eq!(removing.repaired().await, ["+CORRECTION#ten_golden2"], "its reports may still be listed");
    let version = |item: Item| item.0["version"].as_n().unwrap().parse::<u64>().unwrap();
    for (kind, attribute, value) in [
        ("KEPT#", "values", AttributeValue::M(HashMap::new())),
        ("CONNECTION#", "providerTenantId", text("ca08493a-c9c8-4db0-a9e8-000000000000")),
    ] {
        let changes = golden.with(kind, attribute, value).await.made_at(NOW).await;
        assert_eq!(changes, [format!("-{}", golden.item(kind).key().1)]);
        assert_eq!(version(golden.stored("TENANT#").await), version(golden.item("TENANT#")) + 1, "{kind}");
        golden.undo().await;
    }
}

#[tokio::test]
async fn a_list_without_a_mark_of_tenants_or_a_correction_has_them_again() {
    let golden = Repairing::new().await;
    for item in ["CORRECTION#", "CHANGED#TENANTS", "LATEST#", "TOOL#", "RESULTS#", "PROVIDER#", "BASELINE#"] {
        let expected = format!("+{}", golden.item(item).key().1);
        assert_eq!(golden.without(&[item]).await.repaired().await, [expected]);
    }
}

#[tokio::test]
async fn a_report_is_rebuilt_from_its_body_and_a_pointer() {
    let golden = Repairing::new().await;
    let key = |report: &str| format!("+{}", golden.item(report).key().1);
    let (report, completed, history) =
        ("REPORT#ten_golden1#2026-06-01", "COMPLETED#2026-06-01", "HISTORY#ten_golden1#2026-06-01");
    let rebuilt = golden.with(report, "summary", broken()).await.made_at(NOW).await;
    assert_eq!((rebuilt, golden.stored(report).await), (vec![key(report)], golden.item(report)));
    golden.undo().await;
    // The figures are those of the body.
    let mut other = golden.item(report);
    summary_in(&mut other).insert("score".to_owned(), number(43));
    assert_eq!(golden.and(other).await.repaired().await, [key(report)]);
    let others = golden.with(report, "summary", broken()).await.with(completed, "score", number(43)).await;
    assert_eq!(others.repaired().await, [key(completed), key(report)]);
    // An edit left the report a whole body of its own, and this pointer was not told.
    let shared = golden.item("SHARED#").key().1.replace("SHARED#ten_golden1#", "");
    let others = golden.with(report, "summary", broken()).await.with(completed, "sharedBody", text(&shared)).await;
    assert_eq!(others.repaired().await, [key(completed), key(report)]);
    // The other pointer is enough, and the missing one is made from the report.
    let others = golden.with(report, "summary", broken()).await.without(&[history]).await;
    assert_eq!(others.repaired().await, [key(history), key(report)]);
    // Results are those of the rebuilt report.
    let newest = "REPORT#ten_golden1#2026-07-01";
    let others = golden.with(newest, "summary", broken()).await.without(&["RESULTS#"]).await;
    assert_eq!(others.repaired().await, [key(newest), key("RESULTS#")]);
}

#[tokio::test]
async fn positions_in_results_are_written_with_the_list_of_controls() {
    let golden = Repairing::new().await;
    let both = ["+CONTROLS", "+RESULTS#ScubaGear#ten_golden1"];
    assert_eq!(golden.without(&["CONTROLS"]).await.made_at(NOW).await, both);
    assert_eq!(golden.stored("CONTROLS").await.0["isComplete"], AttributeValue::Bool(true));
    golden.undo().await;
    assert_eq!(golden.without(&["CONTROLS", "RESULTS#"]).await.repaired().await, [""; 0], "none were collected");
    let stray = about("ten_nobody", golden.item("RESULTS#"));
    assert_eq!(golden.and(stray).await.repaired().await, ["-RESULTS#ScubaGear#ten_nobody"]);
}

#[tokio::test]
async fn results_are_not_written_for_a_list_of_controls_that_somebody_else_wrote() {
    let golden = Repairing::new().await;
    let organization = golden.organization();
    golden.without(&["CONTROLS"]).await.with("RESULTS#", "results", broken()).await;
    let plan = organization.plan_repair(time(NOW)).await.unwrap();
    assert_eq!(plan.changes().len(), 2);
    golden.with("CONTROLS", "isComplete", AttributeValue::Bool(false)).await;
    let done = by_operator(&organization, time(NOW)).repair(plan).await.unwrap();
    assert_eq!(done, Repaired { rebuilt: 0, set_aside: 0, refused: 2 });
    assert_eq!(golden.stored("RESULTS#").await.0["results"], broken());
    assert_eq!(golden.stored("CONTROLS").await.0["isComplete"], AttributeValue::Bool(false));
    assert_eq!(repairs_in_events(&golden).await, 1, "nothing has changed since the first event");
}

/// Returns how many events say that data was repaired.
async fn repairs_in_events(golden: &Repairing) -> usize {
    let kind = text("data.repaired");
    golden.0.app.items().await.iter().filter(|item| item.get("kind") == Some(&kind)).count()
}

#[tokio::test]
async fn a_repair_says_in_the_audit_trail_and_to_those_who_read_changes_what_it_did() {
    let golden = Repairing::new().await;
    let stray = about("ten_nobody", golden.item("KEPT#"));
    for (is_missing, has_stray, numbers) in
        [(true, false, ["1", "0"]), (false, true, ["0", "1"]), (true, true, ["1", "1"])]
    {
        if is_missing {
            golden.without(&["PROVIDER#"]).await;
        }
        if has_stray {
            golden.and(stray.clone()).await;
        }
        let mark = golden.stored("CHANGED#TENANTS").await;
        golden.made_at(NOW).await;
        let (entries, _) = golden.organization().audit_trail(None, 100, later()).await.unwrap();
        let entry = entries.iter().find(|entry| entry.action == AuditAction::DataRepaired).unwrap();
        let after: Vec<_> = entry.changes.iter().map(|change| (&*change.field, change.after.as_deref())).collect();
        assert_eq!(after, [("items rebuilt", Some(numbers[0])), ("items set aside", Some(numbers[1]))]);
        assert_eq!(repairs_in_events(&golden).await, 2, "one before the steps, and one after them");
        assert_ne!(golden.stored("CHANGED#TENANTS").await, mark);
        golden.undo().await;
    }
}

#[tokio::test]
async fn keys_invitations_and_people_are_rebuilt_from_what_people_see() {
    let golden = Repairing::new().await;
    let [key, other] = ["KEY#1587f87e", "KEY#dab81d93"].map(|key| format!("outside {key}"));
    let (listing, invitation) = ("APIKEY#key_019f202010007b60bd739e0b3e865df6", "outside INVITATION#");
    let named = |item: &str| format!("+{}", of_organization(&name(&golden.item(item))));
    assert_eq!(golden.without(&[listing]).await.repaired().await, [named(listing)]);
    for item in [&other, "INVITATION#", invitation, "outside IDENTITY#", "outside DUE", "outside ORGANIZATIONS"] {
        let rebuilt = golden.without(&[item]).await.made_at(NOW).await;
        assert_eq!((rebuilt, golden.stored(item).await), (vec![named(item)], golden.item(item)));
        golden.undo().await;
    }
    // Look-ups that name what is not listed.
    assert_eq!(golden.with(&key, "keyId", text("key_other")).await.repaired().await, [named(&key)]);
    let reads = HashMap::from([("keyId", "key_other"), ("organizationId", "org_golden")]);
    let mut wider = golden.item(&other);
    wider.0.retain(|name, _| !["importsInto", "serviceTenantId"].contains(&name.as_str()));
    wider.0.extend(reads.into_iter().map(|(name, value)| (name.to_owned(), text(value))));
    assert_eq!(golden.and(wider).await.made_at(NOW).await, [named(&other)]);
    assert_eq!(golden.stored(&other).await, golden.item(&other), "the key has the rights of its listing");
    golden.undo().await;
    let others = golden.with(invitation, "invitationId", text("inv_other")).await;
    assert_eq!(others.repaired().await, [named(invitation)]);
    let hash = "0123456789abcdef".repeat(4);
    let another = changed(golden.item(invitation), "pk", text(&format!("INVITATION#{hash}")));
    let another = changed(changed(another, "hash", text(&hash)), "invitationId", text("inv_other"));
    assert_eq!(golden.and(another).await.repaired().await, ["+INVITATION#inv_other"]);
    let stranger = of_organization(&name(&golden.item("outside IDENTITY#"))).to_owned();
    assert_eq!(golden.without(&["MEMBER#mem_019f65a5ea0075"]).await.repaired().await, [format!("-{stranger}")]);
}

#[tokio::test]
async fn an_invitation_is_rebuilt_until_it_ends() {
    let golden = Repairing::new().await;
    for item in ["INVITATION#", "outside INVITATION#"] {
        let last = golden.without(&[item]).await.repaired_at("2026-07-08T23:59:59Z").await;
        assert_eq!(last, [format!("+{}", of_organization(&name(&golden.item(item))))]);
        assert_eq!(golden.without(&[item]).await.repaired_at("2026-07-09T00:00:00Z").await, [""; 0]);
    }
}

#[tokio::test]
async fn an_organization_without_a_time_is_looked_at_at_once() {
    let golden = Repairing::new().await;
    let expected =
        ["-DUE 2026-07-02T00:00:00.000Z#org_golden", "+DUE 2026-07-03T00:00:00.000Z#org_golden", "+SCHEDULES"];
    assert_eq!(golden.without(&["SCHEDULES"]).await.repaired().await, expected);
}

#[tokio::test]
async fn a_recording_with_a_broken_item_is_set_aside_whole() {
    let golden = Repairing::new().await;
    let (day, rows) = ("USAGEDAY#2026-07-15", ["ten_golden1", "ten_golden2"]);
    let row = |tenant: &str| format!("-USAGE#2026-07-15#0000000001-019f2020100076e99b475c4a8ecd3a3a#{tenant}");
    let all = [row(rows[0]), row(rows[1]), format!("-{day}")];
    assert_eq!(golden.with(day, "asOf", broken()).await.repaired().await, all);
    assert_eq!(golden.with("USAGE#", "service", broken()).await.repaired().await, all);
    assert_eq!(golden.without(&["USAGE#"]).await.repaired().await, all[1..]);
}

#[tokio::test]
async fn what_cannot_be_rebuilt_or_is_later_is_left_as_it_is() {
    let golden = Repairing::new().await;
    for key in ["KEY#1587f87e", "KEY#7c078fe8", "KEY#dab81d93"] {
        golden.without(&[&*format!("outside {key}")]).await;
    }
    golden.with("ORG", "usagePlanKey", broken()).await;
    let plan = golden.organization().plan_repair(time(NOW)).await.unwrap();
    let what = "the value of the organization's key at the gateway is lost: restore the item from a backup";
    let left: Vec<_> = plan.left().iter().map(|left| (&*left.subject, left.what)).collect();
    assert_eq!((left, plan.changes()), (vec![("ORG#org_golden ORG", what)], vec![]));
    golden.undo().await;
    let what = "a later release wrote the item, and this release cannot read it";
    // An item that is derived from it stays missing.
    for (item, attribute, derived) in [
        ("REPORT#", "summary", "HISTORY#"),
        ("TENANT#", "name", "LATEST#"),
        ("USAGEDAY#", "asOf", "USAGE#"),
        ("USAGE#", "service", "USAGE#2026-07-15#0000000001-019f2020100076e99b475c4a8ecd3a3a#ten_golden2"),
        ("CONTROLS", "version", "RESULTS#"),
        ("MEMBER#", "role", "outside IDENTITY#28fdff14"),
        ("SCHEDULES", "version", "outside DUE"),
    ] {
        let later = changed(changed(golden.item(item), attribute, broken()), "v", number(LATER_FORMAT));
        let named = name(&later);
        let plan =
            golden.without(&[derived]).await.and(later).await.organization().plan_repair(time(NOW)).await.unwrap();
        let left: Vec<_> = plan.left().iter().map(|left| (left.subject.clone(), left.what)).collect();
        assert_eq!((left, plan.changes()), (vec![(named, what)], vec![]));
        golden.undo().await;
    }
}
