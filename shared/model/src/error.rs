//! The one body of every failure.

use serde::{Deserialize, Serialize};

/// Body of every response that is not a success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// The failure.
    pub error: ErrorDetail,
}

/// A failure of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorDetail {
    /// Kind of the failure.
    pub code: ErrorCode,
    /// The failure in words.
    pub message: String,
    /// Cause in the request, and what to do; absent if there is nothing to add.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[cfg_attr(test, schemars(with = "String"))]
    pub details: Option<String>,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// 400: a parameter is missing or not as required.
    InvalidRequest,
    /// 401: the API key is missing, malformed, unknown or deleted.
    Unauthorized,
    /// 403: the API key is valid, but not for this request.
    Forbidden,
    /// 404: what was asked for is not in the organization, or the path is unknown.
    NotFound,
    /// 405: the path is known and the method is neither GET nor HEAD.
    MethodNotAllowed,
    /// 429: the rate limit of the route is exceeded.
    RateLimited,
    /// 500: the service failed.
    InternalError,
    /// 503: the service cannot respond at the moment.
    Unavailable,
}
