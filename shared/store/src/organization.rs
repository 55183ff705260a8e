//! One organization: its data is read here, and changed through a [`Writer`].

use std::time::Instant;

use model::{Actor, Admin, OrganizationId, Timestamp};

use super::keys::Partition;
use super::{AdminWriter, Store, Writer};

/// The data of one organization, to read. Cheap to clone.
///
/// It has no method that writes. A change needs to know who makes it, and when:
///
/// ```
/// # use model::{Admin, ServiceTenantId, Timestamp};
/// # use store::{Organization, TenantError};
/// # async fn change(organization: Organization, admin: Admin, tenant: ServiceTenantId, now: Timestamp)
/// # -> Result<(), TenantError> {
/// organization.by(admin.actor(), now).pause_tenant(&tenant, true).await?;
/// organization.by_admin(&admin, now).remove_tenant(&tenant).await?;
/// # Ok(())
/// # }
/// ```
///
/// The same changes do not compile without an actor,
///
/// ```compile_fail,E0599
/// # use model::{Admin, ServiceTenantId, Timestamp};
/// # use store::{Organization, TenantError};
/// # async fn change(organization: Organization, admin: Admin, tenant: ServiceTenantId, now: Timestamp)
/// # -> Result<(), TenantError> {
/// organization.pause_tenant(&tenant, true).await?;
/// # Ok(())
/// # }
/// ```
///
/// ```compile_fail,E0061
/// # use model::{Admin, ServiceTenantId, Timestamp};
/// # use store::{Organization, TenantError};
/// # async fn change(organization: Organization, admin: Admin, tenant: ServiceTenantId, now: Timestamp)
/// # -> Result<(), TenantError> {
/// organization.by(now).pause_tenant(&tenant, true).await?;
/// # Ok(())
/// # }
/// ```
///
/// nor, if they are reserved for Admins, by an actor without the proof of being one:
///
/// ```compile_fail,E0308
/// # use model::{Admin, ServiceTenantId, Timestamp};
/// # use store::{Organization, TenantError};
/// # async fn change(organization: Organization, admin: Admin, tenant: ServiceTenantId, now: Timestamp)
/// # -> Result<(), TenantError> {
/// organization.by_admin(admin.actor(), now).remove_tenant(&tenant).await?;
/// # Ok(())
/// # }
/// ```
///
/// ```compile_fail,E0599
/// # use model::{Admin, ServiceTenantId, Timestamp};
/// # use store::{Organization, TenantError};
/// # async fn change(organization: Organization, admin: Admin, tenant: ServiceTenantId, now: Timestamp)
/// # -> Result<(), TenantError> {
/// organization.by(admin.actor(), now).remove_tenant(&tenant).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Organization {
    pub(crate) store: Store,
    pub(crate) id: OrganizationId,
    pub(crate) partition: Partition,
}

impl Store {
    /// Returns the data of one organization. Reads nothing, so the organization need not exist.
    pub fn organization(&self, id: &OrganizationId) -> Organization {
        Organization { store: self.clone(), id: id.clone(), partition: Partition::of(id) }
    }
}

impl Organization {
    /// Returns the organization's identifier.
    pub fn id(&self) -> &OrganizationId {
        &self.id
    }

    /// Returns the changes that every actor may make, recorded as made by this one at that time.
    pub fn by(&self, actor: &Actor, at: Timestamp) -> Writer {
        Writer { organization: self.clone(), actor: actor.clone(), at, began: Instant::now(), form: None }
    }

    /// Returns all changes, also those that are reserved for Admins.
    pub fn by_admin(&self, admin: &Admin, at: Timestamp) -> AdminWriter {
        AdminWriter(self.by(admin.actor(), at))
    }
}
