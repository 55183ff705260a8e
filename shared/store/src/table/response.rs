//! Detects responses that were cut short, emptied or damaged in transit.

use std::fmt;

use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::retry::ErrorKind;
use http_body_util::BodyExt;

/// The CRC-32 of a body, as a decimal number.
const CHECKSUM: &str = "x-amz-crc32";

/// The response must not be trusted.
#[derive(Debug, thiserror::Error)]
#[error("the response is empty or does not match its checksum")]
struct DamagedResponse;

/// Returns a client that rejects damaged responses. The SDK itself does not compare checksums, and reads an empty body
/// as an object without fields.
pub(super) fn checked(client: &Client) -> Client {
    let config = client.config();
    match config.http_client() {
        Some(unchecked) => Client::from_conf(config.to_builder().http_client(Checked(unchecked)).build()),
        None => client.clone(),
    }
}

#[derive(Clone)]
struct Checked<C>(C);

impl<C> fmt::Debug for Checked<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checked")
    }
}

impl HttpClient for Checked<SharedHttpClient> {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(Checked(self.0.http_connector(settings, components)))
    }
}

impl HttpConnector for Checked<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let response = self.0.call(request);
        HttpConnectorFuture::new(async move { whole(response.await?).await })
    }
}

/// Reads a response to its end and compares it with its checksum, if it has one.
async fn whole(mut response: HttpResponse) -> Result<HttpResponse, ConnectorError> {
    let damaged = |source| ConnectorError::other(source, Some(ErrorKind::TransientError));
    let body = std::mem::replace(response.body_mut(), SdkBody::taken());
    let body = body.collect().await.map_err(damaged)?.to_bytes();
    let expected = response.headers().get(CHECKSUM).and_then(|checksum| checksum.parse().ok());
    if body.is_empty() || expected.is_some_and(|expected: u32| crc32fast::hash(&body) != expected) {
        return Err(damaged(DamagedResponse.into()));
    }
    *response.body_mut() = SdkBody::from(body);
    Ok(response)
}
