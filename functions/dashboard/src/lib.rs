//! The dashboard: pages rendered by the server, in which an organization's people read, edit and hand over reports.
//!
//! - [`routes`]: every route, and who may use it.
//! - [`view`]: what pages are made of: layout, charts, words for states and dates.

pub mod routes;
pub mod view;
