//! `posture report list`.

use anyhow::Context;
use clap::Args;
use model::{Grade, ReportFigures, ReportId, ReportType, ServiceTenantId, Timestamp};
use serde::Serialize;
use store::{ListedReport, Organization, ReportSummary, Selection};

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::{Exit, print_hint};
use crate::lookup;
use crate::output::{Column, table, wire_name};
use crate::run::Run;

/// Largest number of reports that are counted.
const MOST: usize = 1_000_000;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
    /// Only reports of this tenant, by its service identifier or its provider identifier
    #[arg(long)]
    tenant: Option<String>,
    /// Maximum number of reports to list
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

/// A report in the list.
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
        let ReportSummary { report_id, service_tenant_id, tool, figures, .. } = summary;
        let ReportFigures { completed_at, report_type, score, grade, .. } = figures;
        Self { report_id, service_tenant_id, tenant_name, completed_at, report_type, tool, score, grade }
    }
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let reports = self.reports(&organization).await.context("the reports cannot be listed")?;
        let all = reports.len();
        let limit = usize::try_from(self.limit)?;
        let listed: Vec<_> = reports.into_iter().take(limit).map(Listed::from).collect();
        session.output.show(&listed, |listed| readable(listed))?;
        if all > limit {
            print_hint(&format!("these are {limit} of {all} reports; --limit {all} lists all of them"));
        }
        Ok(Exit::Done)
    }
}

impl List {
    async fn reports(&self, organization: &Organization) -> anyhow::Result<Vec<ListedReport>> {
        let selection = Selection::history(MOST);
        let selection = match &self.tenant {
            Some(reference) => selection.of(lookup::tenant(organization, reference).await?),
            None => selection,
        };
        Ok(organization.select(selection).listed().await?)
    }
}

fn readable(reports: &[Listed]) -> String {
    if reports.is_empty() {
        return "There are no reports; `posture report import` creates them.".to_owned();
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
