//! `GET /v1/tenants`: the organization's tenants, paused ones included, removed ones not.

use futures_util::TryStreamExt;
use shared::http::{self, ApiError, App, Request, Response};
use shared::model::TenantListItem;
use shared::response::{List, Row};

/// Answers with all tenants.
///
/// # Errors
/// 5xx where the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&http::caller(&request)?);
    let row = |tenant| Row::element(&TenantListItem::from(tenant));
    let rows = organization.tenants().map_ok(move |page| page.into_iter().map(row).collect());
    http::list(&request, List::new("tenants", "totalTenants", rows)).await
}
