//! The dashboard: pages rendered by the server, in which an organization's people read, edit and hand over reports.
//!
//! - [`routes`]: every route, and who may use it.
//! - [`view`]: pages, and what they are made of.
//! - [`assets`]: stylesheet, script and icon.
//! - [`sign_in`]: OpenID Connect with any issuer.

pub mod assets;
mod failure;
mod input;
mod pages;
mod respond;
pub mod routes;
mod session;
pub mod sign_in;
mod state;
pub mod view;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};

use crate::failure::Failure;
use crate::routes::ROUTES;
pub use crate::state::Dashboard;

/// Returns the service that answers every request of the dashboard.
pub fn router(dashboard: Dashboard) -> Router {
    let forgery = CsrfLayer::new().with_rejection_response(|_: ProtectionError| Failure::OtherOrigin.into_response());
    let mut router = Router::new();
    for route in ROUTES {
        let guard = from_fn_with_state((dashboard.clone(), route.access), session::guard);
        router = router.route(route.path, (route.handler)().layer(guard));
    }
    router
        .fallback(pages::nowhere)
        .method_not_allowed_fallback(pages::nowhere)
        .layer(forgery)
        .layer(from_fn_with_state(dashboard.clone(), respond::with_headers))
        .layer(CompressionLayer::new())
        .with_state(dashboard)
}
