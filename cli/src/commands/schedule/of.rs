//! Whose schedule a command changes.

use anyhow::Context;
use clap::Args;
use model::{OrganizationId, Schedule, ServiceTenantId};
use serde::Serialize;

use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::lookup;

#[derive(Debug, Args)]
pub(crate) struct Of {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name, instead of all of the organization
    #[arg(long)]
    tenant: Option<String>,
}

/// A changed schedule as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    organization_id: OrganizationId,
    /// `None` for that of the organization.
    service_tenant_id: Option<ServiceTenantId>,
    #[serde(skip)]
    tenant_name: Option<String>,
    schedule: Option<Schedule>,
}

impl Of {
    /// Sets or removes the schedule, and shows it.
    pub(super) async fn change(&self, session: &Session, schedule: Option<Schedule>) -> anyhow::Result<Exit> {
        const NOT_CHANGED: &str = "the schedule was not changed";
        let organization = session.organization(&self.organization.id).await?;
        let writer = by_operator(&organization);
        let tenant = match &self.tenant {
            Some(reference) => {
                let tenant = lookup::tenant(&organization, reference).await.context(NOT_CHANGED)?;
                Some(writer.schedule_tenant(&tenant.service_tenant_id, schedule).await.context(NOT_CHANGED)?)
            }
            None => {
                writer.set_schedule(schedule).await.context(NOT_CHANGED)?;
                None
            }
        };
        let (service_tenant_id, tenant_name) = tenant.map(|tenant| (tenant.service_tenant_id, tenant.name)).unzip();
        let organization_id = organization.id().clone();
        let changed = Changed { organization_id, service_tenant_id, tenant_name, schedule };
        session.output.show(&changed, readable)?;
        Ok(Exit::Done)
    }
}

fn readable(changed: &Changed) -> String {
    let of = match &changed.tenant_name {
        Some(name) => format!("Reports of \"{}\" are due", crate::output::plain(name)),
        None => format!("Reports of the tenants of {} are due", changed.organization_id),
    };
    match (&changed.schedule, &changed.service_tenant_id) {
        (Some(schedule), _) => format!("{of}: {schedule}."),
        (None, Some(_)) => format!("{of} as the organization's schedule says."),
        (None, None) => format!("{of} only where a tenant has a schedule of its own."),
    }
}
