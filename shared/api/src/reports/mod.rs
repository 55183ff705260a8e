//! Shared by the endpoints of reports: parameters, pages of lists, and reports as sent.

mod cursor;
mod parameters;

use model::{PostureReportSummary, ReportHead, ReportTenant};
use store::{CorruptFragment, ListedReport, ReportSummary, StoredReport};

pub use parameters::{PARAMETERS, Parameters};

use crate::response::Row;

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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use store::Fragment;

    use super::*;

    #[test]
    fn a_single_report_has_the_text_of_a_response() {
        let summary = json!({
            "reportId": "rpt_1", "serviceTenantId": "ten_1",
            "providerTenantId": "01234567-89ab-cdef-0123-456789abcdef", "tool": "ScubaGear", "reportType": "BASELINE",
            "createdAt": "2026-07-01T07:00:00Z", "completedAt": "2026-07-01T08:00:00Z", "activityLookbackDays": 30,
            "score": 87, "grade": "B", "updatedAt": "2026-07-01T08:00:00Z", "revision": 0, "controls": {
                "assessed": 0, "secure": 0, "fixed": 0, "inProgress": 0, "open": 0, "drifted": 0, "notAssessed": 0,
            },
        });
        let report = StoredReport {
            summary: serde_json::from_value(summary).unwrap(),
            tenant_name: "Contoso".to_owned(),
            revisions: Default::default(),
            edits: Vec::new(),
            content: None,
            tail: Fragment::stored(br#""score":87}"#),
        };
        assert_eq!(
            String::from_utf8(json("https://example.com", report).unwrap()).unwrap(),
            r#"{"id":"rpt_1","url":"https://example.com/tenants/ten_1/reports/rpt_1","tenant":{"serviceTenantId":"ten_1","name":"Contoso","providerTenantId":"01234567-89ab-cdef-0123-456789abcdef"},"score":87}"#
        );
    }
}
