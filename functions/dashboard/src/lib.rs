//! The dashboard: pages rendered by the server, in which an organization's people read, edit and hand over reports.
//!
//! - [`routes`]: every route, and who may use it.
//! - [`view`]: pages, and what they are made of.
//! - [`assets`]: stylesheet, script and icon.

pub mod assets;
pub mod routes;
pub mod view;
