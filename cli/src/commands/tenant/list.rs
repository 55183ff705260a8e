//! `posture tenant list`.

use anyhow::Context;
use clap::Args;
use futures_util::TryStreamExt;
use model::TenantListItem;

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let tenants: Vec<_> = organization.tenants().try_concat().await.context("the tenants cannot be listed")?;
        let items: Vec<_> = tenants.into_iter().map(TenantListItem::from).collect();
        session.output.show(&items, |items| readable(items))?;
        Ok(Exit::Done)
    }
}

fn readable(tenants: &[TenantListItem]) -> String {
    if tenants.is_empty() {
        return "The organization has no tenants; `posture tenant add` adds one.".to_owned();
    }
    let row = |tenant: &TenantListItem| {
        let paused = if tenant.is_paused { "paused" } else { "" };
        let (id, provider_id) = (tenant.service_tenant_id.to_string(), tenant.provider_tenant_id.to_string());
        vec![id, tenant.name.clone(), provider_id, tenant.onboarding_date.to_string(), paused.to_owned()]
    };
    let columns = ["TENANT", "NAME", "PROVIDER TENANT", "ONBOARDED", ""].map(Column::text);
    table(&columns, tenants.iter().map(row))
}
