//! What an endpoint works with, and how its result becomes an answer.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use lambda_http::http::{HeaderValue, StatusCode, header};

use crate::answer::{Response, json_answer};
use crate::error::ApiError;
use crate::response::{Encoding, List};
use store::{Store, StoreError};

/// A request as the gateway passes it on.
pub type Request = lambda_http::Request;

/// What every endpoint works with; made once and cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The data.
    pub store: Store,
    /// Address of the dashboard, without a slash at its end.
    pub dashboard_url: Arc<str>,
    /// The time.
    pub clock: Clock,
}

/// Tells the time.
pub type Clock = fn() -> DateTime<Utc>;

impl App {
    /// An application on a store, with the system's time.
    pub fn new(store: Store, dashboard_url: &str) -> Self {
        Self { store, dashboard_url: dashboard_url.trim_end_matches('/').into(), clock: Utc::now }
    }

    /// Returns the application for one invocation, whose waits for capacity end at a moment.
    #[must_use]
    pub fn until(&self, moment: SystemTime) -> Self {
        Self { store: self.store.until(moment), ..self.clone() }
    }
}

/// Runs an endpoint's handler. A failure becomes its answer here and is logged here, once.
pub async fn answer<H, F>(handler: H, app: App, request: Request) -> Response
where
    H: Fn(App, Request) -> F,
    F: Future<Output = Result<Response, ApiError>>,
{
    handler(app, request).await.unwrap_or_else(|error| {
        if matches!(error, ApiError::Unavailable(_) | ApiError::Internal(_)) {
            tracing::error!(error = %error, "a request failed");
        }
        error.into_response()
    })
}

/// A success whose list streams, in the coding that the client accepts.
///
/// # Errors
/// What reading the first rows failed with.
pub async fn list(request: &Request, list: List<StoreError>) -> Result<Response, ApiError> {
    let accepted = request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let encoding = Encoding::accepted(accepted);
    let body = list.send(encoding).await?;
    let mut response = json_answer(StatusCode::OK);
    if encoding == Encoding::Gzip {
        response = response.header(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response.body(body).expect("static headers are valid"))
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("dashboard_url", &self.dashboard_url).finish_non_exhaustive()
    }
}
