//! What every function does at its start: log set-up, configuration, one connection for all requests.

use std::env;

use futures_util::FutureExt;
use lambda_http::{Error, run_with_streaming_response, service_fn, tracing};

use crate::http::{ApiError, App, Request, Response, answer};
use crate::store::{Store, Timeouts, connect};

/// Settings of a function, from its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Name of the table (`TABLE_NAME`).
    pub table: String,
    /// Address of the dashboard (`DASHBOARD_URL`).
    pub dashboard_url: String,
}

/// A variable that a function cannot start without.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {0} is not set")]
pub struct MissingVariable(&'static str);

impl Config {
    /// Reads the environment.
    ///
    /// # Errors
    /// Names the first variable that is missing.
    pub fn from_env() -> Result<Self, MissingVariable> {
        let variable = |name| env::var(name).map_err(|_| MissingVariable(name));
        Ok(Self { table: variable("TABLE_NAME")?, dashboard_url: variable("DASHBOARD_URL")? })
    }
}

/// Logs as the platform asks for it, and connects.
///
/// # Errors
/// When the configuration is incomplete.
pub async fn start() -> Result<App, Error> {
    tracing::init_default_subscriber();
    let config = Config::from_env()?;
    let client = connect(Timeouts::REGIONAL).await;
    Ok(App::new(Store::new(client, &config.table), &config.dashboard_url))
}

/// Runs an endpoint's function: every answer streams.
///
/// # Errors
/// When the function cannot start.
pub async fn run_endpoint<H, F>(handler: H) -> Result<(), Error>
where
    H: Fn(App, Request) -> F + Copy + Send + 'static,
    F: Future<Output = Result<Response, ApiError>> + Send + 'static,
{
    let app = start().await?;
    run_with_streaming_response(service_fn(move |request| {
        // Boxed: the future of a whole request would be part of the runtime's own type.
        answer(handler, app.clone(), request).map(Ok::<_, Error>).boxed()
    }))
    .await
}
