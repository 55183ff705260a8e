//! `posture tenant add`.

use anyhow::Context;
use clap::Args;
use model::{DisplayName, ProviderTenantId, ServiceTenantId, TenantListItem};

use crate::arguments::{OfOrganization, now};
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Add {
    #[command(flatten)]
    organization: OfOrganization,
    /// Name, as shown in reports
    #[arg(long)]
    name: DisplayName,
    /// Identifier in Microsoft 365
    #[arg(long, value_name = "GUID")]
    provider_tenant_id: ProviderTenantId,
}

impl Run for Add {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let id = ServiceTenantId::generate(now());
        let added = by_operator(&organization).add_tenant(id, self.name, self.provider_tenant_id).await;
        let added = added.context("the tenant was not added")?;
        session.output.show(&TenantListItem::from(added), |tenant| {
            format!("Added tenant {}. Next: `posture report import`.", tenant.service_tenant_id)
        })?;
        Ok(Exit::Done)
    }
}
