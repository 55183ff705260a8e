//! Sets of documents that are requested, and the messages by which somebody works on them.

use model::{OrganizationId, RequestId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{DocumentSet, Organization, Schedules, StoreError, Which, Writer};

use super::Choice;
use crate::Queue;
use crate::requests::RequestError;

/// A message in the queue: one set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The set.
    pub set_id: RequestId,
}

impl Message {
    /// Returns the message for a set.
    pub fn of(organization: &Organization, set: &DocumentSet) -> Self {
        Self { organization_id: organization.id().clone(), set_id: set.set_id.clone() }
    }
}

/// Returns the options of documents as they are stored.
pub fn stored(choice: &Choice) -> String {
    serde_json::to_string(choice).expect("only texts")
}

/// Requests a set of documents.
///
/// The set is written before its message is sent. If the message is lost, a later round of schedules sends another.
///
/// # Errors
/// If the store fails.
pub async fn request(writer: &Writer, which: Which, choice: &Choice, queue: &Queue) -> Result<DocumentSet, StoreError> {
    let set = writer.request_documents(which, stored(choice)).await?;
    send(writer, &set, queue).await;
    Ok(set)
}

/// Requests the sets that are due by schedules that were read. Returns the schedules as they are then, and the number of sets.
///
/// # Errors
/// If the store fails.
pub(crate) async fn request_due(
    writer: &Writer,
    mut schedules: Schedules,
    queue: &Queue,
) -> Result<(Schedules, usize), StoreError> {
    let mut requested = 0;
    while let Some((changed, set)) = writer.request_due_documents(&schedules).await? {
        send(writer, &set, queue).await;
        (schedules, requested) = (changed, requested + 1);
    }
    Ok((schedules, requested))
}

async fn send(organization: &Organization, set: &DocumentSet, queue: &Queue) {
    if let Err(error) = queue.send(&Message::of(organization, set)).await {
        tracing::warn!(%error, set = set.set_id.as_str(), "a set of documents is begun later");
    }
}

/// Sends the messages of an organization's sets again that nobody works on. Returns when to look again, if any are open.
///
/// # Errors
/// If the store or the queue fails.
pub(crate) async fn resend(
    organization: &Organization,
    queue: &Queue,
    now: Timestamp,
) -> Result<Option<Timestamp>, RequestError> {
    let mut next = None;
    for set in organization.document_sets(now).await?.iter().filter(|set| set.is_open()) {
        let mut at = set.quiet_at();
        if at <= now {
            queue.send(&Message::of(organization, set)).await?;
            at = DocumentSet { changed_at: now, ..set.clone() }.quiet_at();
        }
        next = next.min(Some(at)).or(Some(at));
    }
    Ok(next)
}
