//! Keys of events, and of the results that they are made from.

use model::{EventId, ServiceTenantId, Timestamp};

use super::{Key, Partition, Range};

impl Partition {
    /// Returns the key of an event.
    pub(crate) fn event(&self, written_at: Timestamp, id: &EventId) -> Key {
        self.key(format!("EVENT#{written_at}#{id}"))
    }

    /// Returns the keys of the events from a place on, that one included; of all without one.
    pub(crate) fn events_from(&self, place: Option<&str>) -> Range {
        let all = self.below("EVENT#");
        let first = format!("{}{}", all.first, place.unwrap_or_default());
        Range { first, ..all }
    }

    /// Returns the key of the last known results of a tool for a tenant.
    pub(crate) fn known_results(&self, tenant: &ServiceTenantId, tool: &str) -> Key {
        self.key(format!("KNOWN#{tenant}#{tool}"))
    }

    /// Returns the keys of the last known results of all tools and tenants.
    pub(crate) fn all_known_results(&self) -> Range {
        self.below("KNOWN#")
    }
}
