//! A client that sends HTTP to the service in-process, and what it receives.

use std::io::Read;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use lambda_http::http::{HeaderMap, HeaderName, Request, Response, header};
use serde_json::Value;
use tower::ServiceExt;

use super::IMPORTS;

/// The limit of most endpoints.
const TEN_A_MINUTE: &str = "\"default\";q=10;w=60";
/// The limit of imports and agents. The gateway's own failures there say the other one.
const SIXTY_A_MINUTE: &str = "\"default\";q=60;w=60";

/// Sends a request to the service.
#[derive(Clone)]
pub(crate) struct Client {
    router: Router,
    authorization: Option<String>,
}

impl Client {
    /// Returns a client without a key.
    pub(crate) fn anonymous(router: Router) -> Self {
        Self { router, authorization: None }
    }

    /// Returns a client of any gateway.
    pub(crate) fn of(router: Router, authorization: &str) -> Self {
        Self { router, authorization: Some(authorization.to_owned()) }
    }

    /// Returns the response to a `GET`.
    pub(crate) async fn get(&self, path_and_query: &str) -> Received {
        self.send(self.request("GET", path_and_query)).await
    }

    /// Returns the response to a `GET` by a client that accepts gzip.
    pub(crate) async fn get_gzip(&self, path_and_query: &str) -> Received {
        let mut request = self.request("GET", path_and_query);
        request.headers_mut().insert(header::ACCEPT_ENCODING, "gzip".parse().unwrap());
        self.send(request).await
    }

    /// Returns the response to a `GET` by a client that holds a tag.
    pub(crate) async fn get_if_changed(&self, path_and_query: &str, tag: &str) -> Received {
        let mut request = self.request("GET", path_and_query);
        request.headers_mut().insert(header::IF_NONE_MATCH, tag.parse().unwrap());
        self.send(request).await
    }

    /// Returns the response to a `POST`.
    pub(crate) async fn post(&self, path_and_query: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Received {
        let mut request = self.request("POST", path_and_query);
        for (name, value) in headers {
            request.headers_mut().insert(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        *request.body_mut() = body.into();
        self.send(request).await
    }

    /// Returns a request with the client's key, to be changed and sent.
    pub(crate) fn request(&self, method: &str, path_and_query: &str) -> Request<Body> {
        let mut request = Request::builder().method(method).uri(path_and_query);
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        request.body(Body::empty()).unwrap()
    }

    /// Returns the response to a `GET` before its body is read.
    pub(crate) async fn open(&self, path_and_query: &str) -> Response<Body> {
        self.router.clone().oneshot(self.request("GET", path_and_query)).await.unwrap()
    }

    /// Returns the response to a request.
    pub(crate) async fn send(&self, request: Request<Body>) -> Received {
        let is_faster = request.uri().path() == "/mcp" || request.uri().path().starts_with(IMPORTS);
        let (mut parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        // It differs in otherwise equal responses.
        parts.headers.remove("x-amzn-requestid");
        let body = body.collect().await.unwrap().to_bytes();
        let is_fast = parts.headers.get("ratelimit-policy").is_some_and(|policy| policy == SIXTY_A_MINUTE);
        assert!(is_faster || !is_fast, "a limit that is not the endpoint's");
        Received { status: parts.status.as_u16(), headers: parts.headers, body }
    }
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Received {
    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the value of a header that is present exactly once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let values: Vec<_> = self.headers.get_all(name).iter().collect();
        assert!(values.len() <= 1, "{name} is repeated");
        values.first().map(|value| value.to_str().unwrap())
    }

    /// Returns the body as text, inflated if it is gzip.
    pub(crate) fn text(&self) -> String {
        let plain = || self.body.to_vec();
        String::from_utf8(self.header("content-encoding").map_or_else(plain, |_| self.gunzipped())).unwrap()
    }

    /// Returns the JSON of a gzip body, with a decoder that shares no code with the service.
    pub(crate) fn gunzipped(&self) -> Vec<u8> {
        assert_eq!(self.header("content-encoding"), Some("gzip"));
        let mut text = Vec::new();
        libflate::gzip::Decoder::new(&*self.body).unwrap().read_to_end(&mut text).unwrap();
        text
    }

    /// Returns the body of a success.
    #[track_caller]
    pub(crate) fn success(&self) -> Value {
        assert_eq!(self.status, 200, "{:?}", self.body);
        self.assert_fixed_headers("private, no-cache");
        self.json()
    }

    /// Returns the `error` of a failure, whose shape is checked.
    #[track_caller]
    pub(crate) fn failure(&self, status: u16, code: &str) -> Value {
        let body = self.json();
        assert_eq!((self.status, body["error"]["code"].as_str()), (status, Some(code)), "{body}");
        self.assert_fixed_headers("no-store");
        assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["error"]);
        let error = body["error"].as_object().unwrap();
        assert!(error.keys().all(|field| matches!(field.as_str(), "code" | "message" | "details")), "{body}");
        assert!(error.values().all(|text| text.as_str().is_some_and(|text| !text.is_empty())), "{body}");
        body["error"].clone()
    }

    /// Checks that it is the response to a request without a valid key.
    #[track_caller]
    pub(crate) fn unauthorized(&self) {
        let error = self.failure(401, "UNAUTHORIZED");
        assert!(error["message"].as_str().unwrap().contains("API key is invalid"));
        assert!(error["details"].as_str().unwrap().contains("invalid or revoked"));
        assert_eq!(self.header("www-authenticate"), Some("Bearer"));
    }

    #[track_caller]
    fn assert_fixed_headers(&self, caching: &str) {
        for (name, value) in [
            ("content-type", "application/json; charset=utf-8"),
            ("cache-control", caching),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(self.header(name), Some(value), "{name}");
        }
        let policy = self.header("ratelimit-policy");
        assert!(policy.is_some_and(|policy| [TEN_A_MINUTE, SIXTY_A_MINUTE].contains(&policy)), "{policy:?}");
    }
}
