//! The repair of an organization whose items are damaged, missing or left over.
//!
//! Some items are roots: the organization, its tenants, its reports, and what people entered. Others are derived from
//! them: pointers, corrections, marks, look-ups and the register. A repair reads all items, derives what should exist,
//! and makes the differences. An item that cannot be derived is set aside: the caller keeps it in a file, and it is
//! deleted. A recording with a broken item is set aside whole, because a part of it must not pass for all of it.
//!
//! A change is made only if its item is still the one that was read, and only together with a new version of its tenant,
//! which serializes it with imports, edits and deletions. An item that a later release wrote is left as it is.

mod apply;
mod contents;
mod lookups;
mod recordings;
mod reports;
mod results;
mod tenants;

use std::collections::BTreeMap;

use model::{ServiceTenantId, Timestamp};
use serde::Serialize;

use super::keys::Key;
use super::table::Item;
use super::{Discrepancy, Organization, OrganizationError, StoredItem};
use contents::Contents;
use tenants::Tenants;

pub use apply::Repaired;

/// A repair of an organization that is planned, and not yet made.
pub struct Repair {
    changes: BTreeMap<Key, Change>,
    tenants: Tenants,
    left: Vec<Discrepancy>,
    /// Whether the changes make the stored results complete.
    completes_results: bool,
}

/// The change of one item.
struct Change {
    /// The item as read; `None` if it is missing.
    original: Option<Item>,
    /// The item as it should be; `None` if it is set aside.
    mended: Option<Item>,
    /// The tenant that the item is about, if it is listed or removed.
    tenant: Option<ServiceTenantId>,
    /// The report that the item is derived from, with its revision.
    report: Option<(Key, u64)>,
}

/// An item that a repair would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedChange {
    /// Key of the item.
    pub item: String,
    /// Whether the item is set aside. Otherwise, it is rebuilt.
    pub is_set_aside: bool,
}

impl Repair {
    /// Returns the items that would be changed.
    pub fn changes(&self) -> Vec<PlannedChange> {
        let planned = |(key, change): (&Key, &Change)| PlannedChange {
            item: key.to_string(),
            is_set_aside: change.mended.is_none(),
        };
        self.changes.iter().map(planned).collect()
    }

    /// Returns the items, as they are stored, that would be overwritten or deleted. Keep them before the repair.
    pub fn originals(&self) -> impl Iterator<Item = StoredItem> {
        self.changes.values().filter_map(|change| change.original.clone()).map(StoredItem::from)
    }

    /// Returns the items that are left as they are although they cannot be used.
    pub fn left(&self) -> &[Discrepancy] {
        &self.left
    }
}

impl Organization {
    /// Returns what a repair of the organization would change. Changes nothing. Reads all items of the organization, and
    /// all items outside of organizations.
    ///
    /// # Errors
    /// [`OrganizationError::NotFound`] if there is no such organization, or the store fails.
    pub async fn plan_repair(&self, now: Timestamp) -> Result<Repair, OrganizationError> {
        // Before anything else: a tenant that changes from here on has another version, which refuses the change.
        let versions = self.tenant_versions().await?;
        let contents = Contents::read(self).await?;
        if contents.get(&self.partition.organization()).is_none() {
            return Err(OrganizationError::NotFound(self.id.clone()));
        }
        let mut plan = Plan { organization: self, contents, now, changes: BTreeMap::new(), left: Vec::new() };
        let mut tenants = plan.tenants(versions)?;
        let newest = plan.reports(&mut tenants)?;
        let completes_results = plan.results(&tenants, newest).await?;
        plan.tenant_items(&tenants)?;
        plan.lookups(&tenants)?;
        plan.recordings().await?;
        plan.leftovers(&tenants);
        let Plan { changes, mut left, contents, .. } = plan;
        left.extend(contents.later());
        Ok(Repair { changes, tenants, left, completes_results })
    }
}

/// A repair while it is planned.
struct Plan<'a> {
    organization: &'a Organization,
    contents: Contents,
    now: Timestamp,
    changes: BTreeMap<Key, Change>,
    left: Vec<Discrepancy>,
}

impl Plan<'_> {
    /// Sets those items aside that cannot be read and that nothing else changes.
    fn leftovers(&mut self, tenants: &Tenants) {
        for key in self.contents.damaged() {
            let is_left = self.left.iter().any(|left| left.subject == key.to_string());
            let is_about_unreadable = key.tenant().is_some_and(|tenant| tenants.is_unreadable(&tenant));
            if !is_left && !is_about_unreadable {
                self.set_aside(&key, tenants.of(&key));
            }
        }
    }
}
