//! The worker on this machine: the functions that request what is due and work on requests, over a queue in the data.
//!
//! The queue is the open requests themselves. So a request that was made while nothing ran is taken up at the next
//! start, and one whose worker was killed goes on from its last step.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use collect::{Snapshots, Worker};
use futures_util::{StreamExt, stream};
use graph::{Clock, Collector, Pace, Tokens, Transport};
use lambda_http::aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use model::{RequestId, Timestamp};
use operations::requests::Message;
use operations::retention::Retention;
use operations::{Queue, Queues};
use schedule::Scheduler;
use stand_in::StandIn;
use store::{ReportRequest, Store, StoreError};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::folders::beside;

/// Time between two looks at the queue.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time between two looks for reports that are due.
const BETWEEN_ROUNDS: Duration = Duration::from_secs(60);
/// Longest invocation. What is left goes on in the next one, beside requests that were made meanwhile.
const INVOCATION: Duration = Duration::from_secs(10);
/// Time until a request is tried again that could not go on.
const HIDDEN: Duration = Duration::from_secs(20);
/// Requests that are worked on at once.
const AT_ONCE: usize = 8;

/// The worker, and the folder of its snapshots if they are kept only as long as it exists.
pub(crate) struct Requests {
    worker: Worker,
    _folder: Option<TempDir>,
}

impl Requests {
    /// Returns the worker on the data in a file, beside which it keeps the snapshots, or in memory. Its tenants are those
    /// of a stand-in.
    pub(crate) fn of(store: Store, data: Option<&Path>, stand_in: &Arc<StandIn>) -> std::io::Result<Self> {
        let (folder, temporary) = beside(data, "snapshots")?;
        let (stand_in, pace) = (Arc::clone(stand_in), Arc::new(Pace::default()));
        let collector = move |now: DateTime<Utc>| {
            let transport: Arc<dyn Transport> = Arc::<StandIn>::clone(&stand_in);
            let tokens: Arc<dyn Tokens> = Arc::<StandIn>::clone(&stand_in);
            let (pace, hosts) = (Arc::clone(&pace), stand_in.hosts());
            Some(Collector { transport, tokens, pace, hosts, clock: Clock::at(now) })
        };
        let snapshots = Snapshots::Folder(folder);
        let collector = Arc::new(collector);
        let worker = Worker {
            store,
            queue: Queue::Table,
            dead: Queue::Table,
            retention: Retention::All,
            snapshots,
            needs_connection: false,
            collector,
        };
        Ok(Self { worker, _folder: temporary })
    }

    /// Works on requests for ever.
    pub(crate) async fn run(self) {
        let scheduler = Scheduler { store: self.worker.store.clone(), queues: Queues::default() };
        let (mut hidden, mut next_round) = (HashMap::new(), Instant::now());
        loop {
            if Instant::now() >= next_round {
                next_round = Instant::now() + BETWEEN_ROUNDS;
                if let Err(error) = scheduler.handle(present()).await {
                    tracing::warn!(%error, "reports that are due were not requested");
                }
            }
            if let Err(error) = self.round(&mut hidden).await {
                tracing::warn!(%error, "the requests cannot be read");
            }
            sleep(INTERVAL).await;
        }
    }

    /// Works on all requests that are open now.
    async fn round(&self, hidden: &mut HashMap<RequestId, Instant>) -> Result<(), StoreError> {
        let now = Instant::now();
        hidden.retain(|_, until| *until > now);
        let messages = open(&self.worker.store).await?;
        let messages = messages.into_iter().filter(|message| !hidden.contains_key(&message.request_id));
        let failed: Vec<_> = stream::iter(messages)
            .map(|message| self.invoke(message, now + INVOCATION))
            .buffer_unordered(AT_ONCE)
            .filter_map(std::future::ready)
            .collect()
            .await;
        hidden.extend(failed.into_iter().map(|request| (request, Instant::now() + HIDDEN)));
        Ok(())
    }

    /// Works on a request as the function does, and returns it if its message is to be delivered again.
    async fn invoke(&self, message: Message, until: Instant) -> Option<RequestId> {
        let mut record = SqsMessage::default();
        record.message_id = Some(message.request_id.to_string());
        record.body = serde_json::to_string(&message).ok();
        let mut event = SqsEvent::default();
        event.records = vec![record];
        let response = self.worker.handle(event, Some(until)).await;
        (!response.batch_item_failures.is_empty()).then_some(message.request_id)
    }
}

pub(crate) fn present() -> Timestamp {
    Utc::now().try_into().expect("the clock is within the years 0 to 9999")
}

/// Returns the messages of all open requests.
async fn open(store: &Store) -> Result<Vec<Message>, StoreError> {
    let mut messages = Vec::new();
    for record in store.as_operator().organizations().await? {
        let id = record.organization_id;
        let requests = store.organization(&id).report_requests(present()).await?;
        messages.extend(requests.iter().filter(|it| ReportRequest::is_open(it)).map(|it| Message::of(&id, it)));
    }
    Ok(messages)
}
