//! The dashboard: pages rendered by the server, in which an organization's people read, edit and hand over reports.
//!
//! - [`routes`]: every route, and who may use it.
//! - `view`: pages, and what they are made of.
//! - `assets`: stylesheet, script and icon.
//! - [`sign_in`]: OpenID Connect with any issuer.

mod access;
mod assets;
mod cookies;
mod documents;
mod failure;
mod guard;
mod input;
mod pages;
mod respond;
pub mod routes;
mod sent;
mod session;
pub mod sign_in;
mod state;
mod view;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use lambda_http::Error;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};

pub use crate::documents::{Documents, Render};
use crate::failure::Failure;
use crate::routes::{ROUTES, Route};
pub use crate::state::Dashboard;
pub use crate::view::layout::bare;

/// Handles requests of Lambda for some routes only. Other addresses do not exist, and the program contains no handlers
/// for them.
///
/// # Errors
/// If the function cannot start.
pub async fn run(dashboard: Dashboard, routes: &[Route]) -> Result<(), Error> {
    lambda_http::run(router_of(dashboard, routes)).await
}

/// Returns the service that handles every request of the dashboard.
pub fn router(dashboard: Dashboard) -> Router {
    router_of(dashboard, ROUTES)
}

/// Returns the service that handles requests for some routes only. Other addresses do not exist.
pub fn router_of(dashboard: Dashboard, routes: &[Route]) -> Router {
    let forgery = CsrfLayer::new().with_rejection_response(|_: ProtectionError| Failure::OtherOrigin.into_response());
    let mut router = Router::new();
    for route in routes {
        let guard = from_fn_with_state(*route, guard::guard);
        router = router.route(route.path, (route.handler)().layer(guard));
    }
    router
        .fallback(guard::nowhere)
        .method_not_allowed_fallback(guard::wrong_method)
        .layer(forgery)
        .layer(from_fn(respond::with_headers))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(dashboard, Dashboard::for_request))
}
