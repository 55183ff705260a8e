//! `GET /v1/tenants`: the organization's tenants, paused ones included, removed ones not.

use api::response::{List, Row};
use api::{ApiError, App, Request, Response};
use futures_util::TryStreamExt;
use model::TenantListItem;

/// Answers with all tenants.
///
/// # Errors
/// 5xx where the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let row = |tenant| Row::element(&TenantListItem::from(tenant));
    let rows = organization.tenants().map_ok(move |page| page.into_iter().map(row).collect());
    api::list(&request, List::new("tenants", "totalTenants", rows)).await
}
