//! Routes, as functions list them.

use axum::routing::MethodRouter;

pub use crate::access::Access;

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads, and changes nothing.
    Get,
    /// Changes something, and responds with a redirection to a page (303) unless noted.
    Post,
}

/// One route.
#[derive(Clone, Copy)]
pub struct Route {
    /// Method of the request.
    pub method: Method,
    /// Path, with parameters in braces.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// Purpose, in one sentence for the docs.
    pub summary: &'static str,
    /// Whether a form that could not be saved can be shown again.
    pub(crate) is_kept: bool,
    /// Returns the service that handles it.
    pub(crate) handler: fn() -> MethodRouter,
}

/// Returns a route that only reads.
pub const fn get(path: &'static str, access: Access, summary: &'static str, handler: fn() -> MethodRouter) -> Route {
    Route { method: Method::Get, path, access, summary, is_kept: false, handler }
}

/// Returns a route that changes something.
pub const fn post(path: &'static str, access: Access, summary: &'static str, handler: fn() -> MethodRouter) -> Route {
    Route { method: Method::Post, path, access, summary, is_kept: false, handler }
}

/// Returns the route of a form in which people type: it can be shown again with their input.
pub const fn form(path: &'static str, access: Access, summary: &'static str, handler: fn() -> MethodRouter) -> Route {
    Route { is_kept: true, ..post(path, access, summary, handler) }
}
