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

/// Timeouts of calls. The SDK sets none, so a single lost packet would block a request for minutes.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Time to connect.
    pub connect: Duration,
    /// Time for one attempt.
    pub attempt: Duration,
    /// Time for all attempts in total.
    pub operation: Duration,
}

impl Timeouts {
    /// For calls within a region: an attempt takes milliseconds or is lost, and a full page of 16 MB takes up to a
    /// second.
    pub const REGIONAL: Self = Self {
        connect: Duration::from_millis(500),
        attempt: Duration::from_millis(2_000),
        operation: Duration::from_millis(8_000),
    };
    /// For calls from an operator's machine, and for an engine on the same machine as its callers.
    pub const PATIENT: Self =
        Self { connect: Duration::from_secs(5), attempt: Duration::from_secs(20), operation: Duration::from_secs(60) };
}

/// Longest first wait before a retry. Each further wait is at most twice as long; its length is random.
const FIRST_BACKOFF: Duration = Duration::from_millis(25);
const ATTEMPTS: u32 = 5;

/// Loads the settings that AWS tools share on an operator's machine.
pub fn aws_settings(timeouts: Timeouts) -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(http_client(timeouts))
        .retry_config(retries())
        .timeout_config(timeouts.into())
}

/// Returns a function's settings, read from the variables that Lambda sets. `AWS_ENDPOINT_URL` replaces the endpoint.
/// All clients with these settings share their connections.
///
/// Leaves out the other sources of AWS tools, which are empty in Lambda: without them, a function is a third smaller
/// and starts faster.
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

/// Returns one connector for all clients. It reads the system's certificates once, immediately; the SDK's own client
/// reads them when it is created and again at the first call.
///
/// Uses *ring* for TLS: the first call of a new function takes a tenth of the time with the SDK's default.
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

/// Reads a service's settings from the environment: `AWS_ENDPOINT_URL_S3` takes precedence over `AWS_ENDPOINT_URL`.
#[derive(Debug)]
struct Variables;

impl LoadServiceConfig for Variables {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let service = key.service_id().to_uppercase().replace(' ', "_");
        env::var(format!("{}_{service}", key.env())).or_else(|_| env::var(key.env())).ok()
    }
}
