//! The connection to DynamoDB.

use std::env;
use std::time::Duration;

use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, ConfigLoader, Region, SdkConfig};
use aws_sdk_dynamodb::config::SharedCredentialsProvider;
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::http::{
    HttpConnectorSettings, SharedHttpClient, SharedHttpConnector, http_client_fn,
};
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};

/// How long calls may take. The SDK sets no limit of its own, so that one lost packet would hold a request for minutes.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Until a connection stands.
    pub connect: Duration,
    /// One attempt.
    pub attempt: Duration,
    /// All attempts together.
    pub operation: Duration,
}

impl Timeouts {
    /// Within a region: an attempt takes milliseconds, or is lost; a full page of 16 MB may take a second.
    pub const REGIONAL: Self = Self {
        connect: Duration::from_millis(500),
        attempt: Duration::from_millis(2_000),
        operation: Duration::from_millis(8_000),
    };
    /// From an operator's machine, or against an engine that shares the machine with its callers.
    pub const PATIENT: Self =
        Self { connect: Duration::from_secs(5), attempt: Duration::from_secs(20), operation: Duration::from_secs(60) };
}

/// First wait before a call is tried again; the waits double and are drawn at random below that.
const FIRST_BACKOFF: Duration = Duration::from_millis(25);
const ATTEMPTS: u32 = 5;

/// Settings from the usual environment of AWS tools, for an operator's machine.
pub fn aws_settings(timeouts: Timeouts) -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(http_client(timeouts))
        .retry_config(retries())
        .timeout_config(timeouts.into())
}

/// Settings of a function, from the variables that the platform sets for every function; `AWS_ENDPOINT_URL` leads
/// elsewhere. All clients made of them share their connections.
///
/// The other places that AWS tools look at have nothing to tell there. Leaving them out makes a function a third
/// smaller, and its start shorter.
pub fn function_settings(timeouts: Timeouts) -> SdkConfig {
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(env::var("AWS_REGION").ok().map(Region::new))
        .credentials_provider(SharedCredentialsProvider::new(EnvironmentVariableCredentialsProvider::new()))
        .service_config(Variables)
        .http_client(http_client(timeouts))
        .retry_config(retries())
        .timeout_config(timeouts.into())
        .build()
}

/// One connector for all clients, whose certificates are read once, now: the SDK's own client reads them when it is
/// made and again at the first call.
///
/// TLS is *ring*'s: a fresh function's first call takes a tenth of what it does with the SDK's default.
fn http_client(timeouts: Timeouts) -> SharedHttpClient {
    let settings = HttpConnectorSettings::builder().connect_timeout(timeouts.connect).build();
    let tls = Provider::Rustls(CryptoMode::Ring);
    let connector = Connector::builder().tls_provider(tls).connector_settings(settings).build();
    let connector = SharedHttpConnector::new(connector);
    http_client_fn(move |_, _| connector.clone())
}

fn retries() -> RetryConfig {
    RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(FIRST_BACKOFF)
}

impl From<Timeouts> for TimeoutConfig {
    fn from(timeouts: Timeouts) -> Self {
        Self::builder()
            .connect_timeout(timeouts.connect)
            .operation_attempt_timeout(timeouts.attempt)
            .operation_timeout(timeouts.operation)
            .build()
    }
}

/// A service's settings in the environment: `AWS_ENDPOINT_URL_S3` before `AWS_ENDPOINT_URL`.
#[derive(Debug)]
struct Variables;

impl LoadServiceConfig for Variables {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let service = key.service_id().to_uppercase().replace(' ', "_");
        env::var(format!("{}_{service}", key.env())).or_else(|_| env::var(key.env())).ok()
    }
}
