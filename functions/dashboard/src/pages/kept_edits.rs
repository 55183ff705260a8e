//! The kept edits of a tenant.

use axum::response::Response;
use model::{ControlId, ServiceTenantId};
use serde::Deserialize;
use store::KeptEditError;
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::{Dashboard, respond};

use super::tenants;
use crate::view::{self, link};

#[derive(Deserialize)]
pub(crate) struct OfControl {
    control: ControlId,
}

pub(crate) async fn list(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let name = tenants::find(&viewer.organization, &tenant).await?.name;
    let kept = viewer.organization.kept_edits(&tenant).await?;
    let shell = viewer.shell(&dashboard).await?;
    let page = view::kept_edits::Page { shell: &shell, tenant: &tenant, name: &name, kept: &kept };
    Ok(respond::page(view::kept_edits::page(&page)))
}

pub(crate) async fn end(
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(OfControl { control }): Fields<OfControl>,
) -> Result<Response, Failure> {
    match viewer.writer().end_kept_edit(&tenant, &control).await {
        Ok(()) => Ok(respond::see(&link::kept_edits(&tenant))),
        Err(KeptEditError::NotFound(_)) => Err(Failure::NotFound),
        Err(KeptEditError::Store(error)) => Err(error.into()),
    }
}
