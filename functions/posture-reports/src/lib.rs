//! `GET /v1/posture-reports`: completed posture reports of the organization's tenants, newest first.

mod parameters;

use api::response::{List, Row};
use api::{ApiError, App, Query, Request, Response, TENANT_NOT_FOUND};
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use model::{ReportHead, ReportTenant};
use store::{CorruptFragment, Organization, StoreError, StoredReport};

pub use parameters::PARAMETERS;
use parameters::Parameters;

/// Answers with the reports that the parameters select.
///
/// # Errors
/// 400 for a bad parameter, 404 for a tenant that is not in the organization, 5xx where the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let parameters = Parameters::of(&Query::of(&request))?;
    let reports = select(&organization, parameters).await?;
    let row = move |report: StoredReport| Row::continued(&head(&app.dashboard_url, &report), report.tail);
    let rows = reports.map_ok(move |batch| batch.into_iter().map(&row).collect());
    api::list(&request, List::new("reports", "totalReports", rows)).await
}

type Reports = BoxStream<'static, Result<Vec<StoredReport>, StoreError>>;

async fn select(organization: &Organization, parameters: Parameters) -> Result<Reports, ApiError> {
    let Parameters { tenant, latest_only, since, limit } = parameters;
    let Some(reference) = tenant else {
        return Ok(match latest_only {
            true => organization.latest_reports(since, limit),
            false => organization.report_history(since, limit),
        });
    };
    let tenant = organization.find_tenant(&reference).await?.ok_or(TENANT_NOT_FOUND)?;
    Ok(match latest_only {
        true => organization.latest_report_of(&tenant, since),
        false => organization.reports_of(&tenant, since, limit),
    })
}

/// Returns one report as JSON, byte for byte as it is in an answer.
///
/// # Errors
/// If the stored bytes are damaged.
pub fn json(dashboard_url: &str, report: StoredReport) -> Result<Vec<u8>, CorruptFragment> {
    let row = Row::continued(&head(dashboard_url, &report), report.tail);
    let mut json = row.text.into_bytes();
    if let Some(fragment) = row.fragment {
        json.extend(fragment.inflate()?);
    }
    Ok(json)
}

/// The part of a report that is written anew for every answer.
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
