//! Billable users of a tenant.

use axum::response::Response;
use futures_util::TryStreamExt;
use model::{BillableUser, ServiceTenantId, TenantListItem, Timestamp};
use store::TenantRecord;
use web::failure::Failure;
use web::input::Named;
use web::session::Viewer;
use web::{Dashboard, respond};

use super::tenants;
use crate::view::billable_users::{self, Choice, Page};
use crate::view::csv;

pub(crate) async fn choose(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let tenants: Vec<_> = tenants.into_iter().map(TenantListItem::from).collect();
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(billable_users::choice(&Choice { shell: &shell, tenants: &tenants })))
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let (tenant, recorded) = recorded(&viewer, &tenant).await?;
    let shell = viewer.shell(&dashboard).await?;
    let recorded = recorded.as_ref().map(|(at, users)| (*at, &**users));
    Ok(respond::page(billable_users::page(&Page { shell: &shell, tenant: &tenant, recorded })))
}

pub(crate) async fn download(viewer: Viewer, Named(tenant): Named<ServiceTenantId>) -> Result<Response, Failure> {
    let users = recorded(&viewer, &tenant).await?.1.map(|(_, users)| users).unwrap_or_default();
    Ok(respond::csv("billable-users.csv", csv::billable_users(&users)))
}

/// Returns a tenant of the organization, and its users with the time of their recording, if they were ever recorded.
async fn recorded(
    viewer: &Viewer,
    tenant: &ServiceTenantId,
) -> Result<(TenantRecord, Option<(Timestamp, Vec<BillableUser>)>), Failure> {
    let tenant = tenants::find(&viewer.organization, tenant).await?;
    let recorded = match viewer.organization.billable_users(&tenant.service_tenant_id).await? {
        Some(recorded) => Some((recorded.generated_at, recorded.read(&tenant).await?)),
        None => None,
    };
    Ok((tenant, recorded))
}
