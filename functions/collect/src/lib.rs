//! Makes the reports that were requested: collects the tenant's configuration, judges it, and keeps the snapshot.
//!
//! A request is a message in the queue. Each step of its run is stored before the next: the responses as a part of the
//! snapshot, then the position, written over the version of the request that was read ([`store::ReportRequest`]). So an
//! invocation that ends, is killed or is delivered twice leaves a run that the next one goes on with, and two workers
//! never add to the same run: the one that came first notices at its next step, and stops.
//!
//! The end of a run is stored before it is judged, so it is judged as the same run however often, and the same run
//! makes the same report.

mod reasons;
mod run;
mod snapshots;
mod work;

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use chrono::{DateTime, Utc};
use futures_util::{FutureExt, StreamExt, stream};
use graph::Collector;
use operations::requests::Message;
use operations::retention::Retention;
use operations::{Queue, QueueError, import};
use store::{Store, StoreError};
use tokio::time::Instant;

pub use snapshots::{SnapshotError, Snapshots};

/// Tenants that an invocation collects at once: most of the time, each waits for Graph. The template sends as many
/// messages in a batch.
pub const AT_ONCE: usize = 50;

/// Works on requests.
#[derive(Clone)]
pub struct Worker {
    /// The table.
    pub store: Store,
    /// The queue in which a run goes on whose invocation ends.
    pub queue: Queue,
    /// The queue of the messages that are given up.
    pub dead: Queue,
    /// How long reports are kept.
    pub retention: Retention,
    /// Where snapshots are kept.
    pub snapshots: Snapshots,
    /// Whether a tenant has to be connected. Where all tenants are invented, their consent is enough.
    pub needs_connection: bool,
    /// Returns the collector for an invocation that begins now, or `None` if the service has no application.
    pub collector: Arc<dyn Fn(DateTime<Utc>) -> Option<Collector> + Send + Sync>,
}

/// Why the work on a request ends for now. Its message is delivered again.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The message is none of the service's.
    #[error("the message names no request")]
    Malformed,
    /// The table failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The queue failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The snapshot cannot be kept or read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The token endpoint does not respond as documented.
    #[error(transparent)]
    Token(#[from] graph::TokenError),
    /// The report cannot be stored at present.
    #[error(transparent)]
    Report(#[from] import::Cause),
}

impl Worker {
    /// Works on the requests of a batch of messages, [`AT_ONCE`] at once, and returns those messages that are to be
    /// delivered again. `until` is when no new step may begin.
    pub async fn handle(&self, event: SqsEvent, until: Option<Instant>) -> SqsBatchResponse {
        let deliveries = event.records.into_iter().map(|record| self.deliver(record, until).boxed());
        let failures = stream::iter(deliveries).buffer_unordered(AT_ONCE).filter_map(ready).collect().await;
        let mut response = SqsBatchResponse::default();
        response.batch_item_failures = failures;
        response
    }

    /// Works on the request of a message, and returns the message if it is to be delivered again.
    async fn deliver(&self, record: SqsMessage, until: Option<Instant>) -> Option<BatchItemFailure> {
        let message = serde_json::from_str(record.body.as_deref().unwrap_or_default());
        let done = match message {
            Ok(message) => self.work(&message, until).await,
            Err(_) => Err(WorkError::Malformed),
        };
        let error = done.err()?;
        tracing::warn!(%error, "a request is tried again");
        let mut failure = BatchItemFailure::default();
        failure.item_identifier = record.message_id.unwrap_or_default();
        Some(failure)
    }

    /// Works on one request until its report is complete, it fails, or the time is over; then its message is in the
    /// queue again.
    ///
    /// # Errors
    /// If the work cannot go on at present. What was done is stored.
    pub async fn work(&self, message: &Message, until: Option<Instant>) -> Result<(), WorkError> {
        let (organization, request) = (message.organization_id.to_string(), message.request_id.to_string());
        let outcome = work::Work::on(self, message, until).await?;
        tracing::info!(organization, request, outcome, "worked on a request");
        Ok(())
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("store", &self.store).field("queue", &self.queue).finish_non_exhaustive()
    }
}
