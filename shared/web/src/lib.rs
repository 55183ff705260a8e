//! What the functions for browsers share: who is signed in and may use a route, failures as pages, and the frame of pages.
//!
//! - [`route`]: a route, and who may use it. Every request passes its guard before its handler.
//! - [`session`]: who is signed in. [`sent`], [`input`]: what a request says.
//! - [`failure`]: failures, as the pages that they become. [`respond`]: responses, and the headers that all of them carry.
//! - [`view`]: what all pages are made of. [`assets`]: stylesheet, script, icon and fonts.
//! - [`pdf`], [`archive`]: the routes of PDFs, which have a function of their own, and are served beside the others on one
//!   machine.

mod access;
pub mod archive;
pub mod assets;
mod cookies;
mod documents;
pub mod failure;
mod guard;
pub mod input;
pub mod pdf;
pub mod respond;
pub mod route;
pub mod sent;
pub mod session;
pub mod sign_in;
mod state;
pub mod view;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};

pub use crate::cookies::Cookies;
pub use crate::documents::{Archive, ArchiveError, Archives, Documents, Render};
pub use crate::guard::has_page;
pub use crate::state::Dashboard;

use crate::failure::Failure;
use crate::route::Route;

/// Returns the service that handles requests for some routes. Other addresses do not exist, and a program contains no
/// handlers for them.
pub fn router(dashboard: Dashboard, routes: &[Route]) -> Router {
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
