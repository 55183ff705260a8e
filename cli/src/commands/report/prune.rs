//! `posture report prune`.

use anyhow::Context;
use clap::Args;
use futures_util::TryStreamExt;
use model::{Timestamp, counted};
use operations::retention::{self, Retention};
use serde::Serialize;
use store::{ListedReport, Organization, TenantRecord};

use super::listed::{Listed, listing};
use crate::arguments::{OfOrganization, now};
use crate::confirmation::Confirmation;
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::progress::Count;
use crate::run::Run;

pub(crate) const HELP: &str = "\
Keeps every report of this month and of the months before it, then the last one of each month, tenant and tool. Baselines, \
edited reports, the newest of each tool and reports that another one compares with are always kept. If it is interrupted, \
run it again. The deployment's parameter KeepReportsMonths does the same with every import.";

#[derive(Debug, Args)]
pub(crate) struct Prune {
    #[command(flatten)]
    organization: OfOrganization,
    /// Number of months before this one of which every report is kept
    #[arg(long, value_name = "MONTHS", value_parser = clap::value_parser!(u32).range(1..))]
    keep_months: u32,
    /// Only reports of this tenant, by its identifier, its provider identifier or its name
    #[arg(long)]
    tenant: Option<String>,
    /// Show the reports without deleting them
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    #[command(flatten)]
    confirmation: Confirmation,
}

/// The reports that are no longer kept.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pruned {
    deleted: usize,
    reports: Vec<Listed>,
}

impl Run for Prune {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        if !self.dry_run {
            self.confirmation.required()?;
        }
        let organization = session.organization(&self.organization.id).await?;
        let now = now();
        let outdated = self.outdated(&organization, now).await.context("the reports cannot be listed")?;
        let mut deleted = 0;
        if !self.dry_run && !outdated.is_empty() {
            self.confirmation.ask(&format!("Delete {}?", counted(outdated.len(), "report")))?;
            let count = Count::new("Deleting reports");
            for report in &outdated {
                let delete = retention::delete(&organization, &report.summary.report_id, now);
                deleted += usize::from(delete.await.context("not all reports were deleted: run the command again")?);
                count.at(deleted);
            }
        }
        let pruned = Pruned { deleted, reports: outdated.into_iter().map(Listed::from).collect() };
        session.output.show(&pruned, |pruned| readable(pruned, self.dry_run))?;
        Ok(Exit::Done)
    }
}

impl Prune {
    async fn outdated(&self, organization: &Organization, now: Timestamp) -> anyhow::Result<Vec<ListedReport>> {
        let tenants: Vec<TenantRecord> = match &self.tenant {
            Some(reference) => vec![lookup::tenant(organization, reference).await?],
            None => organization.tenants().try_concat().await?,
        };
        let keeps: Retention = self.keep_months.to_string().parse()?;
        let mut outdated = Vec::new();
        for tenant in tenants {
            let tenant_name = tenant.name.clone();
            let of_tenant = retention::outdated(organization, tenant, keeps, now).await?;
            let listed = |summary| ListedReport { tenant_name: tenant_name.clone(), summary };
            outdated.extend(of_tenant.into_iter().map(listed));
        }
        Ok(outdated)
    }
}

fn readable(Pruned { deleted, reports }: &Pruned, is_dry_run: bool) -> String {
    match (reports.as_slice(), is_dry_run) {
        ([], _) => "Every report is kept.".to_owned(),
        (reports, true) => format!("{}\n{} would be deleted.", listing(reports), counted(reports.len(), "report")),
        (_, false) => format!("Deleted {}.", counted(*deleted, "report")),
    }
}
