//! Requests for reports, which the service makes itself.

use axum::Extension;
use axum::response::Response;
use model::{FormId, ServiceTenantId};
use operations::Queues;
use operations::requests::{RequestError, request};
use serde::Deserialize;
use web::failure::Failure;
use web::input::{Fields, Named};
use web::respond;
use web::session::Viewer;

use super::tenants;
use crate::view::link;

#[derive(Deserialize)]
pub(crate) struct NewRequest {
    form: FormId,
}

pub(crate) async fn add(
    Extension(queues): Extension<Queues>,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(NewRequest { form }): Fields<NewRequest>,
) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?;
    let id = &tenant.service_tenant_id;
    match request(&viewer.writer().once(form), &tenant, &queues.requests, viewer.now).await {
        // Without a fragment, with which a browser would not load the page again.
        Ok(_) => Ok(respond::see(&link::tenant(id))),
        Err(RequestError::NotConnected) => Ok(respond::see(&link::connection(id))),
        Err(error) => Err(error.into()),
    }
}
