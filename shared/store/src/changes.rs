//! Change marks: show with one small read whether a list may have changed.
//!
//! Every change of a report and of the tenant list writes a new mark in its own transaction. No mark is used twice, so
//! the same marks mean that nothing has changed, even in a table that was restored to an earlier time.
//!
//! The marks of reports are in a few items, chosen by the tenant. Changes of one tenant are serialized anyway;
//! with a single item, imports for different tenants would collide as well.

use model::ServiceTenantId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys::Key;
use super::table::Action;
use super::{Organization, StoreError, Writer};

/// Number of items for the marks of reports: as many as fit into one read unit, with a reserve.
const GROUPS: u32 = 32;

#[derive(Serialize, Deserialize)]
pub(super) struct Mark {
    mark: String,
}

impl Mark {
    pub(super) fn new() -> Self {
        Self { mark: Uuid::now_v7().simple().to_string() }
    }
}

impl Organization {
    /// Returns the state of the tenant list: a text that changes when a tenant is added, renamed, paused, resumed or
    /// removed, but not with imports. Reads one small item, strongly consistent.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tenants_state(&self) -> Result<String, StoreError> {
        self.mark(self.partition.tenants_changed()).await
    }

    /// Returns a text that changes with every change of the tenant list or of a report.
    pub(crate) async fn reports_state(&self) -> Result<String, StoreError> {
        let marks: Vec<Mark> = self.store.all(self.partition.all_changes()).await?;
        Ok(marks.into_iter().map(|Mark { mark }| mark).collect())
    }

    /// Returns a text that changes with every change of a tenant's reports.
    pub(crate) async fn reports_state_of(&self, tenant: &ServiceTenantId) -> Result<String, StoreError> {
        self.mark(self.reports_changed(tenant)).await
    }

    /// Returns the key of the mark for a tenant's reports.
    pub(crate) fn reports_changed(&self, tenant: &ServiceTenantId) -> Key {
        self.partition.reports_changed(group_of(tenant))
    }

    /// Returns the action that marks a change of a tenant's reports.
    pub(crate) fn mark_reports(&self, tenant: &ServiceTenantId) -> Result<Action, StoreError> {
        self.store.write(self.reports_changed(tenant), &Mark::new())
    }

    async fn mark(&self, key: Key) -> Result<String, StoreError> {
        let mark: Option<Mark> = self.store.get(key).await?;
        Ok(mark.map(|Mark { mark }| mark).unwrap_or_default())
    }
}

impl Writer {
    /// Returns the action that marks a change of the tenant list.
    pub(crate) fn mark_tenants(&self) -> Result<Action, StoreError> {
        self.store.write(self.partition.tenants_changed(), &Mark::new())
    }
}

/// Returns the group of a tenant, which never changes.
fn group_of(tenant: &ServiceTenantId) -> u32 {
    crc32fast::hash(tenant.as_str().as_bytes()) % GROUPS
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use model::OrganizationId;

    use super::*;
    use crate::keys::Partition;

    #[test]
    fn all_marks_are_read_with_one_unit() {
        let partition = Partition::of(&OrganizationId::generate("2026-06-01T00:00:00Z".parse().unwrap()));
        // Name and number.
        const FORMAT_SIZE: usize = 1 + 2;
        let size = |key: Key| {
            "pk".len() + key.pk.len() + "sk".len() + key.sk.len() + "mark".len() + Mark::new().mark.len() + FORMAT_SIZE
        };
        let groups: usize = (0..GROUPS).map(|group| size(partition.reports_changed(group))).sum();
        let all = groups + size(partition.tenants_changed());
        assert!(all <= 4096, "{all} bytes");
    }

    #[test]
    fn tenants_are_spread_over_all_groups() {
        let tenant = |number: u32| format!("ten_{number:032x}").parse().unwrap();
        let groups: HashSet<_> = (0..500).map(|number| group_of(&tenant(number))).collect();
        assert_eq!(groups.len(), GROUPS as usize);
    }
}
