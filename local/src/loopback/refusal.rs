//! Responses to requests that do not reach the service behind a listener.

use axum::body::Body;
use axum::response::Response;
use lambda_http::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use lambda_http::http::{HeaderName, StatusCode};
use serde_json::json;

/// The reason to refuse a request. The rest of it is not read, so each response ends its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// `Host` is missing, repeated, or names another machine.
    Host,
    /// A web page of another origin sent the request.
    Page,
    /// The body is too large.
    TooLarge,
    /// The request was not complete in time.
    Slow,
}

impl Refusal {
    pub(super) fn response(self) -> Response {
        let mut response = Response::builder().status(self.status());
        for (name, value) in HEADERS {
            response = response.header(name, value);
        }
        response.body(Body::from(self.body())).expect("the headers are constant")
    }

    /// Returns the response as it is sent, for connections on which no request has arrived.
    pub(super) fn sent(self) -> String {
        let (status, body) = (self.status(), self.body());
        let headers: String = HEADERS.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
    }

    fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Page => StatusCode::FORBIDDEN,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
        }
    }

    fn body(self) -> String {
        let details = match self {
            Self::Host => {
                "The Host header must name this machine, such as http://127.0.0.1 or http://localhost. \
                 `posture serve --allow-host` allows another name."
            }
            Self::Page => {
                "A web page of another origin sent the request. Use a program such as curl, or a page of this service."
            }
            Self::TooLarge => "The body may have 16 MB. Send less at once.",
            Self::Slow => {
                "The request did not arrive in time. Connect when it can be sent, and send it without a pause."
            }
        };
        json!({ "error": { "code": "INVALID_REQUEST", "message": "The request was refused.", "details": details } })
            .to_string()
    }
}

const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_TYPE, "application/json; charset=utf-8"),
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CONNECTION, "close"),
];
