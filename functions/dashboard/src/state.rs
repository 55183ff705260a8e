//! Shared state of all handlers.

use std::fmt;
use std::sync::Arc;

use api::runtime::within_invocation;
use api::{App, Clock};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use model::Timestamp;
use operations::requests::Queue;
use store::Store;

use crate::cookies::Cookies;
use crate::documents::Documents;
use crate::sign_in::{Issuer, Settings};

/// Shared state; created once, cheap to clone.
#[derive(Clone)]
pub struct Dashboard {
    pub(crate) store: Store,
    /// The dashboard's own address, without a trailing slash.
    pub(crate) address: Arc<str>,
    /// Address of the dashboard in the API's reports, without a trailing slash.
    pub(crate) report_links: Arc<str>,
    /// Base address of the API, for the commands that are shown with a new key.
    pub(crate) api_url: Arc<str>,
    pub(crate) issuer: Arc<Issuer>,
    pub(crate) documents: Documents,
    /// The queue of requests for reports.
    pub(crate) queue: Queue,
    clock: Clock,
}

impl Dashboard {
    /// Returns the dashboard of an application's table, with the issuer that people sign in with.
    pub fn new(app: App, api_url: &str, sign_in: Settings) -> Self {
        let issuer = Arc::new(Issuer::new(sign_in));
        Self {
            store: app.store,
            report_links: Arc::clone(&app.dashboard_url),
            address: app.dashboard_url,
            api_url: api_url.into(),
            issuer,
            documents: Documents::default(),
            queue: Queue::default(),
            clock: app.clock,
        }
    }

    /// Returns the dashboard with a PDF renderer.
    #[must_use]
    pub fn with_documents(self, documents: Documents) -> Self {
        Self { documents, ..self }
    }

    /// Returns the dashboard with a queue of requests, unless the worker looks into the table itself.
    #[must_use]
    pub fn with_queue(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// Returns the dashboard for an API whose reports have another address than the dashboard's own.
    #[must_use]
    pub fn with_report_links(self, address: &str) -> Self {
        Self { report_links: address.trim_end_matches('/').into(), ..self }
    }

    /// Attaches a copy of the state to the request; its retries stop before the Lambda invocation times out.
    pub(crate) async fn for_request(State(all): State<Self>, mut request: Request, next: Next) -> Response {
        let store = within_invocation(&all.store, &request);
        request.extensions_mut().insert(Self { store, ..all });
        next.run(request).await
    }

    /// Returns the cookies of this dashboard.
    pub(crate) fn cookies(&self) -> Cookies {
        Cookies::at(&self.address)
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)().try_into().expect("the clock is within the years 0 to 9999")
    }
}

impl<S: Sync> FromRequestParts<S> for Dashboard {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        // Every request has passed `for_request`.
        parts.extensions.get().cloned().ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dashboard").field("address", &self.address).finish_non_exhaustive()
    }
}
