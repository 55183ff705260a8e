//! What all answers have in common.

use lambda_http::http::response::Builder;
use lambda_http::http::{self, HeaderValue, StatusCode, header};

use crate::response::Body;

/// An answer whose body streams.
pub type Response = http::Response<Body>;

/// The limit of each endpoint per organization, which the template's usage plan sets: 10 requests in 60 seconds.
const RATE_LIMIT_POLICY: &str = "\"default\";q=10;w=60";

/// Returns an answer with the headers that all answers have.
pub(crate) fn json_answer(status: StatusCode) -> Builder {
    http::Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"))
        .header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
        .header(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
        .header(header::VARY, HeaderValue::from_static("Accept-Encoding"))
        .header("ratelimit-policy", HeaderValue::from_static(RATE_LIMIT_POLICY))
}
