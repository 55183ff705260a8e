//! Every kind of item, damaged in every way: what endpoints, pages, the log and a check say, and what a repair does.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use http_body_util::BodyExt;
use model::{ApiKey, Role};
use store::{AuditAction, Repaired};
use tracing::level_filters::LevelFilter;

use super::golden::Golden;
use super::{Item, LATER_FORMAT, Sample, endpoints, pages, sample, signed_in, with_items};
use crate::dashboard::send;
use crate::support::{Client, Log, TestApp, by_operator, later, time};

/// A way to damage an attribute. Returns false if the attribute cannot be damaged like that.
type Damage = fn(&mut Item, &str) -> bool;

const WAYS: [(&str, Damage); 5] = [
    ("missing attribute", |item, name| item.0.remove(name).is_some()),
    ("wrong type", |item, name| {
        item.0.insert(name.to_owned(), AttributeValue::L(vec![AttributeValue::Bool(true)])).is_some()
    }),
    ("garbage", |item, name| match item.0.get_mut(name) {
        Some(AttributeValue::B(bytes)) => halve(bytes),
        Some(AttributeValue::M(fields)) => match fields.get_mut("tail") {
            Some(AttributeValue::B(bytes)) => halve(bytes),
            _ => false,
        },
        Some(AttributeValue::S(text)) => {
            *text = "\u{1b}\u{fffd}#".to_owned();
            true
        }
        _ => false,
    }),
    ("newer shape", |item, name| {
        item.0.insert("v".to_owned(), AttributeValue::N(LATER_FORMAT.to_string()));
        item.0.insert(name.to_owned(), AttributeValue::M([("new".to_owned(), AttributeValue::Null(true))].into()));
        true
    }),
    ("content of another", |item, name| match item.0.get_mut(name) {
        Some(AttributeValue::S(text)) if !text.is_empty() => {
            text.push('x');
            true
        }
        Some(AttributeValue::M(fields)) => match fields.get_mut("reportId") {
            Some(AttributeValue::S(text)) => {
                text.push('x');
                true
            }
            _ => false,
        },
        _ => false,
    }),
];

fn halve(bytes: &mut Blob) -> bool {
    *bytes = Blob::new(bytes.as_ref()[..bytes.as_ref().len() / 2].to_vec());
    true
}

/// Returns the kind of an item. Reports that share a part of their body have one of their own.
fn kind(item: &Item) -> String {
    if item.0.contains_key("beginning") { "REPORT that shares".to_owned() } else { item.kind() }
}

/// Returns when repairs are made: while the invitation is open.
fn repair_time() -> model::Timestamp {
    time("2026-07-03T00:00:00Z")
}

/// A service with the golden table, and everything that reads it.
struct Watched {
    app: TestApp,
    client: Client,
    dashboard: (Router, String),
    paths: Vec<String>,
    pages: Vec<String>,
    intact: BTreeMap<String, String>,
    /// All items of the table.
    items: Vec<HashMap<String, AttributeValue>>,
}

impl Watched {
    async fn new(sample: &Sample, items: Vec<Item>) -> Self {
        let app = with_items(items).await;
        let dashboard = signed_in(&app, Role::Admin).await;
        let pages = pages(&app, sample, (&dashboard.0, &dashboard.1)).await;
        let paths = endpoints(sample).to_vec();
        let client = app.with_key(&sample.key);
        let (intact, items) = (BTreeMap::new(), app.items().await);
        let mut watched = Self { app, client, dashboard, paths, pages, intact, items };
        watched.intact = watched.read().await;
        watched
    }

    /// Returns the responses of all endpoints and pages by path: a text for a complete success, else a short word.
    async fn read(&self) -> BTreeMap<String, String> {
        let mut read = BTreeMap::new();
        for path in &self.paths {
            let response = self.client.open(path).await;
            let status = response.status().as_u16();
            let body = response.into_body().collect().await.map(|body| body.to_bytes());
            let text = match (status, body) {
                (200, Ok(body)) => String::from_utf8(body.to_vec()).unwrap(),
                (200, Err(_)) => "cut off".to_owned(),
                (status, _) => status.to_string(),
            };
            read.insert(path.clone(), text);
        }
        // The audit trail first, which would show the other downloads.
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_by_key(|page| (!page.contains("/settings/audit"), page.contains(".csv")));
        for page in pages {
            let answer = send(&self.dashboard.0, "GET", page, Some(&self.dashboard.1), "").await;
            let text = if answer.status == 200 { stable(&answer.text) } else { answer.status.to_string() };
            read.insert(page.clone(), text);
        }
        self.forget_downloads().await;
        read
    }

    /// Takes back the entries of the audit trail about the downloads.
    async fn forget_downloads(&self) {
        let downloaded = AttributeValue::S("DATA_DOWNLOADED".to_owned());
        for mut item in self.app.items().await {
            if item.get("action") == Some(&downloaded) {
                item.retain(|name, _| name == "pk" || name == "sk");
                self.app.engine.client().delete_item().table_name("posture").set_key(Some(item)).send().await.unwrap();
            }
        }
    }

    /// Returns what a check finds: the subject and the description of each discrepancy.
    async fn check(&self) -> Vec<(String, &'static str)> {
        let store = &self.app.app.store;
        let found = store.organization(&sample::organization()).inspect().await.unwrap().discrepancies;
        let outside = store.inspect_outside().await.unwrap().into_iter().map(|(_, found)| found);
        found.into_iter().chain(outside).map(|found| (found.subject, found.what)).collect()
    }
}

/// Returns a page without the identifiers of its forms and of its upload, which every page creates anew.
fn stable(page: &str) -> String {
    ["form_", "upl_"].into_iter().fold(page.to_owned(), |page, prefix| {
        let mut parts = page.split(prefix);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()))
    })
}

/// Damages an item of every kind in one way, and compares with the snapshot of all of them.
async fn every_kind(way: usize) {
    Log::prepare();
    let (way, damage) = WAYS[way];
    let Golden { sample, mut items } = Golden::newest();
    // The users of a paused tenant are not read.
    for tenant in items.iter_mut().filter(|item| item.kind() == "TENANT") {
        tenant.0.insert("isPaused".to_owned(), AttributeValue::Bool(false));
    }
    // Expired invitations and events are not read either.
    let end = time("2026-08-01T00:00:00Z").to_datetime().timestamp();
    let expiring = |item: &&mut Item| item.kind().ends_with("INVITATION") || item.kind() == "EVENT";
    for item in items.iter_mut().filter(expiring) {
        item.0.insert("expiresAt".to_owned(), AttributeValue::N(end.to_string()));
    }
    let mut kinds: BTreeMap<String, Item> = BTreeMap::new();
    // Of the keys, the one that reads.
    let own = format!("KEY#{}", sample.key.parse::<ApiKey>().unwrap().hash().as_str());
    // Of the members, one who does not read.
    let reads = |item: &&Item| item.0.get("role").is_some_and(|role| *role == AttributeValue::S("ADMIN".to_owned()));
    let is_passed_over = |item: &&Item| match &*item.kind() {
        "outside KEY" => item.key().0 != own,
        "MEMBER" => reads(item),
        _ => false,
    };
    for item in items.iter().filter(|item| !is_passed_over(item)) {
        kinds.entry(kind(item)).or_insert_with(|| item.clone());
    }
    let watched = Watched::new(&sample, items).await;
    assert_eq!(watched.check().await, []);
    let mut table = String::new();
    for (kind, item) in &kinds {
        let row = one(&watched, item, damage).await;
        writeln!(table, "{kind} | {row}").unwrap();
        watched.app.restore(&watched.items).await;
    }
    assert_eq!(watched.read().await, watched.intact);
    insta::assert_snapshot!(way.replace(' ', "_"), table);
}

#[tokio::test]
async fn a_missing_attribute_of_any_kind_fails_is_logged_found_and_repaired() {
    every_kind(0).await;
}

#[tokio::test]
async fn a_wrong_type_in_any_kind_fails_is_logged_found_and_repaired() {
    every_kind(1).await;
}

#[tokio::test]
async fn garbage_in_any_kind_fails_is_logged_found_and_repaired() {
    every_kind(2).await;
}

#[tokio::test]
async fn a_newer_shape_of_any_kind_fails_is_logged_found_and_repaired() {
    every_kind(3).await;
}

#[tokio::test]
async fn content_of_another_item_of_any_kind_fails_is_logged_found_and_repaired() {
    every_kind(4).await;
}

/// Damages the first attribute whose damage a check finds. Everything that reads it fails, or responds as before, until
/// it is repaired.
async fn one(watched: &Watched, item: &Item, damage: Damage) -> String {
    let mut names: Vec<_> = item.0.keys().filter(|name| !["pk", "sk", "v"].contains(&name.as_str())).collect();
    // The deflated texts first, and what identifies the item.
    names.sort_by_key(|name| (!matches!(item.0[*name], AttributeValue::B(_)), !name.ends_with("Id"), *name));
    let (pk, sk) = item.key();
    let key = format!("{pk} {sk}");
    for name in names {
        let mut damaged = item.clone();
        if !damage(&mut damaged, name) {
            continue;
        }
        watched.app.put(damaged.0.clone()).await;
        let found = watched.check().await;
        let Some((_, what)) = found.iter().find(|(subject, _)| *subject == key).or(found.first()) else { continue };
        let named = if found.iter().any(|(subject, _)| *subject == key) { "names it" } else { "names others" };
        let log = Log::capture(LevelFilter::INFO);
        let read = watched.read().await;
        let logged = log.take();
        assert!(!logged.contains('\u{fffd}'), "{key}: the log shows content: {logged}");
        let changed: Vec<_> = read.iter().filter(|(path, text)| watched.intact[*path] != **text).collect();
        for (path, text) in &changed {
            assert!(text.len() < 10, "{key} without {name}: {path} responds otherwise, and does not fail");
        }
        let failed = |in_api: bool| changed.iter().filter(|(path, _)| watched.paths.contains(path) == in_api).count();
        let log = match (changed.is_empty(), logged.contains(&key)) {
            (true, _) => "-",
            (false, true) => "names it",
            // A body is one text as soon as it is read.
            (false, false) if item.kind() == "SHARED" && logged.contains(" REPORT#") => "names a report that shares it",
            (false, false) => "is silent",
        };
        let (endpoints, pages) = (failed(true), failed(false));
        let repair = repaired(watched, &damaged).await;
        return format!(
            "{name} | fail: {endpoints} endpoints, {pages} pages | log {log} | check {named}: {what} | repair: {repair}"
        );
    }
    "harmless".to_owned()
}

/// Repairs the organization as the command does, after which nothing fails. Returns what was done, and how many responses
/// differ from those before the damage.
async fn repaired(watched: &Watched, damaged: &Item) -> String {
    let organization = watched.app.app.store.organization(&sample::organization());
    let (pk, sk) = damaged.key();
    let key = format!("{pk} {sk}");
    let before: Vec<_> = watched.app.items().await.into_iter().map(Item).collect();
    let plan = organization.plan_repair(repair_time()).await.unwrap();
    if damaged.0["v"].as_n().is_ok_and(|format| *format == LATER_FORMAT.to_string()) {
        assert_eq!(plan.changes(), [], "{key}");
        assert!(plan.left().iter().any(|left| left.subject == key), "{key}: {:?}", plan.left());
        return "left as it is".to_owned();
    }
    assert_eq!(plan.left(), [], "{key}");
    let changed: Vec<_> = plan.changes().into_iter().map(|change| change.item).collect();
    let originals: Vec<_> =
        plan.originals().map(|item| Item::from_json(&serde_json::to_value(item).unwrap())).collect();
    let Repaired { rebuilt, set_aside, refused } =
        by_operator(&organization, repair_time()).repair(plan).await.unwrap();
    assert_eq!((rebuilt + set_aside, refused), (changed.len(), 0), "{key}");
    let is_changed = |item: &&Item| changed.contains(&format!("{} {}", item.key().0, item.key().1));
    for item in before.iter().filter(is_changed) {
        assert!(originals.contains(item), "{:?} is not among the items to keep", item.key());
    }
    assert_eq!(watched.check().await, [], "{key}: after the repair");
    let (entries, _) = organization.audit_trail(None, 100, later()).await.unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.action == AuditAction::DataRepaired).count(), 1, "{key}");
    let again = organization.plan_repair(repair_time()).await.unwrap();
    assert_eq!((again.changes(), again.left()), (vec![], &[][..]), "{key}: a second repair");
    let read = watched.read().await;
    let fails = |text: &String| text == "cut off" || text.starts_with('5');
    assert_eq!(read.iter().find(|(_, text)| fails(text)), None, "{key}: after the repair");
    let others = read.iter().filter(|(path, text)| {
        // The repair itself is in the audit trail and among the events.
        !path.starts_with("/settings/audit") && !path.starts_with("/v1/events") && watched.intact[*path] != **text
    });
    format!("{rebuilt} rebuilt, {set_aside} set aside, {} other responses", others.count())
}
