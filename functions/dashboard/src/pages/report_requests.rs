//! Requests for reports, which the service makes itself.

use axum::response::Response;
use model::{FormId, ServiceTenantId};
use operations::requests::{RequestError, request};
use serde::Deserialize;

use super::tenants;
use crate::failure::Failure;
use crate::input::{Fields, Named};
use crate::respond;
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view::link;

#[derive(Deserialize)]
pub(crate) struct NewRequest {
    form: FormId,
}

pub(crate) async fn add(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(NewRequest { form }): Fields<NewRequest>,
) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?.service_tenant_id;
    request(&viewer.writer().once(form), &tenant, &dashboard.queue, viewer.now).await?;
    // Without a fragment, with which a browser would not load the page again.
    Ok(respond::see(&link::tenant(&tenant)))
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Tenant(error) => error.into(),
            RequestError::Queue(_) => Self::Internal(Box::new(error)),
        }
    }
}
