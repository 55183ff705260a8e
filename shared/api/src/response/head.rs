//! Headers that all responses share.

use lambda_http::http::response::Builder;
use lambda_http::http::{self, HeaderValue, StatusCode, header};

use super::Body;

/// A response whose body streams.
pub type Response = http::Response<Body>;

/// Name of the header with the limit of an endpoint per organization.
pub(crate) const RATE_LIMIT_POLICY: &str = "ratelimit-policy";
/// The limit of most endpoints, which the template's usage plan sets: 10 requests in 60 seconds.
const TEN_A_MINUTE: HeaderValue = HeaderValue::from_static("\"default\";q=10;w=60");
/// The limit of the others.
pub(crate) const SIXTY_A_MINUTE: HeaderValue = HeaderValue::from_static("\"default\";q=60;w=60");

/// Returns a failure's response without its body. It must not be cached.
pub(crate) fn failure_head(status: StatusCode) -> Builder {
    json_head(status, "no-store")
}

/// Returns a success without its body. The client may cache it, and uses the tag to check whether it is still
/// current.
pub(crate) fn tagged_head(status: StatusCode, tag: HeaderValue) -> Builder {
    json_head(status, "private, no-cache").header(header::ETAG, tag)
}

/// Returns a response with the common headers. A response without a body also has a media type, because a cache
/// adopts the headers of a 304.
pub(crate) fn json_head(status: StatusCode, caching: &'static str) -> Builder {
    http::Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"))
        .header(header::CACHE_CONTROL, HeaderValue::from_static(caching))
        .header(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
        .header(header::VARY, HeaderValue::from_static("Accept-Encoding"))
        .header(RATE_LIMIT_POLICY, TEN_A_MINUTE)
}
