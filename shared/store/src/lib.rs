//! The data: one DynamoDB table, in which everything of an organization lies under its own partition key.
//!
//! Every access begins with [`Store::organization`]: what follows cannot name another organization's partition. How
//! keys are spelled stands in `keys.rs` alone; stored shapes, apart from the wire's, beside the code that uses them.

mod api_keys;
mod billable;
mod check;
mod client;
mod deletion;
mod edits;
mod error;
mod fragment;
mod keys;
mod organizations;
mod recording;
mod reports;
mod table;
mod tenant_changes;
mod tenants;
mod usage;

pub use api_keys::{Access, ApiKeyListing, CreatedKey, KeyError};
pub use billable::{BillableUsers, UsersChunk};
pub use check::{Discrepancy, Inspection};
pub use client::{Timeouts, aws_settings, function_settings};
pub use edits::EditError;
pub use error::StoreError;
pub use fragment::{CorruptFragment, Fragment};
pub use organizations::OrganizationRecord;
pub use reports::{AddReport, NewReport, PastReport, StoredReport};
pub use table::Store;
pub use tenants::{LatestReport, RemoveTenant, TenantExists, TenantRecord};
pub use usage::Usage;

use keys::Partition;

use model::OrganizationId;

/// Most bytes that DynamoDB takes as one item, names included.
pub const ITEM_LIMIT: usize = 400 * 1024;

/// The data of one organization.
#[derive(Debug, Clone)]
pub struct Organization {
    store: Store,
    id: OrganizationId,
    partition: Partition,
}

impl Store {
    /// The data of one organization.
    pub fn organization(&self, id: &OrganizationId) -> Organization {
        Organization { store: self.clone(), id: id.clone(), partition: Partition::of(id) }
    }
}

impl Organization {
    /// Identifier of the organization.
    pub fn id(&self) -> &OrganizationId {
        &self.id
    }
}
