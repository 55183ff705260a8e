//! Shared by the endpoints of reports: parameters, pages of lists, and reports as sent.

mod cursor;
mod parameters;

use model::{PostureReportSummary, ReportHead, ReportTenant};
use serde::Serialize;
use store::{CorruptFragment, ListedReport, NextPage, ReportSummary, StoredReport};

pub use parameters::{PARAMETERS, Parameters};

use crate::response::Row;

/// The fields after the number of reports in a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListEnd {
    /// Position at which the next page begins; null if there are no more reports.
    next_cursor: Option<String>,
}

impl ListEnd {
    /// Returns the end of a list of reports that has been read, from which a request with the same parameters can
    /// continue.
    pub fn of(next: &NextPage, asked: &Parameters) -> Self {
        Self { next_cursor: next.position().map(|position| asked.scope().write(position)) }
    }
}

/// Returns a report as an element of a list.
pub fn row(dashboard_url: &str, report: StoredReport) -> Row {
    Row::continued(&head(dashboard_url, &report), report.tail)
}

/// Returns one report as JSON, byte for byte as in a response.
///
/// # Errors
/// If the stored bytes are damaged.
pub fn json(dashboard_url: &str, report: StoredReport) -> Result<Vec<u8>, CorruptFragment> {
    let row = row(dashboard_url, report);
    let mut json = row.text.into_bytes();
    if let Some(fragment) = row.fragment {
        json.extend(fragment.inflate()?);
    }
    Ok(json)
}

/// Returns a report without its checks, risks and administrators.
pub fn summary(dashboard_url: &str, ListedReport { tenant_name, summary }: ListedReport) -> PostureReportSummary {
    PostureReportSummary {
        head: head_of(dashboard_url, &summary, tenant_name),
        figures: summary.figures,
        updated_at: summary.updated_at,
    }
}

/// Returns the part of a report that is written anew for every response.
pub fn head(dashboard_url: &str, report: &StoredReport) -> ReportHead {
    head_of(dashboard_url, &report.summary, report.tenant_name.clone())
}

fn head_of(dashboard_url: &str, report: &ReportSummary, tenant_name: String) -> ReportHead {
    let (tenant, id) = (&report.service_tenant_id, &report.report_id);
    ReportHead {
        url: format!("{dashboard_url}/tenants/{tenant}/reports/{id}"),
        id: id.clone(),
        tenant: ReportTenant {
            service_tenant_id: tenant.clone(),
            name: tenant_name,
            provider_tenant_id: report.provider_tenant_id.clone(),
        },
    }
}
