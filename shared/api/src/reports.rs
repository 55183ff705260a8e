//! A report as the API returns it.

use model::{ReportHead, ReportTenant};
use store::{CorruptFragment, StoredReport};

use crate::response::Row;

/// Returns the part of a report that is written anew for every answer. `dashboard_url` has no slash at its end.
pub fn head(dashboard_url: &str, report: &StoredReport) -> ReportHead {
    let (tenant, id) = (&report.summary.service_tenant_id, &report.summary.report_id);
    ReportHead {
        url: format!("{dashboard_url}/tenants/{tenant}/reports/{id}"),
        id: id.clone(),
        tenant: ReportTenant {
            service_tenant_id: tenant.clone(),
            name: report.tenant_name.clone(),
            provider_tenant_id: report.summary.provider_tenant_id.clone(),
        },
    }
}

/// Returns a report as a row of an answer.
pub fn row(dashboard_url: &str, report: StoredReport) -> Row {
    Row::continued(&head(dashboard_url, &report), report.tail)
}

/// Returns one report as JSON, byte for byte as it is in an answer.
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
