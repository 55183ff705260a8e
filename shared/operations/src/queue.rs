//! Where messages wait for the functions that work on them.

use std::sync::Arc;

use aws_sdk_sqs::Client;

/// A place where messages wait.
#[derive(Debug, Clone, Default)]
pub enum Queue {
    /// The table: the service on this machine looks there itself.
    #[default]
    Table,
    /// A queue of SQS.
    Sqs {
        /// Connection.
        client: Client,
        /// Address of the queue.
        url: Arc<str>,
    },
}

/// The queues that people put messages into.
#[derive(Debug, Clone, Default)]
pub struct Queues {
    /// Requests for reports.
    pub requests: Queue,
    /// Events for the targets of notifications.
    pub notifications: Queue,
}

/// The queue cannot be reached, or did not take a message.
#[derive(Debug, thiserror::Error)]
#[error("the queue cannot be reached: {0}")]
pub struct QueueError(String);

impl QueueError {
    pub(crate) fn of(reason: impl ToString) -> Self {
        Self(reason.to_string())
    }
}
