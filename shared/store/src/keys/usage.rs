//! Keys of usage and billable users.

use chrono::NaiveDate;
use model::ServiceTenantId;

use super::{Key, Partition, Range};

impl Partition {
    /// Returns the key of the record of the organization's usage on a day.
    pub(crate) fn usage_day(&self, date: NaiveDate) -> Key {
        self.key(format!("USAGEDAY#{date}"))
    }

    /// Returns the keys of the days with recorded usage up to a day, oldest first.
    pub(crate) fn usage_days(&self, until: NaiveDate) -> Range {
        Range { pk: self.0.clone(), first: "USAGEDAY#".to_owned(), last: format!("USAGEDAY#{until}") }
    }

    /// Returns the keys of all days with recorded usage.
    pub(crate) fn all_usage_days(&self) -> Range {
        self.below("USAGEDAY#")
    }

    /// Returns the key of one tenant's usage on a day, in one recording of that day.
    pub(crate) fn usage(&self, date: NaiveDate, recording: &str, tenant: &ServiceTenantId) -> Key {
        self.key(format!("USAGE#{date}#{recording}#{tenant}"))
    }

    /// Returns the keys of all tenants' usage on a day, in one recording of that day.
    pub(crate) fn usage_rows(&self, date: NaiveDate, recording: &str) -> Range {
        self.below(&format!("USAGE#{date}#{recording}#"))
    }

    /// Returns whether a key is that of a tenant's usage, on any day.
    pub(crate) fn is_usage_of(&self, key: &Key, tenant: &ServiceTenantId) -> bool {
        self.below("USAGE#").contains(key) && key.sk.ends_with(&format!("#{tenant}"))
    }

    /// Returns the keys of all recordings of a day.
    pub(crate) fn usage_recordings(&self, date: NaiveDate) -> Range {
        self.below(&format!("USAGE#{date}#"))
    }

    /// Returns the key of the record of a tenant's billable users.
    pub(crate) fn billable_users(&self, tenant: &ServiceTenantId) -> Key {
        self.key(format!("BILLABLEUSERS#{tenant}"))
    }

    /// Returns the keys of the records of all tenants' billable users.
    pub(crate) fn all_billable_users(&self) -> Range {
        self.below("BILLABLEUSERS#")
    }

    /// Returns the key of a chunk of a tenant's billable users, in one recording of them.
    pub(crate) fn billable_chunk(&self, tenant: &ServiceTenantId, recording: &str, chunk: usize) -> Key {
        self.key(format!("BILLABLE#{tenant}#{recording}#{chunk:06}"))
    }

    /// Returns the keys of all chunks of one recording, in order.
    pub(crate) fn billable_chunks(&self, tenant: &ServiceTenantId, recording: &str) -> Range {
        self.below(&format!("BILLABLE#{tenant}#{recording}#"))
    }

    /// Returns the keys of all recordings of a tenant's billable users.
    pub(crate) fn billable_recordings(&self, tenant: &ServiceTenantId) -> Range {
        self.below(&format!("BILLABLE#{tenant}#"))
    }
}
