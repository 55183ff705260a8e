//! An incident is followed by identifiers: of keys and members, in the rows of the log and the entries of the audit trail.

use aws_sdk_dynamodb::types::AttributeValue;
use local::TEMPLATE;
use model::{KeyId, Role};
use store::AuditEntry;
use tracing::level_filters::LevelFilter;

use crate::dashboard::{dashboard_of, join, now, send, sign_in};
use crate::faults::{Fault, FaultyStore};
use crate::support::{Log, TODAY, TestApp};

#[tokio::test]
async fn a_stolen_key_is_followed_from_its_creation_to_its_deletion() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let router = dashboard_of(&app);
    let trail = async || organization.audit_trail(None, 100, now(&app)).await.unwrap().0;
    let admin = join(&app, organization, Role::Admin, "Amara Canary").await.member_id;
    let thief = join(&app, organization, Role::FullMember, "Ben Canary").await;
    let log = Log::capture(LevelFilter::INFO);

    let proof = organization.member(&admin).await.unwrap().unwrap().actor().admin().unwrap();
    let writer = organization.by_admin(&proof, now(&app));
    let created = writer.create_key(None).await.unwrap();
    let (key, text) = (created.listing.key_id, created.key.reveal());
    let cookie = sign_in(&app, &thief).await;
    assert_eq!(send(&router, "GET", "/portfolio.csv", Some(&cookie), "").await.status, 200);
    assert_eq!(send(&router, "GET", "/settings/members", Some(&cookie), "").await.status, 403);
    assert_eq!(app.with_key(text).get("/v1/report-summaries").await.status, 200);
    assert_eq!(used(&app, &key).await, Some(TODAY));
    writer.delete_key(&key).await.unwrap();
    let recorded = trail().await;
    assert_eq!(app.with_key(text).get("/v1/report-summaries").await.status, 401);
    assert_eq!(app.anonymous().get("/v1/tenants").await.status, 401);

    let rows = log.take();
    let row = |parts: &[&str]| rows.lines().filter(|row| parts.iter().all(|part| row.contains(part))).count();
    let of_key = format!("organization.id=\"{}\" key.id=\"{key}\"", organization.id());
    assert_eq!(row(&["http.route=\"/v1/report-summaries\" http.status=200", &of_key]), 1, "{rows}");
    assert_eq!(row(&["http.status=401", "key.id"]), 0, "who has no key is nobody: {rows}");
    assert_eq!(row(&["http.status=401"]), 2, "{rows}");
    let of_member = format!("organization.id={} member.id={}", organization.id(), thief.member_id);
    assert_eq!(row(&[&of_member, "/portfolio.csv", "http.status=200"]), 1, "{rows}");
    assert_eq!(row(&[&of_member, "/settings/members", "http.status=403"]), 1, "{rows}");
    assert!(!rows.contains(text) && !rows.contains("Canary"), "{rows}");

    let of_key = done(&recorded, |entry| entry.subject == key.as_str());
    assert_eq!(of_key, [format!("{admin} ApiKeyCreated"), format!("{admin} ApiKeyDeleted")]);
    let by_thief = done(&recorded, |entry| entry.author_id == thief.member_id.as_str());
    let accesses = ["AccessRefused", "DataDownloaded", "MemberJoined", "MemberSignedIn"];
    assert_eq!(by_thief, accesses.map(|action| format!("{} {action}", thief.member_id)));
    assert_eq!(trail().await, recorded, "strangers cannot make the audit trail grow");
}

/// Returns the authors of some entries with their actions, in order of the alphabet: all are of the same moment.
fn done(trail: &[AuditEntry], is_one: impl Fn(&AuditEntry) -> bool) -> Vec<String> {
    let found = trail.iter().filter(|entry| is_one(entry));
    let mut done: Vec<_> = found.map(|entry| format!("{} {:?}", entry.author_id, entry.action)).collect();
    done.sort_unstable();
    done
}

async fn used(app: &TestApp, key: &KeyId) -> Option<chrono::NaiveDate> {
    let keys = app.org_a.organization.keys_in_use().await.unwrap();
    keys.into_iter().find(|found| found.listing.key_id == *key).unwrap().last_used_on
}

#[tokio::test]
async fn the_day_of_a_use_is_written_once_and_never_for_a_deleted_key() {
    let app = TestApp::new().await;
    let organization = &app.org_a;
    assert_eq!(used(&app, &organization.key_id).await, None);
    app.org_a().get("/v1/tenants").await;
    let once = app.items().await;
    app.org_a().get("/v1/usage").await;
    assert_eq!(app.items().await, once);

    let key = organization.key.parse().unwrap();
    for (day, last) in [(TODAY.pred_opt(), TODAY), (TODAY.succ_opt(), TODAY.succ_opt().unwrap())] {
        app.app.store.note_use(&key, day.unwrap()).await.unwrap();
        assert_eq!(used(&app, &organization.key_id).await, Some(last));
    }
    let faulty = FaultyStore::over(&app.engine).await;
    faulty.plan(Fault::ServerError, 0..usize::MAX);
    assert!(faulty.store.note_use(&key, TODAY).await.is_err());
    crate::support::by_operator(&organization.organization, now(&app)).delete_key(&organization.key_id).await.unwrap();
    let deleted = app.items().await;
    app.app.store.note_use(&key, TODAY).await.unwrap();
    assert_eq!(app.items().await, deleted);
}

#[tokio::test]
async fn the_function_of_pdfs_may_write_the_attributes_of_an_entry() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
    let cookie = sign_in(&app, &member).await;
    send(&dashboard_of(&app), "GET", "/usage.csv", Some(&cookie), "").await;
    let (_, listed) = TEMPLATE.split_once("dynamodb:Attributes:\n").unwrap();
    let allowed: Vec<_> = listed.lines().map_while(|line| line.trim().strip_prefix("- ")).collect();
    let downloaded = AttributeValue::S("DATA_DOWNLOADED".to_owned());
    let items = app.items().await;
    let entry = items.iter().find(|item| item.get("action") == Some(&downloaded)).unwrap();
    let mut names: Vec<_> = entry.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, allowed);
}
