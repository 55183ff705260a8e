//! Changes a control for one tenant, or for many.

use anyhow::Context;
use clap::{ArgGroup, Args};
use futures_util::TryStreamExt;
use model::{ControlId, Label, ReportId, ServiceTenantId, counted};
use serde::Serialize;
use store::{Organization, ReportSummary, TenantRecord};

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::output::{Column, table};

/// A control of tenants.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("tenants").args(["tenant", "label", "all"]).required(true))]
pub(super) struct Controls {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name
    #[arg(long, value_name = "TENANT")]
    tenant: Option<String>,
    /// All tenants with this label
    #[arg(long, value_name = "LABEL")]
    label: Option<Label>,
    /// All tenants of the organization
    #[arg(long)]
    all: bool,
    /// The control
    #[arg(long, value_name = "CONTROL_ID")]
    control: ControlId,
}

/// The tool of a control.
#[derive(Debug, Default, Args)]
pub(super) struct OfTool {
    /// The tool whose newest report has the control, such as ScubaGear; without it, the first tool that has it
    #[arg(long = "tool", value_name = "TOOL")]
    name: Option<String>,
}

/// The control for one of the tenants.
pub(super) struct OfTenant<'a> {
    /// The tenant.
    pub(super) tenant: &'a TenantRecord,
    /// The newest reports of its tools that may be meant.
    pub(super) newest: Vec<&'a ReportSummary>,
    /// The control.
    pub(super) control: &'a str,
}

/// A tenant as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    /// The report whose control was changed; `None` if none was.
    report_id: Option<ReportId>,
    /// The reason why it was not changed.
    reason: Option<String>,
}

impl Controls {
    /// Changes the control of a tool for each tenant, and shows the result. `change` returns the report that was changed. An
    /// error of which `is_of_tenant` is true does not stop the change for others. `done` says what was done for so many
    /// tenants; `failed`, that it was not.
    pub(super) async fn change<E: std::error::Error + Send + Sync + 'static>(
        self,
        OfTool { name: tool }: OfTool,
        session: &Session,
        change: impl AsyncFn(&Organization, OfTenant<'_>) -> Result<Option<ReportId>, E>,
        is_of_tenant: impl Fn(&E) -> bool,
        (done, failed): (impl Fn(&str) -> String, &'static str),
    ) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let tenants = self.tenants(&organization).await.context("nothing was changed")?;
        let newest = organization.newest_of_tools().await.context("nothing was changed")?;
        let mut changed = Vec::new();
        for tenant in tenants {
            let own = newest.iter().filter(|report| {
                report.service_tenant_id == tenant.service_tenant_id
                    && tool.as_ref().is_none_or(|tool| report.tool.eq_ignore_ascii_case(tool))
            });
            let of = OfTenant { tenant: &tenant, newest: own.collect(), control: self.control.as_str() };
            let (report_id, reason) = match change(&organization, of).await {
                Ok(report) => (report, None),
                // Of many tenants, some do not have the control as the change needs it.
                Err(error) if self.tenant.is_none() && is_of_tenant(&error) => (None, Some(error.to_string())),
                Err(error) => return Err(error).context(failed),
            };
            let TenantRecord { service_tenant_id, name: tenant_name, .. } = tenant;
            changed.push(Changed { service_tenant_id, tenant_name, report_id, reason });
        }
        session.output.show(&changed, |changed| readable(changed, done))?;
        Ok(Exit::Done)
    }

    async fn tenants(&self, organization: &Organization) -> anyhow::Result<Vec<TenantRecord>> {
        if let Some(reference) = &self.tenant {
            return Ok(vec![lookup::tenant(organization, reference).await?]);
        }
        let tenants: Vec<_> = organization.tenants().try_concat().await?;
        let has_label = |tenant: &TenantRecord| self.label.as_ref().is_none_or(|label| tenant.labels.contains(label));
        Ok(tenants.into_iter().filter(has_label).collect())
    }
}

fn readable(changed: &[Changed], done: impl Fn(&str) -> String) -> String {
    let count = changed.iter().filter(|tenant| tenant.reason.is_none()).count();
    let of = format!("{} of {}", count, counted(changed.len(), "tenant"));
    let row = |tenant: &Changed| {
        let result = tenant.report_id.as_ref().map(ToString::to_string).or_else(|| tenant.reason.clone());
        vec![tenant.tenant_name.clone(), result.unwrap_or_default()]
    };
    format!("{}\n\n{}", done(&of), table(&["TENANT", "REPORT"].map(Column::text), changed.iter().map(row)))
}
