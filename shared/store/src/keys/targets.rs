//! Keys of targets of notifications, and of what is sent to them.

use model::{EventId, OrganizationId, TargetId, Timestamp};

use super::{Key, PARTITIONS, Partition, Range};

impl Partition {
    /// Returns the key of a target.
    pub(crate) fn target(&self, id: &TargetId) -> Key {
        self.key(format!("TARGET#{id}"))
    }

    /// Returns the keys of all targets, oldest first.
    pub(crate) fn targets(&self) -> Range {
        self.below("TARGET#")
    }

    /// Returns the key of the delivery of an event to a target.
    pub(crate) fn delivery(&self, target: &TargetId, written_at: Timestamp, event: &EventId) -> Key {
        self.key(format!("DELIVERY#{target}#{written_at}#{event}"))
    }

    /// Returns the keys of all deliveries to a target, in the order of their events.
    pub(crate) fn deliveries(&self, target: &TargetId) -> Range {
        self.below(&format!("DELIVERY#{target}#"))
    }

    /// Returns the key of a message that waits on this machine.
    pub(crate) fn queued_message(&self, place: &str) -> Key {
        self.key(format!("QUEUED#{place}"))
    }

    /// Returns the keys of all messages that wait on this machine, in their order.
    pub(crate) fn queued(&self) -> Range {
        self.below("QUEUED#")
    }

    /// Returns the key of the moment up to which targets were told of events on this machine.
    pub(crate) fn dispatched(&self) -> Key {
        self.key("DISPATCHED".to_owned())
    }
}

/// Returns the organization, the time and the identifier of the change whose event has a key; `None` if the key is that
/// of something else.
pub(crate) fn event_of(key: &Key) -> Option<(OrganizationId, Timestamp, EventId)> {
    let organization = key.pk.strip_prefix(PARTITIONS)?.parse().ok()?;
    let [kind, written_at, id] = key.sk.split('#').collect::<Vec<_>>().try_into().ok()?;
    (kind == "EVENT").then_some((organization, written_at.parse().ok()?, id.parse().ok()?))
}
