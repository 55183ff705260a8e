//! The dashboard: pages rendered by the server, in which an organization's people read, edit and hand over reports.
//!
//! - [`view`]: what pages are made of: layout, charts, words for states and dates.

pub mod view;
