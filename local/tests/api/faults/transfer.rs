//! Exports and imports of an organization under faults.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use operations::archive::{self, ArchiveError, Export};
use store::{AuditAction, Store, StoreError, TransferError};
use tempfile::TempDir;

use super::target::{Subject, TENANT, Target, record_usage, record_users};
use super::writes::{Write, all_wait_for_capacity};
use super::{FOR_GOOD, Fault, FaultyStore, ONCE, cases, passes};
use crate::support::{TestApp, time};

/// An organization that is in an archive, and not in the table.
#[derive(Clone)]
struct Archived {
    target: Target,
    folder: Arc<TempDir>,
}

impl Subject for Archived {
    async fn prepared(store: &Store) -> Self {
        let target = filled(store).await;
        let archived = Self { target, folder: Arc::new(TempDir::new().unwrap()) };
        export(&archived.target, &archived.path()).await.unwrap();
        store.as_operator().delete_organization(archived.target.id()).await.unwrap();
        archived
    }

    fn over(&self, faulty: &FaultyStore) -> Self {
        Self { target: self.target.over(faulty), folder: Arc::clone(&self.folder) }
    }

    fn target(&self) -> &Target {
        &self.target
    }
}

impl Archived {
    fn path(&self) -> PathBuf {
        self.folder.path().join("archive.tar.gz")
    }

    async fn import(self) -> Result<(), StoreError> {
        match archive::import(&self.target.store, &self.path(), |_| {}).await {
            Ok(_) => Ok(()),
            // The last attempt was complete.
            Err(ArchiveError::Transfer(TransferError::Exists(_))) if self.is_listed().await => Ok(()),
            Err(error) => Err(store_error(error)),
        }
    }

    async fn is_listed(&self) -> bool {
        let listed = self.target.store.as_operator().organizations().await.unwrap_or_default();
        listed.iter().any(|record| record.organization_id == *self.target.id())
    }

    async fn has_arrived(self) -> bool {
        let inspection = self.target.inspect().await.unwrap();
        let has_usage = self.target.usage(crate::support::TODAY).await.unwrap().is_some();
        self.is_listed().await && (inspection.tenants, inspection.reports, inspection.keys) == (2, 2, 0) && has_usage
    }
}

async fn filled(store: &Store) -> Target {
    let target = Target::prepared(store).await;
    record_usage(target.clone()).await.unwrap();
    record_users(target.clone()).await.unwrap();
    target
}

async fn export(target: &Target, path: &Path) -> Result<usize, ArchiveError> {
    let export = Export {
        store: &target.store,
        organization: target.id(),
        now: time("2026-07-15T12:00:00Z"),
        release: "1.0.0",
        as_returned: &|report| report.tail.inflate().map_err(StoreError::from),
    };
    Ok(archive::export(&export, path, |_| {}).await?.items)
}

/// Returns the number of exports in the audit trail: each of them is an item of those that follow.
async fn exports(target: &Target) -> usize {
    let (entries, _) = target.audit_trail(None, 10_000, time("2026-07-15T12:00:00Z")).await.unwrap();
    entries.iter().filter(|entry| entry.action == AuditAction::OrganizationExported).count()
}

fn store_error(error: ArchiveError) -> StoreError {
    match error {
        ArchiveError::Store(error) | ArchiveError::Transfer(TransferError::Store(error)) => error,
        other => panic!("{other}"),
    }
}

const IMPORT: Write<Archived> = Write {
    run: |archived| archived.import().boxed(),
    done: |archived| archived.has_arrived().boxed(),
    in_steps: true,
};

#[tokio::test]
async fn an_import_is_completed_by_another_run() {
    IMPORT.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn an_organization_that_is_visible_is_whole_whenever_its_import_is_killed() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let clean = Archived::prepared(&app.app.store).await;
    faulty.plan(Fault::Refused, 0..0);
    clean.over(&faulty).import().await.unwrap();
    let (mut visible, tenant) = (0, TENANT.parse().unwrap());
    for call in 0..faulty.made().len() {
        let clean = Archived::prepared(&app.app.store).await;
        faulty.plan(Fault::Refused, call..FOR_GOOD);
        clean.over(&faulty).import().await.unwrap_err();
        if clean.is_listed().await {
            visible += 1;
            assert_eq!(clean.target.inspect().await.unwrap().discrepancies, [], "killed at {:?}", faulty.made());
            clean.target.writer().pause_tenant(&tenant, true).await.unwrap();
            clean.clone().import().await.unwrap();
            let paused = clean.target.tenant(&tenant).await.unwrap().unwrap().is_paused;
            assert!(paused, "a change is lost, killed at {:?}", faulty.made());
        }
    }
    assert!(visible > 1, "it is killed after it is visible");
}

#[tokio::test]
async fn a_throttled_import_of_an_organization_waits_and_completes() {
    all_wait_for_capacity([IMPORT]).await;
}

#[tokio::test]
async fn an_export_is_whole_or_continued_by_another_run() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let clean = filled(&app.app.store).await;
    let folder = TempDir::new().unwrap();
    let path = |number: usize| folder.path().join(format!("{number}.tar.gz"));
    faulty.plan(Fault::Refused, 0..0);
    let items = export(&clean.over(&faulty), &path(0)).await.unwrap() - exports(&clean).await;
    let calls = faulty.made();
    for (number, (fault, attempts)) in (1..).zip(cases(&calls, &[ONCE, FOR_GOOD])) {
        faulty.plan(fault, attempts.clone());
        let outcome = export(&clean.over(&faulty), &path(number)).await;
        let case = format!("{fault:?} at {attempts:?} of {:?}", faulty.made());
        assert!(outcome.is_ok() || !passes(&attempts), "{case}: {:?}", outcome.map_err(store_error));
        assert_eq!(path(number).exists(), outcome.is_ok(), "{case}: a file has the name of a whole archive");
        if outcome.is_err() {
            let exported = export(&clean, &path(number)).await.unwrap();
            assert_eq!(exported - exports(&clean).await, items, "{case}: after another run");
        }
    }
}

#[tokio::test]
async fn an_export_that_is_continued_after_a_change_begins_anew() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let clean = filled(&app.app.store).await;
    let archived = Archived { target: clean.clone(), folder: Arc::new(TempDir::new().unwrap()) };
    faulty.plan(Fault::Refused, 0..0);
    export(&clean.over(&faulty), &archived.folder.path().join("undisturbed.tar.gz")).await.unwrap();
    let last = faulty.made().len() - 1;
    faulty.plan(Fault::Refused, last..FOR_GOOD);
    export(&clean.over(&faulty), &archived.path()).await.unwrap_err();
    assert!(archived.path().with_added_extension("part").exists());
    let tenant = TENANT.parse().unwrap();
    clean.writer().pause_tenant(&tenant, true).await.unwrap();
    export(&clean, &archived.path()).await.unwrap();
    clean.store.as_operator().delete_organization(clean.id()).await.unwrap();
    archived.import().await.unwrap();
    assert!(clean.tenant(&tenant).await.unwrap().unwrap().is_paused, "the archive is of one moment");
}
