//! Puts each new event into the queue, once for each target that is told of it.
//!
//! The stream of the table has the keys of new events. A record that fails is delivered again with all after it, so the
//! order is kept, and what was put into the queue before has the same identifiers.

use aws_lambda_events::dynamodb::EventRecord;
use aws_lambda_events::event::dynamodb::Event;
use aws_lambda_events::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use model::Timestamp;
use operations::Queue;
use operations::notifications::{Bus, SendError, Targets, dispatch};
use serde_dynamo::AttributeValue;
use store::{ChangeOf, Store, StoreError};

/// Dispatches events.
#[derive(Debug, Clone)]
pub struct Dispatcher {
    /// The table.
    pub store: Store,
    /// The queue of what is sent to targets.
    pub queue: Queue,
    /// The operator's bus; `None` without one.
    pub bus: Option<Bus>,
}

impl Dispatcher {
    /// Dispatches the events of records in their order, and returns the first record that is to be delivered again, if
    /// any.
    pub async fn handle(&self, event: Event, now: Timestamp) -> DynamoDbEventResponse {
        let mut response = DynamoDbEventResponse::default();
        let mut targets = Targets::default();
        let mut messages = 0;
        for record in &event.records {
            let Some(change) = change_of(record) else { continue };
            let sent = dispatch(&self.store, &self.queue, self.bus.as_ref(), &mut targets, &change, now).await;
            match sent {
                Ok(sent) => messages += sent,
                Err(error) if is_damage(&error) => {
                    tracing::error!(%error, organization = change.organization.as_str(), "an event cannot be dispatched");
                }
                Err(error) => {
                    tracing::warn!(%error, "events are dispatched again");
                    let mut failure = DynamoDbBatchItemFailure::default();
                    failure.item_identifier.clone_from(&record.change.sequence_number);
                    response.batch_item_failures.push(failure);
                    break;
                }
            }
        }
        if messages > 0 {
            tracing::info!(messages, "dispatched events");
        }
        response
    }
}

/// Returns whether a failure would be the same at each attempt.
fn is_damage(error: &SendError) -> bool {
    matches!(error, SendError::Target(store::TargetError::Store(StoreError::Damaged { .. } | StoreError::Corrupt(_))))
}

fn change_of(record: &EventRecord) -> Option<ChangeOf> {
    let text = |name| match record.change.keys.get(name) {
        Some(AttributeValue::S(text)) => Some(text.as_str()),
        _ => None,
    };
    ChangeOf::at(text("pk")?, text("sk")?)
}
