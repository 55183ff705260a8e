//! Forms about something that someone else has changed since they were opened.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use web::view::form::Errors;

use crate::view::words;

const CHANGED: &str = "This was changed since you opened it, so nothing was saved. The form still contains your input. \
                       Save again to replace the new values.";

/// Returns what a form says about a conflict: the present value of every field (name, entered value, present value) in
/// which the two differ.
pub(super) fn differences<'a>(fields: impl IntoIterator<Item = (&'static str, &'a str, &'a str)>) -> Errors {
    let differing = fields.into_iter().filter(|(_, entered, now)| entered.replace("\r\n", "\n") != *now);
    let errors = Errors::default().with("", CHANGED);
    differing.fold(errors, |errors, (field, _, now)| errors.with(field, words::is_now(now)))
}

/// Returns the page of the form, as the response to a conflict.
pub(super) fn response(page: Response) -> Response {
    (StatusCode::CONFLICT, page).into_response()
}
