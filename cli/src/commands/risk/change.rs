//! Accepts or ends the risk of a control, for one tenant or for many.

use anyhow::Context;
use clap::{ArgGroup, Args};
use futures_util::TryStreamExt;
use model::{AcceptedRisk, Actor, ControlId, Label, ReportId, ServiceTenantId, counted};
use operations::edits::{NewestError, Refusal};
use operations::risks;
use serde::Serialize;
use store::{EditedReport, Organization, TenantRecord};

use crate::arguments::{OfOrganization, now};
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
    /// The tool whose newest report has the control, such as ScubaGear; without it, the first tool that has it
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
}

/// A tenant as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    /// The report that was edited; `None` if none was.
    report_id: Option<ReportId>,
    /// Why none was.
    reason: Option<String>,
}

impl Controls {
    /// Accepts the risk, or ends it, and shows what became of each tenant.
    pub(super) async fn change(self, session: &Session, risk: Option<AcceptedRisk>) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let tenants = self.tenants(&organization).await.context("nothing was changed")?;
        let newest = organization.newest_of_tools().await.context("nothing was changed")?;
        let mut changed = Vec::new();
        for tenant in tenants {
            let own = newest.iter().filter(|report| {
                report.service_tenant_id == tenant.service_tenant_id
                    && self.tool.as_ref().is_none_or(|tool| report.tool.eq_ignore_ascii_case(tool))
            });
            let control = self.control.as_str();
            let edited = risks::accept(&organization, &Actor::operator(), own, control, risk.clone(), now()).await;
            let edited = match edited {
                Ok(edited) => Ok(edited),
                // Of many tenants, some do not have the risk.
                Err(error) if self.tenant.is_none() && is_of_tenant(&error) => Err(error.to_string()),
                Err(error) => return Err(error).context("the risk was not changed"),
            };
            changed.push(Changed::of(tenant, edited));
        }
        session.output.show(&changed, |changed| readable(changed, risk.as_ref()))?;
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

/// Returns whether another tenant may have the risk.
fn is_of_tenant(error: &NewestError) -> bool {
    use Refusal::{NoSuchControl, NotAccepted, NothingToAccept};
    matches!(error, NewestError::NoReport | NewestError::Refused(NoSuchControl(_) | NothingToAccept | NotAccepted))
}

impl Changed {
    fn of(tenant: TenantRecord, edited: Result<EditedReport, String>) -> Self {
        let (report_id, reason) = match edited {
            Ok(edited) => (Some(edited.report.summary.report_id), None),
            Err(reason) => (None, Some(reason)),
        };
        Self { service_tenant_id: tenant.service_tenant_id, tenant_name: tenant.name, report_id, reason }
    }
}

fn readable(changed: &[Changed], risk: Option<&AcceptedRisk>) -> String {
    let done = changed.iter().filter(|tenant| tenant.report_id.is_some()).count();
    let of = format!("{} of {}", done, counted(changed.len(), "tenant"));
    let summary = match risk {
        Some(risk) => format!("The risk is accepted until {} for {of}.", risk.until),
        None => format!("The accepted risk has ended for {of}."),
    };
    let row = |tenant: &Changed| {
        let result = tenant.report_id.as_ref().map(ToString::to_string).or_else(|| tenant.reason.clone());
        vec![tenant.tenant_name.clone(), result.unwrap_or_default()]
    };
    format!("{summary}\n\n{}", table(&["TENANT", "REPORT"].map(Column::text), changed.iter().map(row)))
}
