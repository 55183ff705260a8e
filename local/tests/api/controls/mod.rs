//! `GET /v1/controls` and `GET /v1/controls/{controlId}`: the results of all tenants without reading a report.

mod cost;
mod earlier;
mod list;
mod recount;
