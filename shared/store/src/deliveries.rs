//! Deliveries of events to targets: the last ones of each target, and on one machine the messages that wait.
//!
//! Nothing here is a change of the organization's data, so none of it is in the audit trail, except that a target is
//! switched off.

use std::fmt;

use chrono::TimeDelta;
use futures_util::TryStreamExt;
use model::{EventFailure, EventId, EventKind, TargetId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::events::EventContent;
use super::table::{Order, first_items};
use super::targets::{StoredTarget, Target, TargetState};
use super::{Organization, StoreError, Writer};

/// The time for which a delivery is kept.
const KEPT: TimeDelta = TimeDelta::days(30);

/// A delivery of an event to a target, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// The target.
    pub target_id: TargetId,
    /// The event, or the identifier of a test.
    pub event_id: EventId,
    /// The kind of the event; `None` for a test.
    pub kind: Option<EventKind>,
    /// When the event was written.
    pub written_at: Timestamp,
    /// Its state.
    pub state: DeliveryState,
    /// Number of attempts.
    pub attempts: u32,
    /// When the last attempt began.
    pub attempted_at: Timestamp,
    /// Status of the last response; `None` if there was none.
    pub status: Option<u16>,
    /// The reason why the last attempt failed, and what to do.
    pub problem: Option<String>,
    /// When the next attempt is made; `None` if there is none.
    pub next_at: Option<Timestamp>,
    /// Number of events in the mail of a day or a week; `None` if the delivery is of one event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<usize>,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DeliveryState {
    /// The target accepted it.
    Delivered,
    /// It is tried again.
    Waiting,
    /// It was given up.
    Failed,
    /// A state that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredDelivery {
    #[serde(flatten)]
    pub(crate) delivery: Delivery,
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

/// A message that waits on this machine, where the data is the queue.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// Its place in the queue.
    pub place: String,
    /// Messages of a group are delivered one after the other.
    pub group: String,
    /// The text.
    pub body: String,
    /// When it may be delivered.
    pub visible_at: Timestamp,
}

/// The events up to which targets are told, on this machine.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Dispatched {
    until: Timestamp,
}

impl Organization {
    /// Returns the delivery of an event to a target, or `None` if it was never tried.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delivery(
        &self,
        target: &TargetId,
        written_at: Timestamp,
        event: &EventId,
        now: Timestamp,
    ) -> Result<Option<Delivery>, StoreError> {
        let key = self.partition.delivery(target, written_at, event);
        let stored: Option<StoredDelivery> = self.store.get_unexpired(key, now).await?;
        Ok(stored.map(|stored| stored.delivery))
    }

    /// Returns up to `limit` deliveries to a target, of the newest event first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn deliveries(
        &self,
        target: &TargetId,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Delivery>, StoreError> {
        let pages = self.store.query_unexpired(self.partition.deliveries(target), Order::NewestFirst, &[limit], now);
        let stored: Vec<StoredDelivery> = first_items(pages, limit).try_concat().await?;
        Ok(stored.into_iter().map(|stored| stored.delivery).collect())
    }

    /// Returns the messages that wait on this machine, in their order.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn queued(&self) -> Result<Vec<QueuedMessage>, StoreError> {
        self.store.all(self.partition.queued()).await
    }

    /// Returns the moment up to which targets were told of events on this machine, or `None` at first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn dispatched_until(&self) -> Result<Option<Timestamp>, StoreError> {
        let stored: Option<Dispatched> = self.store.get(self.partition.dispatched()).await?;
        Ok(stored.map(|dispatched| dispatched.until))
    }
}

impl Writer {
    /// Keeps a delivery as it is after an attempt.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record_delivery(&self, delivery: Delivery) -> Result<(), StoreError> {
        let key = self.partition.delivery(&delivery.target_id, delivery.written_at, &delivery.event_id);
        let expires_at = (delivery.attempted_at.to_datetime() + KEPT).timestamp();
        self.store.put(key, &StoredDelivery { delivery, expires_at }).await
    }

    /// Keeps whether a target accepts messages, unless it was changed since it was read. That is nobody's change, so it is
    /// not in the audit trail.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn note_target(&self, seen: &Target, failing_since: Option<Timestamp>) -> Result<(), StoreError> {
        let Ok(stored) = self.stored_target(&seen.target_id).await else { return Ok(()) };
        let target = Target { failing_since, version: seen.version + 1, ..seen.clone() };
        let noted = StoredTarget { target, ..stored };
        let key = self.partition.target(&seen.target_id);
        self.store.transact(vec![self.store.replace(key, &noted, seen.version)?]).await.map(drop)
    }

    /// Switches a target off, unless it was changed since it was read. An event says so, with the reason.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn disable_target(&self, seen: &Target, reason: &str) -> Result<(), StoreError> {
        let Ok(stored) = self.stored_target(&seen.target_id).await else { return Ok(()) };
        let target = Target { state: TargetState::Disabled, version: seen.version + 1, ..seen.clone() };
        let disabled = StoredTarget { target, ..stored };
        let actions = vec![self.store.replace(self.partition.target(&seen.target_id), &disabled, seen.version)?];
        let failure = EventFailure { of: seen.name.clone(), reason: reason.to_owned() };
        let deed = || {
            Deed::new(AuditAction::TargetDisabled, &seen.target_id)
                .with("reason", None, Some(reason.to_owned()))
                .telling(EventContent::default().with_failures([failure]))
        };
        self.commit(actions, deed).await.map(drop)
    }

    /// Puts a message into the queue on this machine, at a place, which is unique. One that is there stays as it is.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn queue_message(&self, place: String, group: String, body: String) -> Result<(), StoreError> {
        let key = self.partition.queued_message(&place);
        if self.store.get::<QueuedMessage>(key.clone()).await?.is_some() {
            return Ok(());
        }
        self.store.put(key, &QueuedMessage { place, group, body, visible_at: self.at }).await
    }

    /// Lets a message on this machine wait until a moment.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delay_message(&self, place: &str, until: Timestamp) -> Result<(), StoreError> {
        let key = self.partition.queued_message(place);
        let Some(message) = self.store.get::<QueuedMessage>(key.clone()).await? else { return Ok(()) };
        self.store.put(key, &QueuedMessage { visible_at: until, ..message }).await
    }

    /// Takes a message out of the queue on this machine.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn unqueue_message(&self, place: &str) -> Result<(), StoreError> {
        self.store.delete(self.partition.queued_message(place)).await
    }

    /// Keeps the moment up to which targets were told of events on this machine.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn set_dispatched_until(&self, until: Timestamp) -> Result<(), StoreError> {
        self.store.put(self.partition.dispatched(), &Dispatched { until }).await
    }
}

impl fmt::Debug for QueuedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueuedMessage").field("place", &self.place).finish_non_exhaustive()
    }
}
