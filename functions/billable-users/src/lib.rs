//! `GET /beta/billable-users`: the billable users of one tenant.

use api::query::{Described, Parameter, RequiredText};
use api::response::{List, Row};
use api::{ApiError, App, Query, Request, Response, TENANT_NOT_FOUND};
use futures_util::TryStreamExt;
use store::UsersChunk;

const TENANT_ID: Parameter<RequiredText> = Parameter {
    name: "tenantId",
    description: "The tenant, by its service or its provider identifier.",
    kind: RequiredText,
};
/// Every query parameter.
pub const PARAMETERS: [&dyn Described; 1] = [&TENANT_ID];

const NO_USERS: ApiError =
    ApiError::NotFound("No billable users are recorded for this tenant yet. Ask the operator to record them.");

/// Returns the users recorded for the tenant; a paused tenant has none.
///
/// # Errors
/// 400 if the tenant is not named or a parameter is unknown, 404 if it is not in the organization or nothing was recorded for it, 5xx if the
/// store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let query = Query::of(&request, &PARAMETERS)?;
    let tenant = organization.find_tenant(query.required(&TENANT_ID)?).await?.ok_or(TENANT_NOT_FOUND)?;
    let recorded = organization.billable_users(&tenant.service_tenant_id).await?.ok_or(NO_USERS)?;
    let tag = app
        .tag("billable-users", organization.id())
        .with(&tenant.service_tenant_id)
        .with(&tenant.name)
        .with(tenant.is_paused)
        .with(&recorded.recording);
    if let Some(response) = tag.not_modified(&request) {
        return Ok(response);
    }
    let head = recorded.head(&tenant);
    let row = |UsersChunk { users, fragment }| Row::stored(users, fragment);
    let rows = recorded.billed(&tenant).map_ok(move |chunks| chunks.into_iter().map(row).collect());
    api::list(&request, &tag, List::after(&head, "users", "totalBillableUsers", rows)).await
}
