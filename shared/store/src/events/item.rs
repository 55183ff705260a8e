//! The item of an event.

use chrono::TimeDelta;
use model::{Event, EventId, EventKind, Timestamp};
use serde::{Deserialize, Serialize};

use super::EventContent;
use crate::keys::Key;
use crate::table::Action;
use crate::{Fragment, StoreError, Writer};

/// The time for which events are kept.
const KEPT: TimeDelta = TimeDelta::days(90);

/// An event of a change, as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventItem {
    pub(crate) event_id: EventId,
    kind: EventKind,
    /// Time of the change.
    at: Timestamp,
    /// CRC-32 of the details' JSON.
    crc32: u32,
    /// Length of the details' JSON, in bytes.
    length: u64,
    /// The content of the event as JSON, deflated.
    #[serde(with = "serde_bytes")]
    details: Vec<u8>,
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

/// An event that is about to be written.
#[derive(Clone)]
pub(crate) struct NewEvent {
    pub(crate) id: EventId,
    written_at: Timestamp,
}

impl Writer {
    /// Returns the identity of an event that is written now.
    ///
    /// Events are in the order in which they are written. The time of the change is that of its beginning: an import of
    /// many files makes all its changes at one time.
    pub(crate) fn new_event(&self) -> NewEvent {
        let elapsed = TimeDelta::from_std(self.began.elapsed()).unwrap_or_default();
        let written_at = Timestamp::try_from(self.at.to_datetime() + elapsed).unwrap_or(self.at);
        NewEvent { id: EventId::generate(written_at), written_at }
    }

    /// Returns the action that writes an event.
    pub(crate) fn tell(
        &self,
        NewEvent { id, written_at }: NewEvent,
        kind: EventKind,
        content: &EventContent,
    ) -> Result<Action, StoreError> {
        let text = serde_json::to_vec(content).map_err(|_| StoreError::Corrupt("an event cannot be written"))?;
        let Fragment { deflated, crc32, length, .. } = Fragment::stored(&text);
        let key = self.partition.event(written_at, &id);
        let expires_at = (written_at.to_datetime() + KEPT).timestamp();
        let item = EventItem { event_id: id, kind, at: self.at, crc32, length, details: deflated.into(), expires_at };
        self.store.create(key, &item)
    }
}

impl EventItem {
    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        self.open(key).map(drop)
    }

    /// Returns the events of the item with a key; none if this release does not know their kind.
    pub(crate) fn open(self, key: Key) -> Result<Vec<Event>, StoreError> {
        let content = self.content(key)?;
        if self.kind == EventKind::Unknown {
            return Ok(Vec::new());
        }
        Ok(content.events(&self.event_id, self.kind, self.at))
    }

    pub(crate) fn content(&self, key: Key) -> Result<EventContent, StoreError> {
        let fragment = self.fragment(key);
        let content = serde_json::from_slice(&fragment.inflate()?);
        content.map_err(|_| fragment.unexpected("an event has an unexpected shape"))
    }

    /// Returns the JSON of the details of the item with a key.
    pub(crate) fn fragment(&self, key: Key) -> Fragment {
        Fragment::of_item(key, self.details.clone(), self.crc32, self.length)
    }
}
