//! `GET /v1/posture-reports`: completed posture reports of the organization's tenants, newest first.

use api::reports::{Parameters, row};
use api::response::List;
use api::{ApiError, App, Request, Response};
use futures_util::TryStreamExt;
use store::StoredReport;

/// Returns the reports that the parameters select.
///
/// # Errors
/// 400 for a bad parameter, 404 for a tenant that is not in the organization, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let asked = Parameters::of(&request, organization.id())?;
    let selected = asked.select(&organization).await?;
    let tag = app.tag("posture-reports", organization.id()).with(&asked).with(selected.state().await?);
    if let Some(response) = tag.not_modified(&request) {
        return Ok(response);
    }
    let next = selected.next();
    let row = move |report: StoredReport| row(&app.dashboard_url, report);
    let rows = selected.reports().map_ok(move |batch| batch.into_iter().map(&row).collect());
    let list = List::new("reports", "totalReports", rows).paged(move || asked.cursor_of(&next));
    api::list(&request, &tag, list).await
}
