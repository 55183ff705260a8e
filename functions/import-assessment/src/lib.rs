//! What is put into a bucket is imported: the function's part, without which the command does.
//!
//! A file `assessments/<organizationId>/<serviceTenantId>/<file>` is imported by itself. Files that belong together
//! lie in a folder of the tenant's folder, and are imported once the folder's file `_COMPLETE` is there. The result is
//! written beside the file. What fails for good is told in the result and fails the invocation, so that the platform
//! puts the event aside; what may succeed later fails the invocation alone.
//!
//! The organization and the tenant are those of the key: whoever may write below an organization's prefix may add
//! reports to it. A file that names another tenant than its key is refused.

mod key;
mod objects;
mod result;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Seek;

use api::runtime::Config;
use assessments::{Contents, DEFAULT_LOOKBACK_DAYS, Unreadable};
use aws_lambda_events::s3::{S3Event, S3EventRecord};
use aws_sdk_s3::Client;
use chrono::Utc;
use lambda_http::lambda_runtime::Diagnostic;
use model::Timestamp;
use store::{Organization, Store, StoreError, Timeouts, function_settings};

use key::{Delivery, Files};
use objects::Bucket;
use result::{ImportResult, Status};

pub use objects::BucketError;

use operations::import::{BaselineChoice, ImportError, Options, import, label, oldest_first};

/// Imports what events tell of.
pub struct Importer {
    store: Store,
    client: Client,
}

/// Why an invocation fails.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    /// Something made no report, and will not when it is tried again. The result beside the file tells what.
    #[error("not imported; the result beside the file tells why")]
    Failed,
    /// The event is not as S3 writes it.
    #[error("the event names no object")]
    NoObject,
    /// The data cannot be reached, or are not as they must be.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A run cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A file cannot be read, or the result cannot be written.
    #[error(transparent)]
    Bucket(#[from] BucketError),
}

impl InvocationError {
    /// Whether the same event may succeed later. Nothing else fails an invocation without a result, but a result that
    /// cannot be written.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Failed | Self::NoObject => false,
            Self::Store(error) => error.is_transient(),
            Self::Import(error) => error.is_transient(),
            Self::Bucket(error) => error.is_transient(),
        }
    }
}

impl From<InvocationError> for Diagnostic {
    /// The error as the platform records it, with a type that tells what is to be mended from what is to be waited for.
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
        Self { store, client }
    }

    /// Imports the objects of an event, one after the other, and writes their results.
    ///
    /// # Errors
    /// When any of them makes no report; the others are imported all the same.
    pub async fn handle(&self, event: S3Event) -> Result<(), InvocationError> {
        let mut outcome = Ok(());
        for record in &event.records {
            // The first failure is told; each of them has its result.
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
        let result = match key::delivery(&key) {
            Ok(None) => return Ok(()),
            Ok(Some(delivery)) => self.import(&bucket, &key, &delivery).await?,
            Err(malformed) => ImportResult::failed(key::name(&key), malformed),
        };
        let status = result.status();
        tracing::info!(status = ?status, reports = result.reports.len(), "a file was taken in");
        bucket.write_json(&key::result_of(&key), result.to_json().expect("texts and numbers alone")).await?;
        if status == Status::Failed { Err(InvocationError::Failed) } else { Ok(()) }
    }

    /// Imports a delivery. Fails for what may succeed later alone; the result tells everything else.
    async fn import(
        &self,
        bucket: &Bucket<'_>,
        key: &str,
        delivery: &Delivery,
    ) -> Result<ImportResult, InvocationError> {
        let mut result = ImportResult::default();
        let imported = self.import_into(&mut result, bucket, key, delivery).await;
        unless_refused(imported, key::name(key), &mut result)?;
        if result.reports.is_empty() && result.failures.is_empty() {
            result.fail(key::name(key), NO_RUN);
        }
        Ok(result)
    }

    async fn import_into(
        &self,
        result: &mut ImportResult,
        bucket: &Bucket<'_>,
        key: &str,
        delivery: &Delivery,
    ) -> Result<(), InvocationError> {
        let organization = self.store.organization(&delivery.organization);
        if organization.record().await?.is_none() {
            let error = format!("there is no organization {}: create it first", delivery.organization);
            result.fail(key::name(key), error);
            return Ok(());
        }
        let parts = read_files(bucket, key, &delivery.files, result).await?;
        import_parts(&organization, parts, delivery, result).await
    }
}

/// What a step came to; none where it fails for good, which the result then tells of the file or run.
///
/// # Errors
/// When the step may succeed later.
fn unless_refused<T>(
    outcome: Result<T, impl Into<InvocationError>>,
    of: &str,
    result: &mut ImportResult,
) -> Result<Option<T>, InvocationError> {
    match outcome.map_err(Into::into) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_transient() => Err(error),
        Err(error) => {
            result.fail(of, error);
            Ok(None)
        }
    }
}

/// Said of files of which none is a run, such as the exports of a directory alone.
const NO_RUN: &str = "there is no assessment in it, or only a part of one: put the files that belong together into a \
                      folder of the tenant's folder, and then an empty file _COMPLETE beside them";

fn options(delivery: &Delivery) -> Options {
    let now = Timestamp::try_from(Utc::now()).expect("the clock is within the years 0 to 9999");
    Options {
        tenant: Some(delivery.tenant.to_string()),
        baseline: BaselineChoice::Newest,
        lookback_days: None,
        imported_at: now,
        dry_run: false,
    }
}

/// What the files of a delivery hold, one file on the disk at a time.
async fn read_files(
    bucket: &Bucket<'_>,
    key: &str,
    files: &Files,
    result: &mut ImportResult,
) -> Result<Vec<Contents>, InvocationError> {
    let keys = match files {
        Files::One => vec![key.to_owned()],
        Files::Below(prefix) => bucket.keys_below(prefix).await?.into_iter().filter(|key| key::is_piece(key)).collect(),
    };
    let mut parts = Vec::new();
    for key in keys {
        let Some(file) = unless_refused(bucket.download(&key).await, key::name(&key), result)? else { continue };
        match read(&file) {
            Ok(of_file) => parts.push(of_file),
            Err(error) => result.fail(key::name(&key), error),
        }
    }
    Ok(parts)
}

fn read(file: &File) -> Result<Contents, Unreadable> {
    // The handles share one position, which is enough where the file is read from its beginning again and again.
    assessments::read(&|| {
        let mut file = file.try_clone()?;
        file.rewind().map(|()| file)
    })
}

async fn import_parts(
    organization: &Organization,
    parts: Vec<Contents>,
    delivery: &Delivery,
    result: &mut ImportResult,
) -> Result<(), InvocationError> {
    let options = options(delivery);
    let mut combined = assessments::combine(parts);
    // Without the tenant, every import below fails and says so.
    let tenant = organization.find_tenant(delivery.tenant.as_str()).await?;
    combined.leave_out_foreign_exports(tenant.as_ref().map(|tenant| &tenant.provider_tenant_id));
    combined.review_admins(DEFAULT_LOOKBACK_DAYS);
    oldest_first(&mut combined.runs, options.imported_at);
    result.issues = combined.issues;
    for run in &combined.runs {
        let imported = import(organization, run, &options).await;
        let imported = unless_refused(imported, &label(run), result)?;
        result.reports.extend(imported);
    }
    Ok(())
}
