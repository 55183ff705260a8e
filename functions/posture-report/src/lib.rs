//! `GET /v1/posture-reports/{reportId}`: one completed posture report.

use api::reports::row;
use api::{ApiError, App, Query, Request, Response};
use lambda_http::RequestExt;
use lambda_http::http::header::IF_NONE_MATCH;
use model::ReportId;
use store::ReportSummary;

/// Name of the path parameter.
const REPORT_ID: &str = "reportId";

const NO_REPORT: ApiError = ApiError::NotFound(
    "The organization has no report with this id, or its tenant is removed. GET /v1/report-summaries lists its reports.",
);

/// Returns the report.
///
/// # Errors
/// 400 for any query parameter, 404 if the organization has no such report or its tenant is removed, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    Query::of(&request, &[])?;
    let parameters = request.path_parameters();
    let id: ReportId = parameters.first(REPORT_ID).and_then(|id| id.parse().ok()).ok_or(NO_REPORT)?;
    let tag = |report: &ReportSummary, tenant_name: &str| {
        app.tag("posture-report", organization.id()).with(report.state()).with(tenant_name)
    };
    // A client that has a report may have this one; then its body need not be read.
    if request.headers().contains_key(IF_NONE_MATCH) {
        let listed = organization.listed_report(&id).await?.ok_or(NO_REPORT)?;
        if let Some(response) = tag(&listed.summary, &listed.tenant_name).not_modified(&request) {
            return Ok(response);
        }
    }
    let report = organization.report(&id).await?.ok_or(NO_REPORT)?;
    let tag = tag(&report.summary, &report.tenant_name);
    api::one(&request, &tag, row(&app.dashboard_url, report))
}
