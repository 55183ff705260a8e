//! `GET /v1/events`, copies that it keeps up to date, and its cost.

mod copy;
pub(crate) mod cost;
mod list;
