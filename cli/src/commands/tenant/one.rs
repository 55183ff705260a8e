//! The tenant that a command names.

use anyhow::Context;
use clap::Args;
use model::{ServiceTenantId, TenantListItem};
use store::{Organization, StoreError, TenantRecord};

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;

#[derive(Debug, Args)]
pub(crate) struct OneTenant {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name
    #[arg(value_name = "TENANT")]
    reference: String,
}

/// Context of a change that was not begun.
const NOT_CHANGED: &str = "the tenant was not changed";

/// Context of a change that failed, possibly after part of it was done.
pub(super) const INCOMPLETE: &str = "the change is not complete; run the command again";

impl OneTenant {
    /// Returns the organization and its tenant.
    pub(super) async fn find(&self, session: &Session) -> anyhow::Result<(Organization, TenantRecord)> {
        let organization = session.organization(&self.organization.id).await?;
        let tenant = lookup::tenant(&organization, &self.reference).await?;
        Ok((organization, tenant))
    }

    /// Returns the organization and its tenant, for a change.
    pub(super) async fn find_to_change(&self, session: &Session) -> anyhow::Result<(Organization, TenantRecord)> {
        self.find(session).await.context(NOT_CHANGED)
    }

    /// Returns the organization and its tenant, also a removed one by its service identifier.
    pub(super) async fn find_even_removed(&self, session: &Session) -> anyhow::Result<(Organization, TenantRecord)> {
        self.find_first(session, Organization::removed_tenant).await
    }

    /// Returns the organization and its tenant, also one whose removal was interrupted by its service identifier.
    pub(super) async fn find_to_remove(&self, session: &Session) -> anyhow::Result<(Organization, TenantRecord)> {
        self.find_first(session, Organization::tenant_to_remove).await
    }

    /// Returns the tenant that is found by its service identifier in a way of its own, or else as for any change.
    async fn find_first(
        &self,
        session: &Session,
        by_id: impl AsyncFn(&Organization, &ServiceTenantId) -> Result<Option<TenantRecord>, StoreError>,
    ) -> anyhow::Result<(Organization, TenantRecord)> {
        let organization = session.organization(&self.organization.id).await?;
        if let Ok(id) = self.reference.parse()
            && let Some(tenant) = by_id(&organization, &id).await.context(NOT_CHANGED)?
        {
            return Ok((organization, tenant));
        }
        self.find_to_change(session).await
    }
}

/// Shows a changed tenant.
pub(super) fn show(session: &Session, done: &str, changed: TenantRecord) -> anyhow::Result<Exit> {
    session.output.show(&TenantListItem::from(changed), |tenant| {
        format!("{done} tenant {}, \"{}\".", tenant.service_tenant_id, tenant.name)
    })?;
    Ok(Exit::Done)
}
