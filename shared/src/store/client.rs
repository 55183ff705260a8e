//! The connection to DynamoDB.

use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, ConfigLoader};
use aws_sdk_dynamodb::Client;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};

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

/// Settings from the usual environment of AWS tools, with timeouts, retries and TLS by *ring*.
///
/// *ring* makes a fresh function's first call ten times faster than the SDK's default, and the binary half as large.
pub fn aws_settings(timeouts: Timeouts) -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https())
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(FIRST_BACKOFF))
        .timeout_config(
            TimeoutConfig::builder()
                .connect_timeout(timeouts.connect)
                .operation_attempt_timeout(timeouts.attempt)
                .operation_timeout(timeouts.operation)
                .build(),
        )
}

/// A client by the usual environment of AWS tools; `AWS_ENDPOINT_URL` leads elsewhere.
pub async fn connect(timeouts: Timeouts) -> Client {
    Client::new(&aws_settings(timeouts).load().await)
}
