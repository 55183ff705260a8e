//! Billable users of a tenant.

use axum::response::Response;
use futures_util::TryStreamExt;
use model::{BillableUser, BillableUsersHead, ServiceTenantId, TenantListItem};
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
    let (head, users) = recorded(&viewer, &tenant).await?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(billable_users::page(&Page { shell: &shell, head: &head, users: &users })))
}

pub(crate) async fn download(viewer: Viewer, Named(tenant): Named<ServiceTenantId>) -> Result<Response, Failure> {
    let (_, users) = recorded(&viewer, &tenant).await?;
    Ok(respond::csv("billable-users.csv", csv::billable_users(&users)))
}

/// The users recorded for a tenant of the organization; none before the first recording.
async fn recorded(
    viewer: &Viewer,
    tenant: &ServiceTenantId,
) -> Result<(BillableUsersHead, Vec<BillableUser>), Failure> {
    let tenant = tenants::find(&viewer.organization, tenant).await?;
    let recorded = viewer.organization.billable_users(&tenant.service_tenant_id).await?;
    let generated_at = recorded.as_ref().map_or(viewer.now, |recorded| recorded.generated_at);
    let mut users = Vec::new();
    if let Some(recorded) = recorded {
        for chunk in recorded.billed(&tenant).try_concat().await? {
            users.extend(chunk.open()?);
        }
    }
    let head = BillableUsersHead {
        tenant_id: tenant.service_tenant_id,
        tenant_display_name: tenant.name,
        microsoft_tenant_id: tenant.provider_tenant_id.clone(),
        provider_tenant_id: tenant.provider_tenant_id,
        report_generated_at: generated_at,
    };
    Ok((head, users))
}
