//! A rollback: this release on a table that a later one wrote, with attributes and values that it does not know.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use model::Role;
use serde_json::{Value, json};
use store::{InvitationError, Person};

use super::golden::{Golden, change_all};
use super::{Item, LATER_FORMAT, check, items, later, read_all, signed_in, with_items};
use crate::dashboard::send;
use crate::support::by_operator;

/// Name of a field that every map has in the later format.
const NEW: &str = "addedLater";

/// Values of the later format, by the fields that have them. Of the statuses, only `OPEN` has another one.
const VALUES: [(&str, &str); 11] = [
    ("action", "TENANT_MERGED"),
    ("billableStatus", "Suspended"),
    ("category", "DEVICES"),
    ("grade", "A_PLUS"),
    ("mfaEnforcement", "HARDWARE"),
    ("mfaMethod", "IRIS"),
    ("previousGrade", "E"),
    ("reportType", "SNAPSHOT"),
    ("service", "Response"),
    ("severity", "EXTREME"),
    ("status", "ACCEPTED"),
];

/// Returns an item of the golden table as the later release would write it.
pub(super) fn newer(mut item: Item) -> Item {
    let is_admin = item.0.get("role") == Some(&AttributeValue::S("ADMIN".to_owned()));
    extend(&mut item.0, is_admin);
    item.0.insert("v".to_owned(), AttributeValue::N(LATER_FORMAT.to_string()));
    if let Some(AttributeValue::L(edits)) = item.0.get_mut("edits") {
        let part = AttributeValue::M([("section".to_owned(), AttributeValue::S("ACCOUNTS".to_owned()))].into());
        let mut mark = edits[0].clone();
        let AttributeValue::M(fields) = &mut mark else { panic!("a mark is a map") };
        fields.insert("part".to_owned(), part);
        fields.insert("fields".to_owned(), AttributeValue::L(vec![AttributeValue::S("wording".to_owned())]));
        edits.push(mark);
    }
    item.change_text(extend_json);
    item
}

fn extend(fields: &mut HashMap<String, AttributeValue>, is_admin: bool) {
    for (name, value) in fields.iter_mut() {
        match value {
            AttributeValue::S(text) if name == "role" && !is_admin => "AUDITOR".clone_into(text),
            AttributeValue::S(text) => {
                if let Some((_, new)) = VALUES.iter().find(|(field, _)| field == name)
                    && (name != "status" || text == "OPEN")
                {
                    (*new).clone_into(text);
                }
            }
            AttributeValue::L(list) => list.iter_mut().for_each(|value| {
                if let AttributeValue::M(fields) = value {
                    extend(fields, is_admin);
                }
            }),
            // Names in these maps are data, or name a variant.
            AttributeValue::M(fields) if !["revisions", "part", "tools"].contains(&&**name) => extend(fields, is_admin),
            _ => {}
        }
    }
    fields.insert(NEW.to_owned(), AttributeValue::S(format!("new {}", fields.len())));
}

fn extend_json(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match VALUES.iter().find(|(field, _)| field == name) {
                    Some((_, new)) if value.is_string() => {
                        if name != "status" || value == "OPEN" {
                            *value = json!(new);
                        }
                    }
                    _ => extend_json(value),
                }
            }
            let new = format!("new {}", fields.len());
            fields.insert(NEW.to_owned(), json!(new));
        }
        Value::Array(list) => list.iter_mut().for_each(extend_json),
        _ => {}
    }
}

/// Returns everything in an item that this release does not know, with its number of occurrences.
fn unknown(item: &Item) -> BTreeMap<(String, String), usize> {
    let values: Vec<_> = VALUES.iter().map(|(_, value)| *value).chain(["AUDITOR", "wording"]).collect();
    let is_unknown =
        |path: &str, value: &str| path.contains(NEW) || path.contains("section") || values.contains(&value);
    let mut found = BTreeMap::new();
    for (path, values) in item.values() {
        for value in values.into_iter().filter(|value| is_unknown(&path, value)) {
            *found.entry((path.clone(), value)).or_default() += 1;
        }
    }
    found
}

#[tokio::test]
async fn nothing_of_a_later_format_is_lost_by_the_changes_of_this_release() {
    let Golden { sample, items: golden } = Golden::newest();
    // Results are derived from reports: the later release would write its own.
    let left_out = ["outside DATA", "CONTROLS", "RESULTS"];
    let before: Vec<_> = golden.into_iter().filter(|item| !left_out.contains(&&*item.kind())).map(newer).collect();
    let app = with_items(before.clone()).await;
    let reports = read_all(&app, &sample).await;
    assert_eq!(reports[0]["checks"][0]["status"], "ACCEPTED", "the API passes on what is stored");
    change_all(&app, &sample).await;
    read_all(&app, &sample).await;
    let organization = app.app.store.organization(&sample.organization);
    let writer = by_operator(&organization, later());
    // The older report becomes the newest again, from its pointer in the history.
    writer.delete_report(&"rpt_golden_4".parse().unwrap()).await.unwrap();
    check(&app).await;
    let expected = COMPARED.map(|(kind, parts)| (kind.to_owned(), parts));
    assert_eq!(compared(&before, items(&app).await), BTreeMap::from(expected));
    writer.remove_tenant(&sample.tenants[0]).await.unwrap();
    check(&app).await;
    let removed: Vec<_> = before.into_iter().filter(|item| item.kind() == "TENANT").map(as_removed).collect();
    assert_eq!(compared(&removed, items(&app).await), BTreeMap::from([("REMOVED".to_owned(), 4)]));
}

/// Parts that this release does not know, by the kind of the items that are compared.
const COMPARED: [(&str, usize); 49] = [
    ("APIKEY", 3),
    ("AUDIT", 155),
    ("BASELINE", 3),
    ("BILLABLE", 2),
    ("BILLABLEUSERS", 1),
    ("BRAND", 2),
    ("CHANGED", 3),
    ("COMPLETED", 13),
    ("CONNECTING", 1),
    ("CONNECTION", 1),
    ("CORRECTION", 1),
    ("DELIVERY", 1),
    ("DISPATCHED", 1),
    ("DOCUMENTS", 2),
    ("EVENT", 70),
    ("FORM", 1),
    ("HISTORY", 13),
    ("IMPORT", 6),
    ("INVITATION", 2),
    ("JOB", 3),
    ("KEPT", 5),
    ("KNOWN", 1),
    ("LATEST", 5),
    ("MEMBER", 4),
    ("ONLYJOB", 1),
    ("ORG", 1),
    ("PROVIDER", 1),
    ("QUEUED", 1),
    ("REMOVED", 3),
    ("REPORT", 152),
    ("REPORTID", 4),
    ("REQUEST", 1),
    ("SCHEDULES", 6),
    ("SESSION", 1),
    ("SHARED", 1),
    ("TARGET", 8),
    ("TASK", 1),
    ("TENANT", 4),
    ("TEXT", 1),
    ("TOOL", 5),
    ("TREND", 1),
    ("UPLOAD", 1),
    ("USAGE", 6),
    ("USAGEDAY", 1),
    ("outside DUE", 1),
    ("outside IDENTITY", 2),
    ("outside INVITATION", 2),
    ("outside KEY", 3),
    ("outside ORGANIZATIONS", 1),
];

/// Compares items of the later format with what became of them, and returns the number of unknown parts by kind.
fn compared(before: &[Item], after: Vec<Item>) -> BTreeMap<String, usize> {
    let after: BTreeMap<_, _> = after.into_iter().map(|item| (identity(&item), item)).collect();
    let mut compared = BTreeMap::new();
    for item in before {
        let key = identity(item);
        let now = after.get(&key).unwrap_or_else(|| panic!("{key:?} is gone"));
        assert_eq!(now.0["v"].as_n(), Ok(&LATER_FORMAT.to_string()), "{key:?}");
        let left = unknown(now);
        let is_edited = key.1.contains("rpt_golden_2");
        for (part, times) in unknown(item) {
            if is_edited && is_calculated(&part.0) {
                continue;
            }
            assert!(
                left.get(&part).is_some_and(|left| *left >= times),
                "{key:?} lost {part:?}, {times} times: {left:?}"
            );
            *compared.entry(item.kind()).or_default() += times;
        }
    }
    compared
}

/// Returns whether an edit calculates the value at a path again.
pub(super) fn is_calculated(path: &str) -> bool {
    path.contains("topRisks") || path.split([':', '.']).any(|name| name == "grade")
}

/// Returns the key of an item, without the name of its recording, which every recording changes.
pub(super) fn identity(item: &Item) -> (String, String) {
    let (pk, sk) = item.key();
    match sk.split('#').collect::<Vec<_>>()[..] {
        ["USAGE", date, _, tenant] => (pk, ["USAGE", date, tenant].join("#")),
        _ => (pk, sk),
    }
}

/// Returns a tenant's item under the key that it has once the tenant is removed.
fn as_removed(mut tenant: Item) -> Item {
    let sk = tenant.key().1.replacen("TENANT", "REMOVED", 1);
    tenant.0.insert("sk".to_owned(), AttributeValue::S(sk));
    tenant
}

#[tokio::test]
async fn a_role_of_a_later_release_has_no_rights() {
    let Golden { sample, items } = Golden::newest();
    let app = with_items(items.into_iter().map(newer)).await;
    let (router, cookie) = signed_in(&app, Role::Unknown).await;
    for page in ["/", "/tenants", "/settings/members"] {
        assert_eq!(send(&router, "GET", page, Some(&cookie), "").await.status, 403, "{page}");
    }
    let (router, cookie) = signed_in(&app, Role::Admin).await;
    let page = send(&router, "GET", "/settings/members", Some(&cookie), "").await.text;
    assert!(page.contains("<td>Unknown</td>") && !page.contains("value=\"UNKNOWN\""), "{page}");
    let organization = app.app.store.organization(&sample.organization);
    let member = organization.members().await.unwrap().into_iter().find(|member| member.role == Role::Unknown).unwrap();
    let form = format!("/settings/members/{}/role", member.member_id);
    for role in ["AUDITOR", "UNKNOWN"] {
        assert_eq!(send(&router, "POST", &form, Some(&cookie), format!("role={role}")).await.status, 400, "{role}");
    }
}

#[tokio::test]
async fn an_invitation_with_a_role_of_a_later_release_stays_for_that_release() {
    let app = with_items([]).await;
    let organization = &app.org_a.organization;
    let (secret, _) = by_operator(organization, later()).invite(Role::FullMember, None).await.unwrap();
    let invitations = app.items().await.into_iter().map(Item).filter(|item| item.kind().contains("INVITATION"));
    let invitations: Vec<_> = invitations.map(newer).collect();
    assert_eq!(invitations.len(), 2);
    for Item(item) in invitations.clone() {
        app.engine.client().put_item().table_name("posture").set_item(Some(item)).send().await.unwrap();
    }
    let person = Person {
        identity: model::IdentityHash::of("https://issuer.example", "1"),
        name: "Chika".to_owned(),
        email: None,
    };
    let accepted = app.app.store.accept_invitation(&secret, person, later()).await;
    assert!(matches!(accepted, Err(InvitationError::Ended)));
    let left: Vec<_> =
        app.items().await.into_iter().map(Item).filter(|item| item.kind().contains("INVITATION")).collect();
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|item| invitations.contains(item)));
}
