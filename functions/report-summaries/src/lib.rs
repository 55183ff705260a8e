//! `GET /v1/report-summaries`: posture reports without checks, risks and administrators, newest first.

use api::reports::{Parameters, summary};
use api::response::{List, Row};
use api::{ApiError, App, Request, Response};
use futures_util::stream;
use store::StoreError;

/// Returns the summaries of the reports that the parameters select.
///
/// # Errors
/// 400 for a bad parameter, 404 for a tenant that is not in the organization, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let asked = Parameters::of(&request, organization.id())?;
    let selected = asked.select(&organization).await?;
    let tag = app.tag("report-summaries", organization.id()).with(&asked).with(selected.state().await?);
    if let Some(response) = tag.not_modified(&request) {
        return Ok(response);
    }
    let next = selected.next();
    let listed = selected.listed().await?.into_iter();
    let rows = listed.map(|listed| Row::element(&summary(&app.dashboard_url, listed))).collect();
    let rows = stream::iter([Ok::<_, StoreError>(rows)]);
    let list = List::new("reports", "totalReports", rows).paged(move || asked.cursor_of(&next));
    api::list(&request, &tag, list).await
}
