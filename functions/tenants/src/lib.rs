//! `GET /v1/tenants`: the organization's tenants, including paused ones but not removed ones.

use api::response::{List, Row};
use api::{ApiError, App, Query, Request, Response};
use futures_util::TryStreamExt;
use model::TenantListItem;

/// Returns all tenants.
///
/// # Errors
/// 400 for any parameter, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    Query::of(&request, &[])?;
    // Read before the list: a change in between gives the next response another tag.
    let tag = app.tag("tenants", organization.id()).with(organization.tenants_state().await?);
    if let Some(response) = tag.not_modified(&request) {
        return Ok(response);
    }
    let row = |tenant| Row::element(&TenantListItem::from(tenant));
    let rows = organization.tenants().map_ok(move |page| page.into_iter().map(row).collect());
    api::list(&request, &tag, List::new("tenants", "totalTenants", rows)).await
}
