//! Sets of documents: the PDFs of many reports, which were requested together and become one archive.
//!
//! The archive lies outside of the table, as long as the item. A set has a version that every step increments: of two
//! workers, the one that comes first goes on. A set that nobody works on is found by whoever looks for reports that are due
//! (`schedules.rs`).

use std::fmt;

use backon::Retryable;
use chrono::TimeDelta;
use model::{Label, RequestId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::{Action, CONTENDERS, Transaction, backoff};
use super::{Organization, RequestState, StoreError, Writer};

/// The time for which a set and its archive are kept, in seconds: 30 days.
const KEPT: i64 = 30 * 24 * 60 * 60;
/// The time without a change after which nobody works on a set: longer than a worker takes for a step.
const QUIET: TimeDelta = TimeDelta::minutes(30);

/// A set of documents, as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSet {
    /// Identifier.
    pub set_id: RequestId,
    /// Its state.
    pub state: RequestState,
    /// When it was requested.
    pub requested_at: Timestamp,
    /// Name of who requested it.
    pub by: String,
    /// When the item was last written: the last sign of life of whoever works on it.
    pub changed_at: Timestamp,
    /// Which reports have a document.
    pub which: Which,
    /// The options of all documents, as JSON.
    pub choice: String,
    /// Number of documents altogether; 0 before the first.
    pub documents: usize,
    /// Number of documents that are made.
    pub done: usize,
    /// Number of reports that have no document in the archive, which lists them.
    pub missing: usize,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
    /// When DynamoDB deletes the item, in seconds since 1970.
    pub expires_at: i64,
}

/// Which reports have a document: the newest of each tool of each tenant, unless these conditions leave it out.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Which {
    /// Only those of tenants with this label.
    pub label: Option<Label>,
    /// Only those that were added after this time.
    pub since: Option<Timestamp>,
}

impl DocumentSet {
    /// Returns whether there is work left.
    pub fn is_open(&self) -> bool {
        matches!(self.state, RequestState::Waiting | RequestState::Running)
    }

    /// Returns the time from which nobody works on the set, unless it changes before.
    pub fn quiet_at(&self) -> Timestamp {
        (self.changed_at.to_datetime() + QUIET).try_into().unwrap_or(self.changed_at)
    }
}

impl Organization {
    /// Returns a set of documents, unless it has expired.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn document_set(&self, id: &RequestId, now: Timestamp) -> Result<Option<DocumentSet>, StoreError> {
        self.store.get_unexpired(self.partition.document_set(id), now).await
    }

    /// Returns all sets of documents, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn document_sets(&self, now: Timestamp) -> Result<Vec<DocumentSet>, StoreError> {
        self.store.all_unexpired(self.partition.document_sets(), now).await
    }
}

impl Writer {
    /// Requests a set of documents.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn request_documents(&self, which: Which, choice: String) -> Result<DocumentSet, StoreError> {
        let set = self.new_documents(which, choice);
        let attempt = || async {
            let mut actions = self.look_by(set.quiet_at()).await?;
            let (action, deed) = self.request_of(&set)?;
            actions.push(action);
            match self.commit(actions, || deed).await? {
                Transaction::Done => Ok(set.clone()),
                Transaction::Refused(_) => Err(StoreError::Contended("requesting documents")),
            }
        };
        attempt.retry(backoff(CONTENDERS)).when(|error| matches!(error, StoreError::Contended(_))).await
    }

    /// Returns a set that nobody works on yet.
    pub(super) fn new_documents(&self, which: Which, choice: String) -> DocumentSet {
        DocumentSet {
            set_id: RequestId::generate(self.at),
            state: RequestState::Waiting,
            requested_at: self.at,
            by: self.actor.name().to_owned(),
            changed_at: self.at,
            which,
            choice,
            documents: 0,
            done: 0,
            missing: 0,
            version: 1,
            expires_at: self.at.to_datetime().timestamp() + KEPT,
        }
    }

    /// Returns the action that writes a new set, and the deed that it is.
    pub(super) fn request_of(&self, set: &DocumentSet) -> Result<(Action, Deed), StoreError> {
        let label = set.which.label.as_ref().map(ToString::to_string);
        let deed = Deed::new(AuditAction::DocumentsRequested, &set.set_id).with("label", None, label);
        Ok((self.store.create(self.partition.document_set(&set.set_id), set)?, deed))
    }

    /// Writes a set over the version that was read, and returns it with its new version. Returns `None` if it was changed
    /// or erased in the meantime.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn continue_documents(&self, set: DocumentSet) -> Result<Option<DocumentSet>, StoreError> {
        let seen = set.version;
        let set = DocumentSet { version: seen + 1, changed_at: self.at, ..set };
        let key = self.partition.document_set(&set.set_id);
        let written = self.store.transact(vec![self.store.replace(key, &set, seen)?]).await?;
        Ok((written == Transaction::Done).then_some(set))
    }
}

impl fmt::Debug for DocumentSet {
    /// Leaves out names and words of people, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set_id, state, version, .. } = self;
        f.debug_struct("DocumentSet").field("set_id", set_id).field("state", state).field("version", version).finish()
    }
}
