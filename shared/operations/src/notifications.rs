//! Notifications: which targets are told of an event, and the queue of what is sent to them.
//!
//! A message names the event and does not contain it, so that nothing of an organization's data is outside of its table.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use chrono::TimeDelta;
use model::{Actor, Event, EventId, EventRules, OrganizationId, ServiceTenantId, TargetId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{AdminWriter, ChangeOf, EventSelection, Organization, Store, StoreError, Target, TargetError, TargetState};

/// Messages that SQS takes in one call.
const BATCH: usize = 10;
/// Events that are read at once.
const PAGE: usize = 1_000;

/// A message in the queue: one event for one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The target.
    pub target_id: TargetId,
    /// When the event was written.
    pub written_at: Timestamp,
    /// The change that the event tells of; `None` for a test, which nothing in the table tells of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_id: Option<EventId>,
    /// The event, or the test.
    pub event_id: EventId,
    /// When a person asked to send it again; `None` if it is sent for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_at: Option<Timestamp>,
    /// The tenant: its events are delivered one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tenant_id: Option<ServiceTenantId>,
}

/// The place where deliveries wait.
#[derive(Debug, Clone, Default)]
pub enum Queue {
    /// In the table: the service on this machine looks there itself.
    #[default]
    Table,
    /// A queue of SQS that keeps the order within a group.
    Sqs {
        /// Connection.
        client: Client,
        /// Address of the queue.
        url: Arc<str>,
    },
}

/// The reason why something was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// There is no such target, or the table failed.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The queue failed.
    #[error("the queue of notifications cannot be reached: {0}")]
    Queue(String),
}

impl From<StoreError> for SendError {
    fn from(error: StoreError) -> Self {
        Self::Target(error.into())
    }
}

/// The targets of organizations, each read once.
#[derive(Debug, Default)]
pub struct Targets(HashMap<OrganizationId, Vec<Target>>);

impl Targets {
    async fn of(&mut self, organization: &Organization) -> Result<&[Target], StoreError> {
        let id = organization.id();
        if !self.0.contains_key(id) {
            self.0.insert(id.clone(), organization.targets().await?);
        }
        Ok(&self.0[id])
    }
}

/// Puts the events of a change into the queue, once for each target that is told of them. Returns the number of messages.
///
/// A change may be dispatched again after a failure: its messages have the same identifiers then.
///
/// # Errors
/// If the table or the queue fails.
pub async fn dispatch(
    store: &Store,
    queue: &Queue,
    targets: &mut Targets,
    change: &ChangeOf,
    now: Timestamp,
) -> Result<usize, SendError> {
    let organization = store.organization(&change.organization);
    let told = |target: &&Target| target.state == TargetState::Active && target.since <= change.written_at;
    let told: Vec<_> = targets.of(&organization).await?.iter().filter(told).collect();
    if told.is_empty() {
        return Ok(0);
    }
    let events = organization.events_of(change.written_at, &change.id).await?;
    let mut messages = Vec::new();
    for event in &events {
        let selecting = told.iter().filter(|target| target.rules.select(event));
        messages.extend(selecting.map(|target| Message::of(change, event, &target.target_id)));
    }
    queue.send(&organization, &messages, now).await?;
    Ok(messages.len())
}

/// Sends a test to a target, and returns its identifier.
///
/// # Errors
/// If there is no such target, or the table or the queue fails.
pub async fn test(writer: &AdminWriter, queue: &Queue, id: &TargetId, now: Timestamp) -> Result<EventId, SendError> {
    writer.record_test(id).await?;
    let event_id = EventId::generate(now);
    let message = Message {
        organization_id: writer.id().clone(),
        target_id: id.clone(),
        written_at: now,
        change_id: None,
        event_id: event_id.clone(),
        again_at: None,
        service_tenant_id: None,
    };
    queue.send(writer, &[message], now).await?;
    Ok(event_id)
}

/// Sends a target again the events that it is told of by its rules and that were written at or after a moment: all, or
/// one. Returns their number.
///
/// # Errors
/// If there is no such target, or the table or the queue fails.
pub async fn send_again(
    writer: &AdminWriter,
    queue: &Queue,
    id: &TargetId,
    since: Timestamp,
    only: Option<&EventId>,
    now: Timestamp,
) -> Result<usize, SendError> {
    let target = writer.record_sending_again(id, since).await?;
    let mut sent = 0;
    for change in writer.changes_since(since).await? {
        let events = writer.events_of(change.written_at, &change.id).await?;
        let wanted = |event: &&Event| only.map_or_else(|| target.rules.select(event), |id| event.id == *id);
        let message = |event| Message { again_at: Some(now), ..Message::of(&change, event, id) };
        let messages: Vec<_> = events.iter().filter(wanted).map(message).collect();
        queue.send(writer, &messages, now).await?;
        sent += messages.len();
    }
    Ok(sent)
}

/// Returns the events that rules select, of those that were written at or after a moment, oldest first: what a target
/// with these rules would have been told of.
///
/// # Errors
/// If the store fails.
pub async fn selected(
    organization: &Organization,
    rules: &EventRules,
    since: Timestamp,
    now: Timestamp,
) -> Result<Vec<Event>, StoreError> {
    let after = Some(store::EventPosition::at(since));
    let mut selection = EventSelection { after, kind: None, tenant: None, limit: PAGE };
    let mut selected = Vec::new();
    loop {
        let page = organization.events(&selection, now).await?;
        selected.extend(page.events.into_iter().filter(|event| rules.select(event)));
        if page.is_last {
            return Ok(selected);
        }
        selection.after = page.next;
    }
}

impl Message {
    fn of(change: &ChangeOf, event: &Event, target: &TargetId) -> Self {
        Self {
            organization_id: change.organization.clone(),
            target_id: target.clone(),
            written_at: change.written_at,
            change_id: Some(change.id.clone()),
            event_id: event.id.clone(),
            again_at: None,
            service_tenant_id: event.tenant.as_ref().map(|tenant| tenant.service_tenant_id.clone()),
        }
    }

    /// Returns the group whose messages are delivered one after the other: those of a tenant to a target.
    pub fn group(&self) -> String {
        let tenant = self.service_tenant_id.as_ref().map(ServiceTenantId::as_str);
        format!("{}.{}", self.target_id, tenant.unwrap_or_default())
    }

    /// Returns the text that two messages share only if one is a repetition of the other. SQS takes one of them.
    fn identity(&self) -> String {
        let again = self.again_at.map(|at| at.to_datetime().timestamp_millis().to_string());
        format!("{}.{}", self.event_id, again.unwrap_or_default())
    }

    fn body(&self) -> String {
        serde_json::to_string(self).expect("only texts")
    }
}

impl Queue {
    /// Lets a delivered message wait before it is delivered again.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    pub async fn delay(
        &self,
        organization: &Organization,
        receipt: &str,
        wait: TimeDelta,
        now: Timestamp,
    ) -> Result<(), SendError> {
        match self {
            Self::Table => {
                let until = Timestamp::try_from(now.to_datetime() + wait).unwrap_or(now);
                Ok(organization.by(&Actor::service(), now).delay_message(receipt, until).await?)
            }
            Self::Sqs { client, url } => {
                let seconds = i32::try_from(wait.num_seconds()).unwrap_or(i32::MAX);
                let change = client.change_message_visibility().queue_url(&**url).receipt_handle(receipt);
                let changed = change.visibility_timeout(seconds).send().await;
                changed.map(drop).map_err(|error| SendError::Queue(error.into_service_error().to_string()))
            }
        }
    }

    /// Puts messages of an organization into the queue, in their order.
    ///
    /// # Errors
    /// If the queue cannot be reached. Some may be in it.
    async fn send(&self, organization: &Organization, messages: &[Message], now: Timestamp) -> Result<(), SendError> {
        match self {
            Self::Table => {
                let writer = organization.by(&Actor::service(), now);
                let sent = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
                for (number, message) in messages.iter().enumerate() {
                    let place = format!("{sent:020}-{number:06}");
                    writer.queue_message(place, message.group(), message.body()).await?;
                }
            }
            Self::Sqs { client, url } => {
                for batch in messages.chunks(BATCH) {
                    send_batch(client, url, batch).await?;
                }
            }
        }
        Ok(())
    }
}

async fn send_batch(client: &Client, url: &str, batch: &[Message]) -> Result<(), SendError> {
    let entry = |(number, message): (usize, &Message)| {
        SendMessageBatchRequestEntry::builder()
            .id(number.to_string())
            .message_group_id(message.group())
            .message_deduplication_id(message.identity())
            .message_body(message.body())
            .build()
            .expect("identifier and body are set")
    };
    let entries = batch.iter().enumerate().map(entry).collect();
    let sent = client.send_message_batch().queue_url(url).set_entries(Some(entries)).send().await;
    let sent = sent.map_err(|error| SendError::Queue(error.into_service_error().to_string()))?;
    match sent.failed().first() {
        Some(failed) => Err(SendError::Queue(failed.code().to_owned())),
        None => Ok(()),
    }
}
