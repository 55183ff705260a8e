//! Requests the reports that are due, and tells of stale tenants, every few minutes. Makes the trends of weeks.
//!
//! A round may end at any moment, and several may run at once: a request says for which moment it was made, and an
//! organization is looked at until all that was due in it is requested ([`operations::schedules`]). So a round that
//! fails is not repeated: the next one does what it left.

use model::{Timestamp, counted};
use operations::{Queues, schedules};
use store::{Store, StoreError};

/// Requests reports.
#[derive(Debug, Clone)]
pub struct Scheduler {
    /// The table.
    pub store: Store,
    /// The queues of requests and of sets of documents.
    pub queues: Queues,
}

/// A round was not completed. The next one continues.
#[derive(Debug, thiserror::Error)]
pub enum RoundError {
    /// The table does not list what is due.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Reports or documents of some organizations were not requested, or trends not made. Each is in the log.
    #[error("not everything that is due could be done in {}", counted(*.0, "organization"))]
    Incomplete(usize),
}

impl Scheduler {
    /// Requests all reports that are due, and returns how many. Tells of stale tenants, and of accepted risks that end
    /// soon.
    ///
    /// # Errors
    /// If some could not be requested, or a trend not be made.
    pub async fn handle(&self, now: Timestamp) -> Result<usize, RoundError> {
        let round = schedules::run(&self.store, &self.queues, now).await?;
        for (organization, error) in &round.failed {
            tracing::error!(organization = organization.as_str(), %error, "not everything that is due could be requested");
        }
        for (organization, error) in &round.trends_failed {
            tracing::error!(organization = organization.as_str(), %error, "the trend could not be made");
        }
        if round.requested > 0 {
            tracing::info!(requested = round.requested, "requested the reports that are due");
        }
        if round.sets > 0 {
            tracing::info!(sets = round.sets, "requested the documents that are due");
        }
        if round.stale > 0 {
            tracing::info!(tenants = round.stale, "told of stale tenants");
        }
        if round.expiring > 0 {
            tracing::info!(risks = round.expiring, "told of accepted risks that end soon");
        }
        match round.failed.len() + round.trends_failed.len() {
            0 => Ok(round.requested),
            failed => Err(RoundError::Incomplete(failed)),
        }
    }
}
