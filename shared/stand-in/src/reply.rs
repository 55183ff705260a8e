//! Responses of the stand-in.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use graph::{Body, Broken};
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use hyper::header::{CONTENT_TYPE, DATE, LOCATION, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

/// A response, or a part of a batch.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    Json(Value),
    Text(String),
}

impl Reply {
    pub(super) fn ok(body: Value) -> Self {
        Self { status: 200, headers: Vec::new(), body: Content::Json(body) }
    }

    pub(super) fn text(body: String) -> Self {
        Self { status: 200, headers: Vec::new(), body: Content::Text(body) }
    }

    pub(super) fn redirect(to: String) -> Self {
        Self { status: 302, headers: vec![(LOCATION.as_str(), to)], body: Content::Text(String::new()) }
    }

    /// Returns an error in Graph's form.
    pub(super) fn error(status: u16, code: &str, message: &str) -> Self {
        let inner = json!({ "date": "2026-01-01T00:00:00", "request-id": "00000000-0000-0000-0000-000000000000" });
        let error = json!({ "code": code, "message": message, "innerError": inner });
        Self { status, headers: Vec::new(), body: Content::Json(json!({ "error": error })) }
    }

    /// Returns a refusal of too many requests. Some services do not say for how long.
    pub(super) fn throttled(seconds: Option<u64>, scope: &str) -> Self {
        let mut reply = Self::error(429, "TooManyRequests", "Too many requests.");
        reply.headers.push(("x-ms-throttle-scope", scope.to_owned()));
        reply.headers.extend(seconds.map(|seconds| (RETRY_AFTER.as_str(), seconds.to_string())));
        reply
    }

    /// Returns the reply as a part of a batch.
    pub(super) fn into_part(self, id: &str) -> Value {
        let mut headers: serde_json::Map<_, _> =
            self.headers.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
        headers.insert("Content-Type".to_owned(), "application/json".into());
        let body = match self.body {
            Content::Json(body) => body,
            Content::Text(text) => text.into(),
        };
        json!({ "id": id, "status": self.status, "headers": headers, "body": body })
    }

    pub(super) fn into_response(self, now: DateTime<Utc>) -> Response<Body> {
        let (kind, bytes) = match self.body {
            Content::Json(body) => ("application/json", Bytes::from(body.to_string())),
            Content::Text(text) => ("text/csv", Bytes::from(text)),
        };
        let mut response = Response::builder()
            .status(StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
            .header(CONTENT_TYPE, kind)
            .header(DATE, now.format("%a, %d %b %Y %H:%M:%S GMT").to_string());
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        let body = Full::new(bytes).map_err(|never| match never {}).boxed_unsync();
        response.body(body).expect("the headers are well formed")
    }
}

/// Returns a response whose body ends before it is complete.
pub(super) fn cut_off(now: DateTime<Utc>) -> Response<Body> {
    let pieces = [
        Ok(Frame::data(Bytes::from_static(b"{\"value\":[{\"id\":\"a\""))),
        Err(Broken("the connection was reset".to_owned())),
    ];
    let body = StreamBody::new(futures_util::stream::iter(pieces)).boxed_unsync();
    Reply::ok(Value::Null).into_response(now).map(|_| body)
}
