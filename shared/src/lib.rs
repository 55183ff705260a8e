//! What every function needs, and nothing that only one of them does.
//!
//! - [`model`]: the wire contract; knows no AWS, no HTTP and no clock.
//! - [`auth`]: API keys and who may manage them.
//! - [`store`]: the one table, an organization at a time.
//! - [`response`]: answers assembled from what is stored ready to send.
//! - [`http`]: requests in, answers and errors out.
//! - [`runtime`]: what every function's `main` does.
//! - [`ahead`]: work that is done beside a start.

pub mod ahead;
pub mod auth;
pub mod http;
pub mod model;
pub mod response;
pub mod runtime;
pub mod store;
