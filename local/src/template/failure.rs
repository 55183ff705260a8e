//! Failures that API Gateway responds to by itself.

use lambda_http::http::StatusCode;

/// A failure that the gateway responds to without calling a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GatewayFailure {
    /// The request cannot be turned into an event.
    BadRequest,
    /// The request line and the headers are too long.
    TooLarge,
    /// No route has this path.
    UnknownPath,
    /// The key is missing or malformed, or the authorizer refused it.
    Unauthorized,
    /// The authorizer's policy does not allow the route.
    Denied,
    /// The authorizer failed.
    AuthorizerFailed,
    /// The authorizer's response is not usable.
    AuthorizerMisconfigured,
    /// The authorizer did not name a key of the usage plan.
    NoUsageKey,
    /// The limit of the route is exceeded.
    Throttled,
    /// The function failed.
    FunctionFailed,
}

impl GatewayFailure {
    /// Every failure.
    pub(super) const ALL: [Self; 10] = [
        Self::BadRequest,
        Self::TooLarge,
        Self::UnknownPath,
        Self::Unauthorized,
        Self::Denied,
        Self::AuthorizerFailed,
        Self::AuthorizerMisconfigured,
        Self::NoUsageKey,
        Self::Throttled,
        Self::FunctionFailed,
    ];

    /// Returns the response type under which API Gateway knows the failure.
    pub(crate) fn name(self) -> &'static str {
        self.properties().0
    }

    /// Returns the status that applies if the template does not set one.
    pub(super) fn status(self) -> StatusCode {
        self.properties().1
    }

    fn properties(self) -> (&'static str, StatusCode) {
        match self {
            Self::BadRequest => ("BAD_REQUEST_PARAMETERS", StatusCode::BAD_REQUEST),
            Self::TooLarge => ("REQUEST_TOO_LARGE", StatusCode::PAYLOAD_TOO_LARGE),
            Self::UnknownPath => ("MISSING_AUTHENTICATION_TOKEN", StatusCode::FORBIDDEN),
            Self::Unauthorized => ("UNAUTHORIZED", StatusCode::UNAUTHORIZED),
            Self::Denied => ("ACCESS_DENIED", StatusCode::FORBIDDEN),
            Self::AuthorizerFailed => ("AUTHORIZER_FAILURE", StatusCode::INTERNAL_SERVER_ERROR),
            Self::AuthorizerMisconfigured => ("AUTHORIZER_CONFIGURATION_ERROR", StatusCode::INTERNAL_SERVER_ERROR),
            Self::NoUsageKey => ("INVALID_API_KEY", StatusCode::FORBIDDEN),
            Self::Throttled => ("THROTTLED", StatusCode::TOO_MANY_REQUESTS),
            Self::FunctionFailed => ("INTEGRATION_FAILURE", StatusCode::GATEWAY_TIMEOUT),
        }
    }
}
