//! `posture tenant`: tenants of an organization.

use anyhow::Context;
use clap::{Args, Subcommand};
use futures_util::TryStreamExt;
use model::{ProviderTenantId, Service, ServiceTenantId, TenantListItem, Timestamp};
use store::{Organization, TenantError, TenantRecord};

use crate::arguments::{OfOrganization, display_name, now};
use crate::command::Run;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add a tenant
    Add {
        #[command(flatten)]
        organization: OfOrganization,
        /// Its name, as reports show it
        #[arg(long, value_parser = display_name)]
        name: String,
        /// Its identifier at the suite's provider
        #[arg(long, value_name = "GUID")]
        provider_tenant_id: ProviderTenantId,
    },
    /// List the tenants that are not removed
    List {
        #[command(flatten)]
        organization: OfOrganization,
    },
    /// Pause a tenant: it stays listed, and none of its users is billable
    Pause(OneTenant),
    /// Resume a paused tenant
    Resume(OneTenant),
    /// Remove a tenant, for good: it is no longer listed, and its reports are no longer returned
    Remove(OneTenant),
    /// Rename a tenant, in all its reports too
    Rename {
        #[command(flatten)]
        tenant: OneTenant,
        /// The new name
        #[arg(long, value_parser = display_name)]
        name: String,
    },
}

/// A tenant of an organization.
#[derive(Debug, Args)]
pub(crate) struct OneTenant {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its service identifier or its provider identifier
    #[arg(value_name = "TENANT")]
    reference: String,
}

/// A change of one tenant.
enum Change<'a> {
    Pause,
    Resume,
    Remove,
    Rename(&'a str),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Add { organization, name, provider_tenant_id } => {
                let organization = session.organization(&organization.id).await?;
                let added = add(&organization, name, provider_tenant_id, now()).await?;
                session.output.show(&TenantListItem::from(added), |tenant| {
                    format!("Added tenant {}. Next: `posture report import`.", tenant.service_tenant_id)
                })?;
            }
            Self::List { organization } => {
                let tenants = all(&session.organization(&organization.id).await?).await?;
                let items: Vec<_> = tenants.into_iter().map(TenantListItem::from).collect();
                session.output.show(&items, |items| list(items))?;
            }
            Self::Pause(tenant) => tenant.change(session, Change::Pause).await?,
            Self::Resume(tenant) => tenant.change(session, Change::Resume).await?,
            Self::Remove(tenant) => tenant.change(session, Change::Remove).await?,
            Self::Rename { tenant, name } => tenant.change(session, Change::Rename(&name)).await?,
        }
        Ok(Exit::Done)
    }
}

impl OneTenant {
    async fn change(&self, session: &Session, change: Change<'_>) -> anyhow::Result<()> {
        let organization = session.organization(&self.organization.id).await?;
        let id = find(&organization, &self.reference).await?.service_tenant_id;
        let (changed, done) = match change {
            Change::Pause => (organization.pause_tenant(&id, true).await, "Paused"),
            Change::Resume => (organization.pause_tenant(&id, false).await, "Resumed"),
            Change::Remove => (organization.remove_tenant(&id, now()).await, "Removed"),
            Change::Rename(name) => (organization.rename_tenant(&id, name).await, "Renamed"),
        };
        let changed = changed.map_err(|error| match error {
            TenantError::NotFound => anyhow::anyhow!("tenant {id} was removed in the meantime"),
            error => anyhow::Error::new(error).context("the change is not complete; make it again"),
        })?;
        session.output.show(&TenantListItem::from(changed), |tenant| {
            format!("{done} tenant {}, \"{}\".", tenant.service_tenant_id, tenant.name)
        })
    }
}

/// The tenant that a text names.
pub(crate) async fn find(organization: &Organization, reference: &str) -> anyhow::Result<TenantRecord> {
    let tenant = organization.find_tenant(reference).await.context("the tenant cannot be looked up")?;
    tenant.with_context(|| format!("the organization has no tenant {reference}; `posture tenant list` lists them"))
}

/// All tenants that are not removed.
pub(crate) async fn all(organization: &Organization) -> anyhow::Result<Vec<TenantRecord>> {
    organization.tenants().try_concat().await.context("the tenants cannot be listed")
}

/// Adds a tenant.
pub(crate) async fn add(
    organization: &Organization,
    name: String,
    provider_tenant_id: ProviderTenantId,
    onboarding_date: Timestamp,
) -> anyhow::Result<TenantRecord> {
    let tenant = TenantRecord {
        service_tenant_id: ServiceTenantId::generate(onboarding_date),
        name,
        provider_tenant_id,
        is_paused: false,
        onboarding_date,
        service: Service::default(),
        latest: None,
        version: 0,
    };
    organization.add_tenant(&tenant).await.map_err(|error| match error {
        TenantError::Exists => anyhow::anyhow!("{error}; `posture tenant list` lists them"),
        error => anyhow::Error::new(error).context("the tenant is not added"),
    })?;
    Ok(tenant)
}

fn list(tenants: &[TenantListItem]) -> String {
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
