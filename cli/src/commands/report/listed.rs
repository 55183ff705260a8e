//! Reports in a list.

use model::{Grade, ReportFigures, ReportId, ReportType, ServiceTenantId, Timestamp};
use serde::Serialize;
use store::{ListedReport, ReportSummary};

use crate::output::{Column, table, wire_name};

/// Largest number of reports that are counted.
pub(in crate::commands) const MOST: usize = 1_000_000;

/// A report in a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::commands) struct Listed {
    report_id: ReportId,
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    completed_at: Timestamp,
    report_type: ReportType,
    pub(in crate::commands) tool: String,
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

/// Returns the reports as a table.
pub(in crate::commands) fn listing(reports: &[Listed]) -> String {
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
