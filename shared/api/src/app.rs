//! The resources of an endpoint, and the conversion of its result into a response.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use lambda_http::http::{HeaderValue, StatusCode, header};

use crate::error::ApiError;
use crate::response::{Body, Encoding, List, Response, Row, tagged_head};
use crate::tag::Tag;
use model::OrganizationId;
use store::{Store, StoreError};

/// A request, as forwarded by the gateway.
pub type Request = lambda_http::Request;

/// The resources of every endpoint; created once and cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The data.
    pub store: Store,
    /// Address of the dashboard, without a trailing slash.
    pub dashboard_url: Arc<str>,
    /// The clock.
    pub clock: Clock,
}

/// Returns the current time.
pub type Clock = fn() -> DateTime<Utc>;

impl App {
    /// Returns an application on a store, with the system's clock.
    pub fn new(store: Store, dashboard_url: &str) -> Self {
        Self { store, dashboard_url: dashboard_url.trim_end_matches('/').into(), clock: Utc::now }
    }

    /// Begins the tag of an endpoint's response to an organization.
    pub fn tag(&self, endpoint: &'static str, organization: &OrganizationId) -> Tag {
        Tag::of(endpoint, organization, &self.dashboard_url)
    }

    /// Returns the application for one invocation, whose waits for capacity end at a given time.
    #[must_use]
    pub fn until(&self, moment: SystemTime) -> Self {
        Self { store: self.store.until(moment), ..self.clone() }
    }
}

/// Runs an endpoint's handler. Converts a failure into its response and logs it, once.
pub async fn respond<H, F>(handler: H, app: App, request: Request) -> Response
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

/// Returns a success whose list streams, in a coding that the client accepts.
///
/// # Errors
/// If reading the first rows fails.
pub async fn list(request: &Request, tag: &Tag, list: List<StoreError>) -> Result<Response, ApiError> {
    let encoding = accepted(request);
    Ok(success(tag, encoding, list.send(encoding).await?))
}

/// Returns a success with a single row, in a coding that the client accepts.
///
/// # Errors
/// If the row is damaged.
pub fn one(request: &Request, tag: &Tag, row: Row) -> Result<Response, ApiError> {
    let encoding = accepted(request);
    Ok(success(tag, encoding, row.send(encoding).map_err(StoreError::from)?))
}

fn accepted(request: &Request) -> Encoding {
    Encoding::accepted(request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()))
}

fn success(tag: &Tag, encoding: Encoding, body: Body) -> Response {
    let mut response = tagged_head(StatusCode::OK, tag.header());
    if encoding == Encoding::Gzip {
        response = response.header(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response.body(body).expect("headers are valid")
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("dashboard_url", &self.dashboard_url).finish_non_exhaustive()
    }
}
