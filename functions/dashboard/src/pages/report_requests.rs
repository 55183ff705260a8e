//! Requests for reports, which the service makes itself.

use axum::Extension;
use axum::response::Response;
use model::{FormId, ServiceTenantId};
use operations::requests::{Queue, request};
use serde::Deserialize;
use web::failure::Failure;
use web::input::{Fields, Named};
use web::respond;
use web::session::Viewer;

use super::tenants;
use crate::connect::Configured;
use crate::view::link;

#[derive(Deserialize)]
pub(crate) struct NewRequest {
    form: FormId,
}

pub(crate) async fn add(
    Extension(queue): Extension<Queue>,
    Extension(configured): Extension<Configured>,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(NewRequest { form }): Fields<NewRequest>,
) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?;
    let connection = viewer.organization.connection(&tenant.service_tenant_id).await?;
    let is_connected = connection.is_some_and(|connection| connection.is_of(&tenant.provider_tenant_id));
    if configured.is_required() && !is_connected {
        return Ok(respond::see(&link::connection(&tenant.service_tenant_id)));
    }
    let tenant = tenant.service_tenant_id;
    request(&viewer.writer().once(form), &tenant, &queue, viewer.now).await?;
    // Without a fragment, with which a browser would not load the page again.
    Ok(respond::see(&link::tenant(&tenant)))
}
