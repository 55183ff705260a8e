//! `GET /v1/usage`: usage of the organization's tenants on a day.

use api::query::{Described, Parameter, PastDate};
use api::response::{List, Row};
use api::{ApiError, App, Query, Request, Response};
use futures_util::TryStreamExt;

const AS_OF: Parameter<PastDate> = Parameter {
    name: "asOf",
    description: "Day (UTC) to return usage for, not after today. The default is today.",
    kind: PastDate,
};
/// Every query parameter.
pub const PARAMETERS: [&dyn Described; 1] = [&AS_OF];

const NONE_THEN: ApiError = ApiError::NotFound(
    "No usage is recorded for this date or any before it. Ask for a later date, or the operator to record usage.",
);
const NONE_YET: ApiError = ApiError::NotFound("No usage is recorded yet. Ask the operator to record it.");

/// Returns the newest usage recorded at or before the day.
///
/// # Errors
/// 400 for a bad or future date or an unknown parameter, 404 if nothing was recorded until then, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let today = (app.clock)().date_naive();
    let until = Query::of(&request, &PARAMETERS)?.past_date(&AS_OF, today)?;
    let Some(usage) = organization.usage(until).await? else {
        return Err(if organization.usage(today).await?.is_some() { NONE_THEN } else { NONE_YET });
    };
    let name = organization.name().await?;
    let head = usage.head(name);
    let tag = app.tag("usage", organization.id()).with(&head.organization_name);
    let tag = tag.with(usage.recording).with(usage.version);
    if let Some(response) = tag.not_modified(&request) {
        return Ok(response);
    }
    let rows = usage.tenants.map_ok(|page| page.iter().map(Row::element).collect());
    api::list(&request, &tag, List::after(&head, "tenants", "totalTenants", rows)).await
}
