//! `GET /v1/controls` and `GET /v1/controls/{controlId}`: the results of all tenants, control by control, and of one
//! control, tenant by tenant.
//!
//! They are those of the newest report of each tool of each tenant. A page of tenants reads as many results as it needs;
//! a page of controls reads those of all tenants, because it counts them.

mod list;
mod one;
mod parameters;

use api::{ApiError, App, Request, Response};
use lambda_http::RequestExt;

pub use parameters::{LIST_PARAMETERS, ONE_PARAMETERS};

/// Name of the path parameter.
const CONTROL_ID: &str = "controlId";

/// Returns the controls, or the tenants of the control that the path names.
///
/// # Errors
/// 400 for a bad parameter, 404 for a control that no newest report of the organization has, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    match request.path_parameters().first(CONTROL_ID) {
        Some(control) => one::handle(app, &request, control).await,
        None => list::handle(app, &request).await,
    }
}
