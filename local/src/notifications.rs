//! Notifications on this machine: the functions that dispatch and deliver events, over a queue in the data.
//!
//! In place of a stream, new events are looked for, again and again from a few minutes before the newest one that was
//! dispatched, because a write can become visible after a later one. An event that is dispatched twice is delivered once:
//! its delivery is recorded.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use deliver::{Client, Deliverer, Mail};
use dispatch::Dispatcher;
use lambda_http::aws_lambda_events::dynamodb::{Event, EventRecord, StreamRecord};
use lambda_http::aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use model::{Actor, OrganizationId, Timestamp};
use operations::Queue;
use serde_dynamo::AttributeValue;
use store::{ChangeOf, Organization, QueuedMessage, Store, StoreError, Target, TargetState};
use tempfile::TempDir;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep};

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(100);
/// Longest time after which an event becomes visible behind a later one.
const OVERLAP: TimeDelta = TimeDelta::minutes(5);
/// Time until messages are delivered again that could not be.
const HIDDEN: Duration = Duration::from_secs(20);
/// Messages of a group that are delivered with one call.
const BATCH: usize = 50;
/// Events that are dispatched with one call, so that those of many are kept and delivered before all are.
const DISPATCHED: usize = 100;

/// Dispatches and delivers.
pub struct Notifications {
    store: Store,
    dispatcher: Dispatcher,
    deliverer: Deliverer,
    /// The changes of each organization that were dispatched since the service started.
    dispatched: HashMap<OrganizationId, HashSet<ChangeOf>>,
    /// The groups whose messages are being delivered, and those that wait after a failure.
    busy: HashMap<String, Option<Instant>>,
    /// The deliveries in progress. Each returns its group, and whether all is done or waits in the queue.
    running: JoinSet<(String, bool)>,
    /// The folder of mail, if it is deleted at the end.
    _mail: Option<TempDir>,
}

impl Notifications {
    /// Returns the notifications of the data. The addresses are those of links, without a slash at the end.
    pub fn of(store: Store, client: Client, dashboard_url: &str, api_url: &str) -> Self {
        let dispatcher = Dispatcher { store: store.clone(), queue: Queue::Table, bus: None };
        let deliverer = Deliverer {
            store: store.clone(),
            queue: Queue::Table,
            client,
            mail: None,
            dashboard_url: dashboard_url.into(),
            api_url: api_url.into(),
        };
        let (dispatched, busy, running) = (HashMap::new(), HashMap::new(), JoinSet::new());
        Self { store, dispatcher, deliverer, dispatched, busy, running, _mail: None }
    }

    /// Returns them with mail. Its folder, if it is a temporary one, is kept as long as they are.
    #[must_use]
    pub fn with_mail(mut self, mail: Mail, temporary: Option<TempDir>) -> Self {
        (self.deliverer.mail, self._mail) = (Some(mail), temporary);
        self
    }

    /// Dispatches and delivers for ever.
    pub async fn run(mut self) {
        loop {
            if let Err(error) = self.round(present()).await {
                tracing::warn!(%error, "events cannot be sent");
            }
            sleep(INTERVAL).await;
            while let Some(ended) = self.running.try_join_next() {
                self.settle(ended);
            }
        }
    }

    /// Dispatches all events, delivers the messages that are due, and waits for these deliveries.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn complete(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.round(now).await?;
        while let Some(ended) = self.running.join_next().await {
            self.settle(ended);
        }
        Ok(())
    }

    async fn round(&mut self, now: Timestamp) -> Result<(), StoreError> {
        for id in self.store.as_operator().organization_ids().await? {
            let organization = self.store.organization(&id);
            let targets = organization.targets().await?;
            if !targets.is_empty() {
                self.dispatch(&organization, &targets, now).await?;
            }
            // Without targets, a member's confirmation may wait.
            self.deliver(&organization, now).await?;
        }
        Ok(())
    }

    /// Dispatches the next events of an organization that were not, as the function does.
    async fn dispatch(
        &mut self,
        organization: &Organization,
        targets: &[Target],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let active = targets.iter().filter(|target| target.state == TargetState::Active);
        let Some(since) = active.map(|target| target.since).min() else { return Ok(()) };
        let until = organization.dispatched_until().await?;
        let overlapping = until.and_then(|until| Timestamp::try_from(until.to_datetime() - OVERLAP).ok());
        let since = overlapping.map_or(since, |overlapping| since.max(overlapping));
        let known = self.dispatched.entry(organization.id().clone()).or_default();
        known.retain(|change| change.written_at >= since);
        let changes = organization.changes_since(since).await?;
        let new: Vec<_> = changes.into_iter().filter(|change| !known.contains(change)).take(DISPATCHED).collect();
        let Some(last) = new.last().map(|change| change.written_at) else { return Ok(()) };
        let response = self.dispatcher.handle(stream_of(&new), now).await;
        let failed = response.batch_item_failures.first().and_then(|failure| failure.item_identifier.clone());
        let done = failed.and_then(|number| number.parse().ok()).unwrap_or(new.len());
        let is_complete = done == new.len();
        known.extend(new.into_iter().take(done));
        if is_complete && until.is_none_or(|until| until < last) {
            organization.by(&Actor::service(), now).set_dispatched_until(last).await?;
        }
        Ok(())
    }

    /// Begins to deliver the messages of an organization that may be, as the function does: those of a group one after the
    /// other, without waiting for other groups.
    async fn deliver(&mut self, organization: &Organization, now: Timestamp) -> Result<(), StoreError> {
        self.busy.retain(|_, hidden| hidden.is_none_or(|until| Instant::now() < until));
        let mut groups: BTreeMap<String, Vec<QueuedMessage>> = BTreeMap::new();
        for message in organization.queued().await? {
            groups.entry(message.group.clone()).or_default().push(message);
        }
        let waits = |messages: &[QueuedMessage]| messages.first().is_none_or(|first| first.visible_at > now);
        groups.retain(|group, messages| !self.busy.contains_key(group) && !waits(messages));
        for (group, mut messages) in groups {
            messages.truncate(BATCH);
            self.busy.insert(group.clone(), None);
            let (deliverer, organization) = (self.deliverer.clone(), organization.clone());
            self.running.spawn(async move { (group, invoke(&deliverer, &organization, &messages, now).await.is_ok()) });
        }
        Ok(())
    }

    /// Lets a group go on whose delivery has ended.
    fn settle(&mut self, ended: Result<(String, bool), JoinError>) {
        match ended {
            Ok((group, true)) => drop(self.busy.remove(&group)),
            Ok((group, false)) => drop(self.busy.insert(group, Some(Instant::now() + HIDDEN))),
            Err(error) => tracing::error!(%error, "a delivery ended without a result"),
        }
    }
}

/// Delivers messages of one group, and takes those out of the queue that are done.
async fn invoke(
    deliverer: &Deliverer,
    organization: &Organization,
    messages: &[QueuedMessage],
    now: Timestamp,
) -> Result<(), StoreError> {
    let record = |message: &QueuedMessage| {
        let mut record = SqsMessage::default();
        (record.message_id, record.receipt_handle) = (Some(message.place.clone()), Some(message.place.clone()));
        record.body = Some(message.body.clone());
        record.attributes.insert("MessageGroupId".to_owned(), message.group.clone());
        record
    };
    let mut event = SqsEvent::default();
    event.records = messages.iter().map(record).collect();
    let failed = deliverer.handle(event, now).await.batch_item_failures;
    let failed: HashSet<_> = failed.into_iter().map(|failure| failure.item_identifier).collect();
    let writer = organization.by(&Actor::service(), now);
    for message in messages.iter().filter(|message| !failed.contains(&message.place)) {
        writer.unqueue_message(&message.place).await?;
    }
    Ok(())
}

/// Returns the event of a stream with the keys of changes, whose numbers are their places.
pub fn stream_of(changes: &[ChangeOf]) -> Event {
    let record = |(number, change): (usize, &ChangeOf)| {
        let (pk, sk) = change.key();
        let mut of = StreamRecord::default();
        of.keys.insert("pk".to_owned(), AttributeValue::S(pk));
        of.keys.insert("sk".to_owned(), AttributeValue::S(sk));
        of.sequence_number = Some(number.to_string());
        let mut record = EventRecord::default();
        record.change = of;
        record
    };
    let mut event = Event::default();
    event.records = changes.iter().enumerate().map(record).collect();
    event
}

fn present() -> Timestamp {
    Utc::now().try_into().expect("the clock is within the years 0 to 9999")
}
