//! An export, an import and an erasure concern one organization alone.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use operations::archive;
use store::{AuditAction, StoreError};
use tempfile::TempDir;

use super::canaries::{Canaries, Kind, canaries_in};
use crate::formats::Item;
use crate::support::{TestApp, by_operator, time};

/// Returns the text of everything in an archive.
fn text(archive: &Path) -> String {
    let mut tar = tar::Archive::new(MultiGzDecoder::new(File::open(archive).unwrap()));
    let mut text = String::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        text += &entry.path().unwrap().display().to_string();
        entry.read_to_string(&mut text).unwrap();
    }
    text
}

async fn items(app: &TestApp) -> BTreeMap<(String, String), Item> {
    app.items().await.into_iter().map(Item).map(|item| (item.key(), item)).collect()
}

/// Returns the text of an item, with the texts that it contains compressed.
fn text_of(item: &Item) -> String {
    format!("{:?} {:?}", item.key(), item.values())
}

#[tokio::test]
async fn an_archive_has_one_organization_alone_and_so_has_the_table_that_it_is_imported_into() {
    let app = TestApp::new().await;
    let own = Canaries::create(&app, 'a').await;
    for other in ['b', 'c'] {
        Canaries::create(&app, other).await;
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.tar.gz");
    let export = archive::Export {
        store: &app.app.store,
        organization: own.organization.id(),
        now: time("2026-07-16T00:00:00Z"),
        release: "1.0.0",
        as_returned: &|report| report.tail.inflate().map_err(StoreError::from),
    };
    archive::export(&export, &path, |_| {}).await.unwrap();
    let canaries = canaries_in(&text(&path));
    assert!(canaries.len() > 6 && canaries.iter().all(|canary| canary.starts_with("canary-a-")), "{canaries:?}");
    assert!(!text(&path).contains(&own.key), "the archive has the text of a key");
    let users = "billable-users/canary-a-active/";
    let user = "\"userPrincipalName\":\"canary-a-active@example.org\"";
    assert!(text(&path).contains(users) && text(&path).contains(user), "the billable users can be read");
    let (entries, _) = own.organization.audit_trail(None, 1_000, export.now).await.unwrap();
    let exports = entries.iter().filter(|entry| entry.action == AuditAction::OrganizationExported);
    assert_eq!(exports.map(|entry| entry.subject.as_str()).collect::<Vec<_>>(), [own.organization.id().as_str()]);

    let there = TestApp::new().await;
    let before = items(&there).await;
    archive::import(&there.app.store, &path, |_| {}).await.unwrap();
    let mut after = items(&there).await;
    after.retain(|key, _| !before.contains_key(key));
    assert!(after.values().all(|item| text_of(item).contains("canary-a-")));
    assert!(items(&there).await.iter().all(|(key, item)| before.get(key).is_none_or(|before| before == item)));
}

#[tokio::test]
async fn an_erasure_changes_nothing_of_other_organizations_and_other_tenants() {
    let app = TestApp::new().await;
    let own = Canaries::create(&app, 'a').await;
    Canaries::create(&app, 'b').await;
    let before = items(&app).await;
    let erased = own.tenants.iter().find(|tenant| tenant.kind == Kind::Shared).unwrap();
    by_operator(&own.organization, time("2026-07-16T00:00:00Z")).erase_tenant(&erased.id).await.unwrap();
    let after = items(&app).await;
    for (key, item) in &before {
        if !text_of(item).contains(&erased.canary())
            && !matches!(item.kind().as_str(), "CHANGED" | "CONTROLS" | "USAGEDAY")
        {
            assert_eq!(after.get(key), Some(item), "{key:?}");
        }
        if key.0 != format!("ORG#{}", own.organization.id()) {
            assert_eq!(after.get(key), Some(item), "{key:?}");
        }
    }
    let left = after.values().filter(|item| text_of(item).contains(&erased.canary()));
    assert!(
        left.clone().all(|item| ["AUDIT", "CONTROLS", "EVENT"].contains(&&*item.kind())),
        "{:?}",
        left.map(Item::key).collect::<Vec<_>>()
    );
}
