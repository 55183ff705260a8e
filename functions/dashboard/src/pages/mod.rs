//! The pages: each handler reads the data of its view, or calls an operation and redirects to a page.

pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod billable_users;
pub(crate) mod brand;
mod conflict;
pub(crate) mod connections;
pub(crate) mod control_edits;
pub(crate) mod controls;
pub(crate) mod documents;
pub(crate) mod edits;
pub(crate) mod imports;
pub(crate) mod kept_edits;
pub(crate) mod mail;
pub(crate) mod members;
pub(crate) mod notifications;
pub(crate) mod organizations;
pub(crate) mod placing;
pub(crate) mod portfolio;
pub(crate) mod report;
pub(crate) mod report_requests;
pub(crate) mod schedules;
mod sent;
pub(crate) mod set_back;
mod target_form;
pub(crate) mod tasks;
pub(crate) mod tenants;
pub(crate) mod texts;
pub(crate) mod uploads;
pub(crate) mod usage;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use web::assets;
use web::failure::Failure;

/// Most rows that a page or a file has. Organizations have some hundred tenants.
const MOST: usize = 10_000;

/// Stylesheet, script, icon and fonts.
pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, Failure> {
    let asset = assets::find(&name).ok_or(Failure::NotFound)?;
    Ok(([(CONTENT_TYPE, asset.content_type), (CACHE_CONTROL, assets::CACHE_CONTROL)], asset.bytes).into_response())
}
