//! Files of jobs, which clients of the API sent to the bucket.

use model::{Admin, ImportStatus, KeyId};
use store::{ImportJob, JobFile, KeyRights};

use super::cases::World;
use super::intake_cases::{Expected, cases};
use super::*;

/// A job of two files, in a world with their bucket.
struct Requested {
    world: World,
    place: JobPlace,
}

impl Requested {
    async fn new() -> Self {
        let world = World::new().await;
        let organization = world.importer.store.organization(&world.organization);
        let writer = organization.by_admin(&Admin::operator(), now());
        let key: KeyId = writer.create_key_for(None, KeyRights::Import(None)).await.unwrap().listing.key_id;
        let mut job = ImportJob::new(key.clone(), now());
        job.files = ["out/results.json", "out/notes.txt"].map(|name| JobFile { name: name.to_owned(), size: 1 }).into();
        let job = organization.by(&Actor::service(), now()).request_import(job, None).await.unwrap();
        let place = JobPlace { organization: world.organization.clone(), key, import: job.import_id };
        Self { world, place }
    }

    /// Puts a file into the bucket: results, or a text without any.
    fn put(&self, file: usize) {
        let all = cases();
        let results = all.iter().find(|case| {
            matches!(case.expected, Expected::Report { .. }) && !case.is_folder() && case.completed_at.is_none()
        });
        let content = if file == 0 { results.unwrap().files[0].1.clone() } else { b"notes".to_vec() };
        self.world.objects.lock().unwrap().insert(self.place.object(file), (content.into(), None));
    }

    /// Handles the event of a file. Returns the type of the failure, if it fails.
    async fn delivered(&self, file: usize) -> Result<(), String> {
        let handled = self.world.importer.handle(event(&self.place.object(file))).await;
        handled.map_err(|error| Diagnostic::from(error).error_type)
    }

    fn fail(&self, fault: Option<(&'static str, (StatusCode, &'static str))>) {
        *self.world.fault.lock().unwrap() = fault;
    }

    /// Returns the job's status, the number of its files in the bucket, and that of the organization's reports.
    async fn state(&self) -> (ImportStatus, usize, usize) {
        let organization = self.world.importer.store.organization(&self.world.organization);
        let objects = self.world.objects.lock().unwrap().keys().filter(|key| key.starts_with("imports/")).count();
        (self.job().await.status, objects, organization.inspect().await.unwrap().reports)
    }

    async fn job(&self) -> ImportJob {
        let organization = self.world.importer.store.organization(&self.world.organization);
        organization.import_job(&self.place.key, &self.place.import, now()).await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn the_last_file_starts_the_import_and_all_are_deleted_after_it() {
    let it = Requested::new().await;
    it.put(0);
    assert_eq!(it.delivered(0).await, Ok(()));
    assert_eq!(it.state().await, (ImportStatus::Waiting, 1, 0));
    it.put(1);
    assert_eq!(it.delivered(1).await, Ok(()));
    assert_eq!(it.state().await, (ImportStatus::Completed, 0, 1));
    // A file that is sent again is not imported again.
    it.put(0);
    assert_eq!(it.delivered(0).await, Ok(()));
    assert_eq!(it.state().await, (ImportStatus::Completed, 0, 1));
}

#[tokio::test]
async fn files_of_no_job_are_deleted() {
    let mut it = Requested::new().await;
    let requested = it.place.clone();
    it.place.import = "imp_unknown".parse().unwrap();
    it.put(0);
    assert_eq!(it.delivered(0).await, Ok(()));
    it.place = requested;
    assert_eq!(it.state().await, (ImportStatus::Waiting, 0, 0));
}

#[tokio::test]
async fn an_interrupted_import_is_continued_by_its_own_delivery_alone() {
    let it = Requested::new().await;
    (0..2).for_each(|file| it.put(file));
    it.fail(Some(("GetObject", SLOW_DOWN)));
    assert_eq!(it.delivered(1).await, Err("Unavailable".to_owned()));
    assert_eq!(it.state().await, (ImportStatus::Running, 2, 0));
    it.fail(None);
    assert_eq!(it.delivered(0).await, Ok(()));
    assert_eq!(it.state().await, (ImportStatus::Running, 2, 0));
    assert_eq!(it.delivered(1).await, Ok(()));
    assert_eq!(it.state().await, (ImportStatus::Completed, 0, 1));
}

#[tokio::test]
async fn a_file_that_may_not_be_read_fails_the_job_with_the_reason() {
    let it = Requested::new().await;
    (0..2).for_each(|file| it.put(file));
    it.fail(Some(("GetObject", FORBIDDEN)));
    assert_eq!(it.delivered(0).await, Ok(()));
    assert_eq!(it.state().await, (ImportStatus::Failed, 0, 0));
    let result = String::from_utf8(it.job().await.result().unwrap().inflate().unwrap()).unwrap();
    assert!(result.contains("GetObject was refused (AccessDenied)"), "{result}");
}

#[tokio::test]
async fn a_bucket_that_refuses_fails_the_invocation_and_imports_nothing_twice() {
    let it = Requested::new().await;
    (0..2).for_each(|file| it.put(file));
    for (operation, response, kind, state) in [
        ("ListObjectsV2", FORBIDDEN, "NotImported", (ImportStatus::Waiting, 2, 0)),
        ("ListObjectsV2", SLOW_DOWN, "Unavailable", (ImportStatus::Waiting, 2, 0)),
        ("DeleteObject", FORBIDDEN, "NotImported", (ImportStatus::Completed, 2, 1)),
    ] {
        it.fail(Some((operation, response)));
        assert_eq!(it.delivered(1).await, Err(kind.to_owned()), "{operation}");
        assert_eq!(it.state().await, state, "{operation}");
    }
    it.fail(None);
    assert_eq!(it.delivered(1).await, Ok(()));
    assert_eq!(it.state().await, (ImportStatus::Completed, 0, 1));
}
