//! Where messages wait for the functions that work on them.

use std::sync::Arc;

use aws_sdk_sqs::Client;
use serde::Serialize;

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
    /// Sets of documents.
    pub documents: Queue,
    /// Events for the targets of notifications.
    pub notifications: Queue,
}

/// The queue cannot be reached, or did not take a message.
#[derive(Debug, thiserror::Error)]
#[error("the queue cannot be reached: {0}")]
pub struct QueueError(String);

impl Queue {
    /// Puts a message into the queue. In the table, the item that it is about is the message.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    pub async fn send(&self, message: &impl Serialize) -> Result<(), QueueError> {
        let Self::Sqs { client, url } = self else { return Ok(()) };
        let body = serde_json::to_string(message).expect("only texts");
        let sent = client.send_message().queue_url(&**url).message_body(body).send().await;
        sent.map(drop).map_err(|error| QueueError::of(error.into_service_error()))
    }
}

impl QueueError {
    pub(crate) fn of(reason: impl ToString) -> Self {
        Self(reason.to_string())
    }
}
