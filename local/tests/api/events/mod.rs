//! `GET /v1/events`, copies that it keeps up to date, and its cost.

mod copy;
mod cost;
mod list;
