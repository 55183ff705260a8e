//! `posture report list`.

use anyhow::Context;
use clap::Args;
use futures_util::TryStreamExt;
use model::{Grade, ReportId, ReportType, ServiceTenantId, Timestamp};
use serde::Serialize;
use store::{ListedReport, ReportSummary};

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table, wire_name};
use crate::tenant;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
    /// Of this tenant only, by its service identifier or its provider identifier
    #[arg(long)]
    tenant: Option<String>,
    /// Most reports that are listed
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

/// A report as it is listed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    report_id: ReportId,
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    completed_at: Timestamp,
    report_type: ReportType,
    tool: String,
    score: u8,
    grade: Grade,
}

impl From<ListedReport> for Listed {
    fn from(ListedReport { tenant_name, summary }: ListedReport) -> Self {
        let ReportSummary { report_id, service_tenant_id, completed_at, report_type, tool, score, grade, .. } = summary;
        Self { report_id, service_tenant_id, tenant_name, completed_at, report_type, tool, score, grade }
    }
}

impl List {
    pub(super) async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let limit = usize::try_from(self.limit)?;
        let pages = match &self.tenant {
            Some(reference) => {
                let tenant = tenant::find(&organization, reference).await?;
                organization.summaries_of(&tenant, None, limit)
            }
            None => organization.history_summaries(None, limit),
        };
        let pages = pages.map_ok(|page| page.into_iter().map(Listed::from).collect::<Vec<_>>());
        let listed = pages.try_concat().await.context("the reports cannot be listed")?;
        session.output.show(&listed, |listed| list(listed))?;
        Ok(Exit::Done)
    }
}

fn list(reports: &[Listed]) -> String {
    if reports.is_empty() {
        return "There are no reports; `posture report import` makes them.".to_owned();
    }
    let row = |report: &Listed| {
        vec![
            report.report_id.to_string(),
            report.tenant_name.clone(),
            report.completed_at.to_string(),
            wire_name(&report.report_type),
            report.tool.clone(),
            report.score.to_string(),
            wire_name(&report.grade),
        ]
    };
    let columns = [
        Column::text("REPORT"),
        Column::text("TENANT"),
        Column::text("COMPLETED"),
        Column::text("TYPE"),
        Column::text("TOOL"),
        Column::number("SCORE"),
        Column::text("GRADE"),
    ];
    table(&columns, reports.iter().map(row))
}
