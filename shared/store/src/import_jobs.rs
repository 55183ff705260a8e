//! Imports that were requested with an API key: their files, their state, and their result.
//!
//! A job is listed below the key that it was requested with, so a key sees its own alone. It has a version that every
//! step increments: of two deliveries of its files, the one that comes first works on it.

use std::fmt;

use futures_util::TryStreamExt;
use model::{ImportId, ImportStatus, KeyId, Timestamp};
use serde::{Deserialize, Serialize};

use super::fragment::StoredText;
use super::keys::Key;
use super::table::{Decoded, Order, Transaction, first_items, has_expired};
use super::{Fragment, Organization, StoreError, Writer};

/// The time for which a job and its result are kept, in seconds: 30 days.
const KEPT: i64 = 30 * 24 * 60 * 60;

/// An import that was requested with an API key, as stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportJob {
    /// Identifier.
    pub import_id: ImportId,
    /// The key.
    pub key_id: KeyId,
    /// Its state when the item was written.
    pub status: ImportStatus,
    /// When it was requested.
    pub created_at: Timestamp,
    /// When the item was last written.
    pub changed_at: Timestamp,
    /// The files, by their place in the list.
    pub files: Vec<JobFile>,
    /// Service or provider identifier of the tenant to import for.
    pub tenant: Option<String>,
    /// End of the runs whose files do not contain it.
    pub completed_at: Option<Timestamp>,
    /// Whether the reports are baselines.
    pub as_baseline: bool,
    /// The delivery of a file whose receiver works on the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The result, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<StoredText>,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

/// A file of a job.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobFile {
    /// Name or path at the sender.
    pub name: String,
    /// Length in bytes.
    pub size: u64,
}

/// Marks a job as the only one of all requests with the same idempotency key.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OnlyJob {
    import_id: ImportId,
    /// Digest of the request.
    request: String,
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

/// The identity of a request among those of a key: digests of their idempotency key and of everything else in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameRequest {
    /// Digest of the idempotency key.
    pub key: String,
    /// Digest of the rest.
    pub request: String,
}

/// The reason why an import was not requested.
#[derive(Debug, thiserror::Error)]
pub enum ImportJobError {
    /// The idempotency key was used with another request.
    #[error("the idempotency key was used with another request")]
    OtherRequest,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl ImportJob {
    /// Returns a new job, without files and options.
    pub fn new(key_id: KeyId, now: Timestamp) -> Self {
        Self {
            import_id: ImportId::generate(now),
            key_id,
            status: ImportStatus::Waiting,
            created_at: now,
            changed_at: now,
            files: Vec::new(),
            tenant: None,
            completed_at: None,
            as_baseline: false,
            worker: None,
            result: None,
            version: 1,
            expires_at: now.to_datetime().timestamp() + KEPT,
        }
    }

    /// Returns the result, the last fields of the JSON of a job with its closing brace.
    pub fn result(&self) -> Option<Fragment> {
        self.result.clone().map(Fragment::from)
    }

    /// Returns the job in its last state, with the result as the last fields of its JSON and the closing brace.
    #[must_use]
    pub fn ended(self, status: ImportStatus, last_fields: &[u8]) -> Self {
        Self { status, worker: None, result: Some(Fragment::stored(last_fields).into()), ..self }
    }

    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        if let Some(result) = self.result {
            result.of_item(key).inflate()?;
        }
        Ok(())
    }
}

impl Organization {
    /// Returns an import that was requested with a key, unless it has expired.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn import_job(
        &self,
        key: &KeyId,
        id: &ImportId,
        now: Timestamp,
    ) -> Result<Option<ImportJob>, StoreError> {
        self.store.get_unexpired(self.partition.import_job(key, id), now).await
    }

    /// Returns the imports that were requested with a key, newest first: all, or those before one of them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn import_jobs(
        &self,
        key: &KeyId,
        before: Option<&ImportId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<ImportJob>, StoreError> {
        let range = self.partition.import_jobs(key, before);
        let pages = self.store.query_unexpired(range, Order::NewestFirst, &[limit], now);
        first_items(pages, limit).try_concat().await
    }
}

impl Writer {
    /// Keeps a requested import. If the same request was made before, returns its import instead.
    ///
    /// The import is no change of the organization's data, so it is not in the audit trail; its reports are.
    ///
    /// # Errors
    /// If the idempotency key was used with another request, or the store fails.
    pub async fn request_import(
        &self,
        job: ImportJob,
        same: Option<&SameRequest>,
    ) -> Result<ImportJob, ImportJobError> {
        let item = self.partition.import_job(&job.key_id, &job.import_id);
        let Some(SameRequest { key, request }) = same else {
            self.store.transact(vec![self.store.create(item, &job)?]).await?;
            return Ok(job);
        };
        let (import_id, request) = (job.import_id.clone(), request.clone());
        let only = OnlyJob { import_id, request, expires_at: job.expires_at };
        let mark = self.partition.only_job(&job.key_id, key);
        loop {
            // Read once: what is replaced is what was seen. One that has expired is deleted late.
            let found = self.store.get_item(mark.clone()).await?;
            let current = found.clone().filter(|item| !has_expired(item, self.at));
            if let Some(seen) = current.map(OnlyJob::decoded).transpose()? {
                if seen.request != only.request {
                    return Err(ImportJobError::OtherRequest);
                }
                let job = self.import_job(&job.key_id, &seen.import_id, self.at).await?;
                return job.ok_or(StoreError::Corrupt("a repeated import does not exist").into());
            }
            let only = super::table::item(mark.clone(), &only)?;
            let mark = self.store.replace_stored(mark.clone(), found.as_ref(), Some(only));
            if self.store.transact(vec![self.store.create(item.clone(), &job)?, mark]).await? == Transaction::Done {
                return Ok(job);
            }
        }
    }

    /// Writes a job over the version that was read, and returns it with its new version. Returns `None` if it was changed
    /// in the meantime.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn continue_import(&self, job: ImportJob) -> Result<Option<ImportJob>, StoreError> {
        let seen = job.version;
        let job = ImportJob { version: seen + 1, changed_at: self.at, ..job };
        let key = self.partition.import_job(&job.key_id, &job.import_id);
        let written = self.store.transact(vec![self.store.replace(key, &job, seen)?]).await?;
        Ok((written == Transaction::Done).then_some(job))
    }
}

impl fmt::Debug for ImportJob {
    /// Leaves out names, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportJob")
            .field("import_id", &self.import_id)
            .field("status", &self.status)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
