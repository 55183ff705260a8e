//! Failures of a request, and their conversion into a status and a body.

use std::error::Error;

use http_body_util::{BodyExt, Full};
use lambda_http::http::StatusCode;
use lambda_http::http::header::{HeaderValue, RETRY_AFTER};

use crate::response::{Response, failure_head};
use model::{ErrorBody, ErrorCode, ErrorDetail};
use store::{Cause, StoreError};

/// Why a request failed. The response to an internal failure contains no internal details.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// A parameter is missing or invalid.
    #[error("the parameter `{parameter}` is invalid")]
    InvalidParameter {
        /// Name of the parameter.
        parameter: &'static str,
        /// What is allowed, as a clause: "must be ...".
        rule: &'static str,
    },
    /// A parameter has a name that the endpoint does not know.
    #[error("a parameter is unknown")]
    UnknownParameter {
        /// The known name that is most like it, if one is.
        nearest: Option<&'static str>,
        /// The names that the endpoint knows.
        known: Vec<&'static str>,
    },
    /// The body or a header is not as required. The text explains what is.
    #[error("the request is invalid")]
    Invalid(&'static str),
    /// The requested resource is not in the organization. The text explains what to do.
    #[error("not found")]
    NotFound(&'static str),
    /// The key's scope does not permit the request. The text explains what to do.
    #[error("forbidden")]
    Forbidden(&'static str),
    /// The store is temporarily unavailable.
    #[error("the store is unavailable: {0}")]
    Unavailable(#[source] StoreError),
    /// Any other failure; the response says that it was not the client's fault.
    #[error("{0}")]
    Internal(Box<dyn Error + Send + Sync>),
}

/// The response to every foreign, removed or unknown `tenantId`.
pub const TENANT_NOT_FOUND: ApiError =
    ApiError::NotFound("The organization has no tenant with this tenantId. GET /v1/tenants lists its tenants.");

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            // Like a key's look-up without a table.
            StoreError::Refused { cause: Cause::NoTable, .. } => Self::Unavailable(error),
            error if error.is_transient() => Self::Unavailable(error),
            error => Self::Internal(Box::new(error)),
        }
    }
}

impl From<&'static str> for ApiError {
    /// Returns an internal error.
    fn from(reason: &'static str) -> Self {
        Self::Internal(reason.into())
    }
}

impl ApiError {
    /// Returns the response to the failure, in the same form for every endpoint.
    pub fn into_response(self) -> Response {
        let (status, detail) = self.outside();
        let body = serde_json::to_vec(&ErrorBody { error: detail }).expect("an error body is plain data");
        let mut response = failure_head(status);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response = response.header(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response.body(Full::from(body).boxed_unsync()).expect("static headers are valid")
    }

    /// Returns the failure in words, with what to do.
    pub fn in_words(&self) -> String {
        let (_, ErrorDetail { message, details, .. }) = self.outside();
        [Some(message), details].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn outside(&self) -> (StatusCode, ErrorDetail) {
        let (status, code, message, details) = match self {
            Self::InvalidParameter { parameter, rule } => (
                StatusCode::BAD_REQUEST,
                ErrorCode::InvalidRequest,
                "A query parameter is invalid.",
                Some(format!("{parameter} {rule}.")),
            ),
            Self::UnknownParameter { nearest, known } => (
                StatusCode::BAD_REQUEST,
                ErrorCode::InvalidRequest,
                "A query parameter is unknown.",
                Some(allowed(*nearest, known)),
            ),
            Self::Invalid(rule) => (
                StatusCode::BAD_REQUEST,
                ErrorCode::InvalidRequest,
                "The request is invalid.",
                Some((*rule).to_owned()),
            ),
            Self::NotFound(what_to_do) => {
                (StatusCode::NOT_FOUND, ErrorCode::NotFound, "Not found.", Some((*what_to_do).to_owned()))
            }
            Self::Forbidden(what_to_do) => (
                StatusCode::FORBIDDEN,
                ErrorCode::Forbidden,
                "The API key does not permit this.",
                Some((*what_to_do).to_owned()),
            ),
            Self::Unavailable(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                ErrorCode::Unavailable,
                "The service is busy. Try again in a moment.",
                Some("Nothing is wrong with the request. Retry-After has the number of seconds to wait.".to_owned()),
            ),
            Self::Internal(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                ErrorCode::InternalError,
                "The service failed.",
                Some(
                    "The error was logged. If it happens again, send the operator the time and the x-amzn-RequestId of the response."
                        .to_owned(),
                ),
            ),
        };
        (status, ErrorDetail { code, message: message.to_owned(), details })
    }
}

/// Returns what an endpoint allows. The unknown name is not repeated, because it may be a secret in the wrong place.
fn allowed(nearest: Option<&str>, known: &[&str]) -> String {
    let guess = nearest.map(|name| format!("Did you mean {name}? ")).unwrap_or_default();
    match known {
        [] => "This endpoint has no parameters.".to_owned(),
        known => format!("{guess}The parameters of this endpoint are: {}.", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_failure_may_not_be_kept_and_says_nothing_internal() {
        let cause = || StoreError::Unavailable { operation: "Query", cause: Cause::Throttled };
        for error in [ApiError::Internal(Box::new(cause())), ApiError::from(cause()), ApiError::from("a secret")] {
            let (inside, response) = (error.to_string(), error.into_response());
            assert_eq!(response.headers()["cache-control"], "no-store");
            assert_eq!(response.headers()["content-type"], "application/json; charset=utf-8");
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let text = str::from_utf8(&body).unwrap();
            assert!(!text.contains(&inside) && !text.contains("Query"), "{text}");
        }
    }

    #[test]
    fn only_a_response_with_503_says_when_to_try_again() {
        let unavailable = || StoreError::Unavailable { operation: "Query", cause: Cause::Throttled };
        for (error, status, retry_after) in [
            (ApiError::InvalidParameter { parameter: "limit", rule: "must be a number" }, 400, None),
            (TENANT_NOT_FOUND, 404, None),
            (ApiError::Internal(Box::new(unavailable())), 500, None),
            (ApiError::from(StoreError::Corrupt("an item")), 500, None),
            (ApiError::from(unavailable()), 503, Some("1")),
            (ApiError::from(StoreError::Contended("a write")), 503, Some("1")),
            (ApiError::from(StoreError::Refused { operation: "Query", cause: Cause::NoTable }), 503, Some("1")),
        ] {
            let response = error.into_response();
            let header = response.headers().get(RETRY_AFTER).map(|value| value.to_str().unwrap());
            assert_eq!((response.status().as_u16(), header), (status, retry_after));
        }
    }
}
