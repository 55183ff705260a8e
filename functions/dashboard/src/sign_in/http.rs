//! Calls to the issuer: short responses, over TLS, within a few seconds.

use std::time::Duration;

use axum::http::{Request, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::SignInError;

/// Longest response that is read, in bytes. Key sets and tokens have a few thousand.
const LONGEST: usize = 1024 * 1024;
const TIMEOUT: Duration = Duration::from_secs(8);

/// An error of the issuer's token endpoint.
#[derive(Deserialize)]
struct Refusal {
    error: String,
}

pub(super) type Body = Full<axum::body::Bytes>;

/// A client that trusts the certificates that the system trusts.
pub(super) struct Http(Client<HttpsConnector<HttpConnector>, Body>);

impl Http {
    pub(super) fn new() -> Result<Self, SignInError> {
        let builder = HttpsConnectorBuilder::new().with_native_roots();
        let connector = builder.map_err(|error| SignInError::Issuer(format!("no certificates: {error}")))?;
        Ok(Self(Client::builder(TokioExecutor::new()).build(connector.https_or_http().enable_http1().build())))
    }

    /// Returns the JSON of an address.
    pub(super) async fn get<T: DeserializeOwned>(&self, address: &str) -> Result<T, SignInError> {
        let request = Request::get(address).header("accept", "application/json").body(Body::default());
        self.call(request.map_err(|_| SignInError::Issuer("an address of the issuer is malformed".to_owned()))?).await
    }

    /// Returns the JSON in the response to a request. The text of a failure is not repeated: it may hold codes.
    pub(super) async fn call<T: DeserializeOwned>(&self, request: Request<Body>) -> Result<T, SignInError> {
        let call = async {
            let response = self.0.request(request).await.map_err(|error| failed(&error))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), LONGEST).collect().await.map_err(|error| failed(&*error))?;
            let body = body.to_bytes();
            if !status.is_success() {
                return Err(refusal(status, &body));
            }
            serde_json::from_slice(&body)
                .map_err(|_| SignInError::Issuer("a response is not JSON of the expected form".to_owned()))
        };
        let late = |_| SignInError::Issuer("no response within 8 seconds".to_owned());
        tokio::time::timeout(TIMEOUT, call).await.map_err(late)?
    }
}

/// A code that was forged, used or has expired is the fault of whoever brought it (RFC 6749, 5.2). All else is the issuer's.
fn refusal(status: StatusCode, body: &[u8]) -> SignInError {
    match serde_json::from_slice(body) {
        Ok(Refusal { error }) if error == "invalid_grant" => SignInError::Refused,
        _ => SignInError::Issuer(format!("status {}", status.as_u16())),
    }
}

fn failed(error: &(dyn std::error::Error + 'static)) -> SignInError {
    SignInError::Issuer(error.to_string())
}
