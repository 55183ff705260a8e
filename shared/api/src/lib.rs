//! Shared by all endpoints: the caller, the query parameters, and the responses.

pub mod ahead;
mod answer;
mod app;
mod caller;
mod error;
pub mod query;
pub mod reports;
pub mod response;
pub mod runtime;
mod streaming;
mod tag;

pub use answer::Response;
pub use app::{App, Clock, Request, answer, list, one};
pub use caller::{ORGANIZATION_FIELD, caller};
pub use error::{ApiError, TENANT_NOT_FOUND};
pub use query::Query;
pub use tag::Tag;

pub use crate::response::Body;
