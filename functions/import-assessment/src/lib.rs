//! Imports files that are put into a bucket, as the command imports files from a disk.
//!
//! A file `assessments/<organizationId>/<serviceTenantId>/<file>` is imported by itself. Files that belong together are
//! in a subfolder of the tenant's folder and are imported once the subfolder contains the file `_COMPLETE`. The result
//! is written next to the file. A permanent failure is part of the result and fails the invocation, so that the
//! platform moves the event to its queue; a transient failure fails the invocation without a result.
//!
//! Files below `imports/` were requested with an API key (`job.rs`).
//!
//! The key determines the organization and the tenant: anyone who may write below an organization's prefix can add
//! reports to it. A file that names a different tenant than its key is refused.

mod job;
mod key;
mod objects;
#[cfg(test)]
mod tests;

use std::time::SystemTime;

use api::runtime::Config;
use aws_lambda_events::s3::{S3Event, S3EventRecord};
use aws_sdk_s3::Client;
use chrono::Utc;
use futures_util::StreamExt;
use futures_util::stream;
use lambda_http::lambda_runtime::Diagnostic;
use model::{Actor, Timestamp};
use operations::import::jobs::JobPlace;
use operations::import::{self, Cause, ImportResult, Options, SkippedFile, Status};
use operations::retention::{self, Retention};
use operations::{InputFile, organizations};
use store::{Organization, OrganizationError, Store, StoreError, Timeouts, function_settings};

use key::{Delivery, Files, MalformedKey};
use objects::Bucket;

pub use objects::BucketError;

/// Imports the files that events name.
#[derive(Clone)]
pub struct Importer {
    store: Store,
    client: Client,
    retention: Retention,
}

/// Why an invocation fails.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    /// A file or a run has no report, and another attempt would not change that. The result next to the file has the
    /// reason.
    #[error("not imported; the result next to the file has the reason")]
    Failed,
    /// The event is not an S3 event.
    #[error("the event names no object")]
    NoObject,
    /// A file or a run failed for a transient reason.
    #[error(transparent)]
    Interrupted(#[from] Cause),
    /// The table failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files cannot be listed, or the result cannot be written.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

impl InvocationError {
    /// Returns whether the same event may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Failed | Self::NoObject => false,
            Self::Interrupted(cause) => cause.is_transient(),
            Self::Store(error) => error.is_transient(),
            Self::Bucket(error) => error.is_transient(),
        }
    }
}

impl From<InvocationError> for Diagnostic {
    /// Returns the error as the platform records it. Its type separates permanent from transient failures.
    fn from(error: InvocationError) -> Self {
        let kind = match &error {
            InvocationError::NoObject => "InvalidEvent",
            error if error.is_transient() => "Unavailable",
            _ => "NotImported",
        };
        Self { error_type: kind.into(), error_message: error.to_string() }
    }
}

impl Importer {
    /// Connects to the table and to S3.
    pub fn connect(config: &Config) -> Self {
        let settings = function_settings(Timeouts::REGIONAL);
        let store = Store::connect(&settings, &config.table);
        // A file takes longer than an item.
        let of_files = aws_sdk_s3::config::Builder::from(&settings).timeout_config(Timeouts::PATIENT.into());
        let client = Client::from_conf(of_files.build());
        Self { retention: Retention::from_env(), ..Self::new(store, client) }
    }

    /// Returns an importer with a table and a connection to S3.
    pub fn new(store: Store, client: Client) -> Self {
        Self { store, client, retention: Retention::All }
    }

    /// Returns the importer for one invocation, whose waits for capacity end at a given time.
    #[must_use]
    pub fn until(&self, moment: SystemTime) -> Self {
        Self { store: self.store.until(moment), ..self.clone() }
    }

    /// Imports the objects of an event one by one, and writes their results.
    ///
    /// # Errors
    /// If any of them has no report; the others are imported nevertheless.
    pub async fn handle(&self, event: S3Event) -> Result<(), InvocationError> {
        let mut outcome = Ok(());
        for record in &event.records {
            // Returns the first failure; each of them has its own result.
            outcome = outcome.and(self.handle_object(record).await);
        }
        outcome
    }

    async fn handle_object(&self, record: &S3EventRecord) -> Result<(), InvocationError> {
        let (Some(bucket), Some(key)) = (&record.s3.bucket.name, &record.s3.object.key) else {
            return Err(InvocationError::NoObject);
        };
        let bucket = Bucket { client: &self.client, name: bucket };
        let key = key::decoded(key).map_err(|_| InvocationError::NoObject)?;
        let sequencer = record.s3.object.sequencer.as_deref().unwrap_or_default();
        if let Some(place) = JobPlace::of(&key) {
            return Box::pin(self.import_job(&bucket, &place, &format!("{key} {sequencer}"))).await;
        }
        let result = match key::delivery(&key) {
            Ok(None) => return Ok(()),
            Ok(Some(delivery)) => self.import(&bucket, &key, &delivery, sequencer).await?,
            Err(MalformedKey::Hidden) => hidden(&key),
            Err(malformed) => refused(&key, malformed),
        };
        let status = result.status();
        tracing::info!(status = ?status, reports = result.reports.len(), "imported a file");
        let json = serde_json::to_vec_pretty(&result).expect("only texts and numbers");
        bucket.write_json(&key::result_of(&key), json).await?;
        if status == Status::Failed { Err(InvocationError::Failed) } else { Ok(()) }
    }

    /// Imports a delivery. Permanent failures are part of the result, and the organization is told of them. The
    /// platform tries again nevertheless; `sequencer` identifies the same delivery.
    ///
    /// # Errors
    /// If the import may succeed later.
    async fn import(
        &self,
        bucket: &Bucket<'_>,
        key: &str,
        delivery: &Delivery,
        sequencer: &str,
    ) -> Result<ImportResult, InvocationError> {
        let organization = match organizations::open(&self.store, &delivery.organization).await {
            Ok(organization) => organization,
            Err(OrganizationError::Store(error)) if error.is_transient() => return Err(error.into()),
            Err(error) => return Ok(refused(key, error)),
        };
        let options = options(delivery);
        let result = import_files(&organization, bucket, key, (delivery, &options)).await?;
        let told = format!("{key} {sequencer}");
        import::tell_failures(&organization, &Actor::bucket(), &result, &options, Some(&told)).await?;
        retention::prune_after(&organization, &result, self.retention, options.imported_at).await;
        Ok(result)
    }
}

async fn import_files(
    organization: &Organization,
    bucket: &Bucket<'_>,
    key: &str,
    (delivery, options): (&Delivery, &Options),
) -> Result<ImportResult, InvocationError> {
    let (files, completed_at) = match files(bucket, key, &delivery.files).await {
        Ok(found) => found,
        Err(error) if error.is_transient() => return Err(error.into()),
        Err(error) => return Ok(refused(key, error)),
    };
    let downloads = stream::iter(&files).then(|key| download(bucket, key, &delivery.files));
    let options = Options { completed_at, ..options.clone() };
    let imported = import::import(organization, &Actor::bucket(), downloads, &options, &mut ()).await;
    let result = match imported {
        Ok(result) => result.unless_transient()?,
        Err(error) if error.is_transient() => return Err(Cause::from(error).into()),
        Err(error) => return Ok(refused(key, error)),
    };
    if result.reports.is_empty() && result.failures.is_empty() {
        let ImportResult { issues, skipped, .. } = result;
        return Ok(ImportResult { issues, skipped, ..refused(key, NO_RUN) });
    }
    Ok(result)
}

/// Added to files without a run, such as only the exports of a directory.
const NO_RUN: &str = "the file contains no assessment, or only a part of one: put the files that belong together into a \
                      subfolder of the tenant's folder, and then an empty file _COMPLETE beside them";

/// Returns the result of a delivery that is refused entirely.
fn refused(key: &str, reason: impl ToString) -> ImportResult {
    ImportResult::failed(key::name(key), Cause::Other(reason.to_string()))
}

/// Returns the result of a hidden file, which some systems add to visible ones.
fn hidden(key: &str) -> ImportResult {
    let of = key::name(key).to_owned();
    ImportResult { skipped: vec![SkippedFile { of, reason: MalformedKey::Hidden.to_string() }], ..Default::default() }
}

fn options(delivery: &Delivery) -> Options {
    let tenant = Some(delivery.tenant.to_string());
    Options { tenant, stop_at_transient: true, ..Options::at(now()) }
}

fn now() -> Timestamp {
    Utc::now().try_into().expect("the clock is within the years 0 to 9999")
}

/// Returns the keys of a delivery's files, and the end of their runs if the marker of their folder has it as metadata.
async fn files(bucket: &Bucket<'_>, key: &str, files: &Files) -> Result<(Vec<String>, Option<Timestamp>), BucketError> {
    match files {
        Files::One => Ok((vec![key.to_owned()], None)),
        Files::Below(prefix) => {
            let mut keys = bucket.keys_below(prefix).await?;
            keys.retain(|key| key::is_piece(key, prefix));
            Ok((keys, bucket.completed_at(key).await?))
        }
    }
}

async fn download(bucket: &Bucket<'_>, key: &str, files: &Files) -> InputFile<'static> {
    let (name, is_found) = match files {
        Files::One => (key::name(key), false),
        Files::Below(prefix) => (key::within(key, prefix), true),
    };
    match bucket.download(key).await {
        Ok((file, completed_at)) => InputFile { is_found, completed_at, ..InputFile::opened(name, file) },
        Err(error) => InputFile::not_fetched(name, &error, error.is_transient()),
    }
}
