//! Between the gateway and the endpoints: who calls, with which parameters, and what goes back.

mod app;
mod caller;
mod error;
mod query;

pub use app::{App, Clock, Request, Response, answer, list};
pub use caller::{ORGANIZATION_FIELD, caller};
pub use error::{ApiError, TENANT_NOT_FOUND};
pub use query::Query;

pub use crate::response::Body;
