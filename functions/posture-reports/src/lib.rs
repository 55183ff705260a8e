//! `GET /v1/posture-reports`: completed posture reports of the organization's tenants, newest first.

mod parameters;

use api::response::List;
use api::{ApiError, App, Query, Request, Response, TENANT_NOT_FOUND};
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use store::{Organization, StoreError, StoredReport};

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
    let row = move |report| api::reports::row(&app.dashboard_url, report);
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
