//! Imports that are requested with an API key: their files arrive in a bucket, and the import begins with the last one.

use std::time::Duration;

use futures_util::Stream;
use model::{Actor, ImportId, ImportStatus, InvalidId, KeyId, OrganizationId, Timestamp};
use serde_json::Value;
use store::{Fragment, ImportJob, Organization, StoreError};

use super::{BaselineChoice, Cause, ImportResult, Options, Status, tell_failures};
use crate::files::InputFile;
use crate::retention::{self, Retention};

/// The prefix of every object of a job.
const PREFIX: &str = "imports/";
/// Time within which the files of a job have to arrive.
const ARRIVAL: Duration = Duration::from_secs(12 * 60 * 60);
/// Time after which an import that is not continued has ended. The function's longest invocation is much shorter.
const SILENCE: Duration = Duration::from_secs(30 * 60);
/// Maximum size of a deflated result in an item, in bytes, which leaves room for the names of the files.
const RESULT_LIMIT: usize = 250 * 1024;
/// Maximum number of entries of each list in a result: all, or fewer if they do not fit.
const MOST_ENTRIES: [usize; 5] = [usize::MAX, 10_000, 1_000, 100, 10];

/// The place of a job's files in the bucket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JobPlace {
    /// The organization.
    pub organization: OrganizationId,
    /// The key that the import was requested with.
    pub key: KeyId,
    /// The import.
    pub import: ImportId,
}

impl JobPlace {
    /// Returns the job that an object belongs to, or `None` if the object belongs to no job.
    pub fn of(object: &str) -> Option<Self> {
        let mut parts = object.strip_prefix(PREFIX)?.split('/');
        let mut part = || parts.next();
        let (organization, key, import, number) = (part()?, part()?, part()?, part()?);
        let parsed = || -> Result<Self, InvalidId> {
            Ok(Self { organization: organization.parse()?, key: key.parse()?, import: import.parse()? })
        };
        let is_file = number.parse::<usize>().is_ok() && parts.next().is_none();
        parsed().ok().filter(|_| is_file)
    }

    /// Returns the beginning of the keys of all objects of an organization.
    pub(crate) fn of_organization(organization: &OrganizationId) -> String {
        format!("{PREFIX}{organization}/")
    }

    /// Returns the beginning of the keys of the job's objects.
    pub fn prefix(&self) -> String {
        let Self { organization, key, import } = self;
        format!("{PREFIX}{organization}/{key}/{import}/")
    }

    /// Returns the key of the object of a file, by its place in the list.
    pub fn object(&self, file: usize) -> String {
        format!("{}{file}", self.prefix())
    }
}

/// The work on the files of a job.
#[derive(Debug)]
pub enum Claim {
    /// Import them.
    Import(Box<ImportJob>),
    /// Nothing yet: some are missing, or somebody else imports them.
    Wait,
    /// Delete them: the import has ended.
    Delete,
}

/// Claims the work on a job, if all files have arrived. `delivery` identifies the delivery of a file: if it is repeated,
/// its receiver goes on with what it had claimed.
///
/// # Errors
/// If the store fails.
pub async fn claim(
    organization: &Organization,
    place: &JobPlace,
    arrived: usize,
    delivery: &str,
    now: Timestamp,
) -> Result<Claim, StoreError> {
    let job = organization.import_job(&place.key, &place.import, now).await?;
    let Some(mut job) = job.map(|job| at(job, now)).filter(|job| !job.status.is_final()) else {
        return Ok(Claim::Delete);
    };
    let is_of_another = job.worker.as_deref().is_some_and(|worker| worker != delivery);
    if is_of_another || arrived < job.files.len() {
        return Ok(Claim::Wait);
    }
    (job.status, job.worker) = (ImportStatus::Running, Some(delivery.to_owned()));
    let claimed = organization.by(&Actor::service(), now).continue_import(job).await?;
    Ok(claimed.map_or(Claim::Wait, |job| Claim::Import(Box::new(job))))
}

/// Imports the files of a claimed job, and records the result.
///
/// # Errors
/// If the import may succeed later; the job is still claimed then.
pub async fn work(
    organization: &Organization,
    job: ImportJob,
    files: impl Stream<Item = InputFile<'_>>,
    retention: Retention,
    now: Timestamp,
) -> Result<(), Cause> {
    let stored = |error| Cause::Run(super::ImportError::Store(error));
    let result = match organization.key(&job.key_id).await.map_err(stored)? {
        Some(key) => {
            let actor = Actor::api_key(&job.key_id, key.description.as_deref());
            let options = options(&job, now);
            let result = match super::import(organization, &actor, files, &options, &mut ()).await {
                Ok(result) => result.unless_transient()?,
                Err(error) if error.is_transient() => return Err(error.into()),
                Err(error) => ImportResult::failed(names(&job), error),
            };
            let told = tell_failures(organization, &actor, &result, &options, Some(job.import_id.as_str())).await;
            told.map_err(stored)?;
            retention::prune_after(organization, &result, retention, now).await;
            result
        }
        None => refused(&job, "the API key was deleted before the files were imported: send them with another key"),
    };
    organization.by(&Actor::service(), now).continue_import(ended(job, &result)).await.map_err(stored)?;
    Ok(())
}

/// Returns a job as it is at a time: one whose files did not arrive in time, or whose import was given up, has failed.
pub fn at(job: ImportJob, now: Timestamp) -> ImportJob {
    let since = |time: Timestamp| (now.to_datetime() - time.to_datetime()).to_std().unwrap_or_default();
    match job.status {
        ImportStatus::Waiting if since(job.created_at) > ARRIVAL => {
            let result = refused(&job, "not all files arrived in time: request the import again");
            ended(job, &result)
        }
        ImportStatus::Running if since(job.changed_at) > SILENCE => {
            let result = refused(&job, "the import was interrupted: request it again");
            ended(job, &result)
        }
        _ => job,
    }
}

fn options(job: &ImportJob, now: Timestamp) -> Options {
    Options {
        tenant: job.tenant.clone(),
        baseline: if job.as_baseline { BaselineChoice::AsBaseline } else { BaselineChoice::Newest },
        completed_at: job.completed_at,
        stop_at_transient: true,
        ..Options::at(now)
    }
}

fn refused(job: &ImportJob, reason: &str) -> ImportResult {
    ImportResult::failed(names(job), Cause::Other(reason.to_owned()))
}

fn names(job: &ImportJob) -> String {
    job.files.iter().map(|file| &*file.name).collect::<Vec<_>>().join(", ")
}

fn ended(job: ImportJob, result: &ImportResult) -> ImportJob {
    let status = match result.status() {
        Status::Failed | Status::Skipped => ImportStatus::Failed,
        Status::Imported | Status::AlreadyThere | Status::WouldBeAdded => ImportStatus::Completed,
    };
    job.ended(status, &last_fields(result))
}

/// Returns the result as the last field of a job's JSON, with its closing brace, cut to what fits into an item.
fn last_fields(result: &ImportResult) -> Vec<u8> {
    let mut value = serde_json::to_value(result).expect("only texts and numbers");
    let mut text = Vec::new();
    for most in MOST_ENTRIES {
        cut_to(&mut value, most);
        text = format!("\"result\":{value}}}").into_bytes();
        if Fragment::stored(&text).deflated.len() <= RESULT_LIMIT {
            break;
        }
    }
    text
}

fn cut_to(value: &mut Value, most: usize) {
    match value {
        Value::Array(items) => {
            items.truncate(most);
            items.iter_mut().for_each(|item| cut_to(item, most));
        }
        Value::Object(fields) => fields.values_mut().for_each(|value| cut_to(value, most)),
        _ => {}
    }
}
