//! Whose schedule a command changes.

use anyhow::Context;
use clap::Args;
use model::{Label, OrganizationId, Schedule, ServiceTenantId};
use serde::Serialize;

use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::lookup;
use crate::output::plain;

#[derive(Debug, Args)]
pub(crate) struct Of {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name, instead of all of the organization
    #[arg(long)]
    tenant: Option<String>,
    /// The tenants with this label, instead of all of the organization
    #[arg(long, conflicts_with = "tenant")]
    label: Option<Label>,
}

/// A changed schedule as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    organization_id: OrganizationId,
    /// `None` for that of a label or the organization.
    service_tenant_id: Option<ServiceTenantId>,
    #[serde(skip)]
    tenant_name: Option<String>,
    /// `None` for that of a tenant or the organization.
    label: Option<Label>,
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
                writer.set_schedule(self.label.as_ref(), schedule).await.context(NOT_CHANGED)?;
                None
            }
        };
        let (service_tenant_id, tenant_name) = tenant.map(|tenant| (tenant.service_tenant_id, tenant.name)).unzip();
        let organization_id = organization.id().clone();
        let changed = Changed { organization_id, service_tenant_id, tenant_name, label: self.label.clone(), schedule };
        session.output.show(&changed, readable)?;
        Ok(Exit::Done)
    }
}

fn readable(changed: &Changed) -> String {
    let of = match (&changed.tenant_name, &changed.label) {
        (Some(name), _) => format!("\"{}\"", plain(name)),
        (None, Some(label)) => format!("the tenants with the label \"{}\"", plain(label.as_str())),
        (None, None) => format!("the tenants of {}", changed.organization_id),
    };
    let when = match &changed.schedule {
        Some(schedule) => return format!("Reports of {of} are due: {schedule}."),
        None if changed.tenant_name.is_some() => "as the schedule of a label or of the organization says",
        None if changed.label.is_some() => "as another schedule says, or on request",
        None => "only where a tenant or a label has a schedule",
    };
    format!("Reports of {of} are due {when}.")
}
