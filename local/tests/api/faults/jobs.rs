//! Imports that are requested with an API key: each is kept once, and its files make one report, whatever call fails.

use futures_util::{FutureExt, stream};
use model::{EventKind, ImportStatus, KeyId};
use operations::InputFile;
use operations::import::jobs::{self, Claim, JobPlace};
use operations::import::{Cause, ImportError};
use operations::retention::Retention;
use store::{
    AuditAction, EventSelection, ImportJob, ImportJobError, JobFile, KeyRights, SameRequest, Store, StoreError,
};

use super::FaultyStore;
use super::office::{Outcome, now};
use super::target::{Subject, TENANT, Target};
use super::writes::{Write, all_wait_for_capacity};
use crate::samples::results;
use crate::support::{by_operator, later, provider_id};

/// An organization with a key that imports.
#[derive(Clone)]
struct Importing {
    target: Target,
    key: KeyId,
}

impl Subject for Importing {
    async fn prepared(store: &Store) -> Self {
        let target = Target::prepared(store).await;
        let created = by_operator(&target, now()).create_key_for(None, KeyRights::Import(None)).await.unwrap();
        Self { target, key: created.listing.key_id }
    }

    fn over(&self, faulty: &FaultyStore) -> Self {
        Self { target: self.target.over(faulty), ..self.clone() }
    }

    fn target(&self) -> &Target {
        &self.target
    }
}

impl Importing {
    /// Returns the only import that was requested.
    async fn job(&self) -> ImportJob {
        let jobs = self.target.import_jobs(&self.key, None, 2, now()).await.unwrap();
        let [job] = <[_; 1]>::try_from(jobs).unwrap();
        job
    }

    /// Requests an import as a client that repeats its request, and imports the file as a function whose event is
    /// repeated.
    async fn import(self, content: String) -> Outcome {
        let place = JobPlace {
            organization: self.target.id().clone(),
            key: self.key.clone(),
            import: request_job(&self).await?.import_id,
        };
        let Claim::Import(job) = jobs::claim(&self.target, &place, 1, "delivery", now()).await? else { return Ok(()) };
        let file = InputFile::new("results.json", content.into_bytes());
        match jobs::work(&self.target, *job, stream::iter([file]), Retention::All, now()).await {
            Ok(()) => Ok(()),
            Err(Cause::Run(ImportError::Store(error))) => Err(error),
            Err(other) => panic!("{other}"),
        }
    }

    async fn has_recorded(&self, action: AuditAction) -> bool {
        let (trail, _) = self.target.audit_trail(None, 50, later()).await.unwrap();
        trail.iter().filter(|entry| entry.action == action && entry.at == now()).count() == 1
    }
}

async fn request_job(it: &Importing) -> Result<ImportJob, StoreError> {
    let mut job = ImportJob::new(it.key.clone(), now());
    job.files = vec![JobFile { name: "results.json".to_owned(), size: 1 }];
    let same = SameRequest { key: "a".repeat(64), request: "b".repeat(64) };
    match by_operator(&it.target, now()).request_import(job, Some(&same)).await {
        Ok(job) => Ok(job),
        Err(ImportJobError::Store(error)) => Err(error),
        Err(ImportJobError::OtherRequest) => panic!("it is the same"),
    }
}

async fn request(it: Importing) -> Outcome {
    request_job(&it).await.map(drop)
}

async fn is_requested(it: Importing) -> bool {
    it.job().await.status == ImportStatus::Waiting
}

async fn import(it: Importing) -> Outcome {
    it.import(results(&provider_id(&TENANT.parse().unwrap()), 7, &[("MS.AAD.1.1v1", "Fail")])).await
}

async fn is_imported(it: Importing) -> bool {
    it.job().await.status == ImportStatus::Completed && it.has_recorded(AuditAction::ReportAdded).await
}

async fn import_none(it: Importing) -> Outcome {
    it.import("{}".to_owned()).await
}

async fn has_failed(it: Importing) -> bool {
    let failures = EventSelection { kind: Some(EventKind::ImportFailed), limit: 10, ..EventSelection::default() };
    let told = it.target.events(&failures, later()).await.unwrap().events;
    it.job().await.status == ImportStatus::Failed && told.len() == 1
}

/// Returns every write of imports, with the check that it is done.
fn all() -> [Write<Importing>; 3] {
    [
        Write { run: |it| request(it).boxed(), done: |it| is_requested(it).boxed(), in_steps: false },
        Write { run: |it| import(it).boxed(), done: |it| is_imported(it).boxed(), in_steps: false },
        Write { run: |it| import_none(it).boxed(), done: |it| has_failed(it).boxed(), in_steps: false },
    ]
}

#[tokio::test]
async fn throttled_writes_of_imports_wait_and_complete() {
    all_wait_for_capacity(all()).await;
}

#[tokio::test]
async fn requesting_an_import_keeps_one_or_has_no_effect() {
    all()[0].is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn importing_requested_files_makes_one_report_or_tells_of_one_failure() {
    for write in &all()[1..] {
        write.is_whole_or_not_at_all_and_completed_by_another_run().await;
    }
}
