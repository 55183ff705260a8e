//! The queue of what is sent to targets, which keeps the order within a group.

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use chrono::TimeDelta;
use model::{Actor, ServiceTenantId, Timestamp};
use store::Organization;

use super::{ConfirmationMessage, Message, Queued, SendError};
use crate::{Queue, QueueError};

/// Messages that SQS takes in one call.
const BATCH: usize = 10;
/// Longest time for which SQS hides a message: it allows 12 hours, from the moment at which it delivered the message. For
/// a longer wait, a message is hidden again.
const LONGEST_HIDDEN: TimeDelta = TimeDelta::hours(11);

/// A message as SQS takes it.
pub(super) struct Entry {
    pub(super) group: String,
    pub(super) identity: String,
    pub(super) body: String,
}

impl Message {
    /// Returns the group whose messages are delivered one after the other: those of a tenant to a target. A test waits for
    /// none.
    pub fn group(&self) -> String {
        let test = self.change_id.is_none().then_some(self.event_id.as_str());
        let of = self.service_tenant_id.as_ref().map(ServiceTenantId::as_str).or(test);
        format!("{}.{}", self.target_id, of.unwrap_or_default())
    }

    /// Returns the text that two messages share only if one is a repetition of the other. SQS takes one of them.
    fn identity(&self) -> String {
        let again = self.again_at.map(|at| at.to_datetime().timestamp_millis().to_string());
        format!("{}.{}", self.event_id, again.unwrap_or_default())
    }

    /// Returns the place in a queue on this machine of the message with a number: behind those of earlier events, and the
    /// same for a repetition.
    fn place(&self, number: usize) -> String {
        let since = self.again_at.unwrap_or(self.written_at);
        let change = self.change_id.as_ref().unwrap_or(&self.event_id);
        format!("{since}-{change}-{number:06}-{}.{}", self.event_id, self.target_id)
    }

    fn entry(self) -> Entry {
        Entry { group: self.group(), identity: self.identity(), body: Queued::Delivery(self).body() }
    }
}

impl Queued {
    fn body(&self) -> String {
        serde_json::to_string(self).expect("only texts")
    }
}

impl Queue {
    /// Lets a delivered message wait until a moment before it is delivered again: for a while only, if that is far off.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    pub async fn delay(
        &self,
        organization: &Organization,
        receipt: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), SendError> {
        match self {
            Self::Table => Ok(organization.by(&Actor::service(), now).delay_message(receipt, until).await?),
            Self::Sqs { client, url } => {
                let change = client.change_message_visibility().queue_url(&**url).receipt_handle(receipt);
                let changed = change.visibility_timeout(seconds_until(until, now)).send().await;
                Ok(changed.map(drop).map_err(|error| QueueError::of(error.into_service_error()))?)
            }
        }
    }

    /// Puts messages of an organization into the queue, in their order.
    ///
    /// # Errors
    /// If the queue cannot be reached. Some may be in it.
    pub(super) async fn notify(
        &self,
        organization: &Organization,
        messages: Vec<Message>,
        now: Timestamp,
    ) -> Result<(), SendError> {
        match self {
            Self::Table => {
                let writer = organization.by(&Actor::service(), now);
                for (number, message) in messages.into_iter().enumerate() {
                    let place = message.place(number);
                    let Entry { group, body, .. } = message.entry();
                    writer.queue_message(place, group, body).await?;
                }
            }
            Self::Sqs { client, url } => send(client, url, messages.into_iter().map(Message::entry)).await?,
        }
        Ok(())
    }

    /// Puts the message of a confirmation into the queue. Those of a member are sent one after the other.
    ///
    /// # Errors
    /// If the queue cannot be reached.
    pub(super) async fn confirm(
        &self,
        organization: &Organization,
        message: ConfirmationMessage,
    ) -> Result<(), SendError> {
        let (group, asked_at) = (message.member_id.to_string(), message.asked_at);
        let (identity, body) = (format!("{asked_at}-{group}"), Queued::Confirmation(message).body());
        match self {
            Self::Table => {
                organization.by(&Actor::service(), asked_at).queue_message(identity, group, body).await?;
            }
            Self::Sqs { client, url } => {
                send(client, url, [Entry { group, identity, body }].into_iter()).await?;
            }
        }
        Ok(())
    }
}

/// Returns for how many seconds SQS hides a message until a moment.
fn seconds_until(until: Timestamp, now: Timestamp) -> i32 {
    let wait = (until.to_datetime() - now.to_datetime()).min(LONGEST_HIDDEN);
    // A second more, so that it is not delivered before the moment.
    i32::try_from(wait.num_seconds() + 1).unwrap_or_default()
}

/// Puts messages into a queue of SQS, in their order.
pub(super) async fn send(client: &Client, url: &str, entries: impl Iterator<Item = Entry>) -> Result<(), QueueError> {
    let entries: Vec<_> = entries.enumerate().map(of_batch).collect();
    for batch in entries.chunks(BATCH) {
        let sent = client.send_message_batch().queue_url(url).set_entries(Some(batch.to_vec())).send().await;
        let sent = sent.map_err(|error| QueueError::of(error.into_service_error()))?;
        if let Some(failed) = sent.failed().first() {
            return Err(QueueError::of(failed.code()));
        }
    }
    Ok(())
}

fn of_batch((number, Entry { group, identity, body }): (usize, Entry)) -> SendMessageBatchRequestEntry {
    SendMessageBatchRequestEntry::builder()
        .id(number.to_string())
        .message_group_id(group)
        .message_deduplication_id(identity)
        .message_body(body)
        .build()
        .expect("identifier and body are set")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_hidden_until_a_moment_as_far_as_sqs_allows() {
        let until = |text: &str| seconds_until(text.parse().unwrap(), "2026-07-03T20:00:00.5Z".parse().unwrap());
        assert_eq!([until("2026-07-03T20:00:01Z"), until("2026-07-03T20:00:05.5Z")], [1, 6]);
        assert_eq!([until("2026-07-04T06:00:00Z"), until("2026-07-06T07:00:00Z")], [36_000, 11 * 3600 + 1]);
    }
}
