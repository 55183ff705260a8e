//! The queue of what is sent to targets, which keeps the order within a group.

use std::time::{SystemTime, UNIX_EPOCH};

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use chrono::TimeDelta;
use model::{Actor, ServiceTenantId, Timestamp};
use store::Organization;

use super::{Message, SendError};
use crate::{Queue, QueueError};

/// Messages that SQS takes in one call.
const BATCH: usize = 10;

impl Message {
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
        messages: &[Message],
        now: Timestamp,
    ) -> Result<(), SendError> {
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

async fn send_batch(client: &Client, url: &str, batch: &[Message]) -> Result<(), QueueError> {
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
    let sent = sent.map_err(|error| QueueError::of(error.into_service_error()))?;
    match sent.failed().first() {
        Some(failed) => Err(QueueError::of(failed.code())),
        None => Ok(()),
    }
}
