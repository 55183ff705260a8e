//! The start of every function: log set-up, configuration, one connection for all requests.

use std::env;
use std::time::{Duration, SystemTime};

use lambda_http::{Context, Error, RequestExt};
use tracing_subscriber::filter::LevelFilter;

use crate::ahead::Ahead;
use crate::{ApiError, App, Request, Response, respond, streaming};
use store::{Store, Timeouts, function_settings};

/// Settings of a function, from its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Name of the table (`TABLE_NAME`).
    pub table: String,
    /// Address of the dashboard (`DASHBOARD_URL`).
    pub dashboard_url: String,
}

/// A required variable is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {0} is not set")]
pub struct MissingVariable(&'static str);

impl Config {
    /// Reads the environment.
    ///
    /// # Errors
    /// If a variable is missing; names the first one.
    pub fn from_env() -> Result<Self, MissingVariable> {
        let variable = |name| env::var(name).map_err(|_| MissingVariable(name));
        Ok(Self { table: variable("TABLE_NAME")?, dashboard_url: variable("DASHBOARD_URL")? })
    }
}

impl App {
    /// Returns a function's application, connected to its table.
    pub fn connect(config: &Config) -> Self {
        Self::new(Store::connect(&function_settings(Timeouts::REGIONAL), &config.table), &config.dashboard_url)
    }
}

/// The finest level that is logged, whatever the platform requests. Below it, the runtime and the SDK log the data that
/// passes through them: sent keys, stored names and addresses.
const FINEST_LEVEL: LevelFilter = LevelFilter::INFO;

/// Time reserved for the response when a wait for capacity ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Sets up the log with the platform's level and format.
///
/// The platform adds time and function itself. Levels per module, which the runtime's own set-up supports, would add an
/// engine for regular expressions to every function.
fn start_log() {
    let level = level(env::var("AWS_LAMBDA_LOG_LEVEL").ok().as_deref());
    let log = tracing_subscriber::fmt().with_max_level(level).with_target(false).without_time();
    match env::var("AWS_LAMBDA_LOG_FORMAT") {
        Ok(format) if format.eq_ignore_ascii_case("json") => log.json().init(),
        _ => log.init(),
    }
}

/// Returns the log level for the platform's name.
fn level(asked: Option<&str>) -> LevelFilter {
    asked.and_then(|level| level.parse::<LevelFilter>().ok()).map_or(FINEST_LEVEL, |level| level.min(FINEST_LEVEL))
}

/// Starts the log, and starts to create the handler's resources.
///
/// # Errors
/// If the configuration is incomplete.
pub fn start<T: Send + Sync + 'static>(
    connect: impl FnOnce(&Config) -> T + Send + 'static,
) -> Result<Ahead<T>, MissingVariable> {
    start_log();
    let config = Config::from_env()?;
    Ok(Ahead::start(move || connect(&config)))
}

/// Runs an endpoint's function: every response streams.
///
/// # Errors
/// If the function cannot start.
pub async fn run_endpoint<H, F>(handler: H) -> Result<(), Error>
where
    H: Fn(App, Request) -> F + Copy + Send + 'static,
    F: Future<Output = Result<Response, ApiError>> + Send + 'static,
{
    run_endpoint_with(|_| (), move |app, (), request| handler(app, request)).await
}

/// Runs an endpoint's function that needs more than the table.
///
/// # Errors
/// If the function cannot start.
pub async fn run_endpoint_with<T, H, F>(connect: fn(&Config) -> T, handler: H) -> Result<(), Error>
where
    T: Clone + Send + Sync + 'static,
    H: Fn(App, T, Request) -> F + Copy + Send + 'static,
    F: Future<Output = Result<Response, ApiError>> + Send + 'static,
{
    let resources = start(move |config: &Config| (App::connect(config), connect(config)))?;
    streaming::run(|request| {
        let (app, others) = &*resources;
        let (app, others) = (App { store: within_invocation(&app.store, &request), ..App::clone(app) }, others.clone());
        respond(move |app, request| handler(app, others.clone(), request), app, request)
    })
    .await
}

/// Returns the store for one request. Its waits for capacity end before the platform ends the invocation, so that the
/// caller still gets a clean response.
pub fn within_invocation(store: &Store, request: &impl RequestExt) -> Store {
    request.lambda_context_ref().map_or_else(|| store.clone(), |context| store.until(last_words(context)))
}

/// Returns when the waits of an invocation must end, so that there is time left for a clean response.
pub fn last_words(context: &Context) -> SystemTime {
    context.deadline() - LAST_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_keeps_a_second_for_its_response() {
        let mut context = Context::default();
        context.deadline = 10_000;
        assert_eq!(last_words(&context), SystemTime::UNIX_EPOCH + Duration::from_secs(9));
    }

    #[test]
    fn no_log_level_reveals_secrets() {
        for (asked, level_of_log) in [
            (None, LevelFilter::INFO),
            (Some("TRACE"), LevelFilter::INFO),
            (Some("DEBUG"), LevelFilter::INFO),
            (Some("trace"), LevelFilter::INFO),
            (Some("unheard of"), LevelFilter::INFO),
            (Some("INFO"), LevelFilter::INFO),
            (Some("WARN"), LevelFilter::WARN),
            (Some("ERROR"), LevelFilter::ERROR),
        ] {
            assert_eq!(level(asked), level_of_log, "{asked:?}");
        }
    }
}
