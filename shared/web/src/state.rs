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
use store::Store;

use crate::cookies::Cookies;
use crate::documents::Documents;
use crate::sign_in::origin;

/// Shared state; created once, cheap to clone.
#[derive(Clone)]
pub struct Dashboard {
    /// The table.
    pub store: Store,
    /// The dashboard's own address, without a trailing slash.
    pub address: Arc<str>,
    /// Address of the dashboard in the API's reports, without a trailing slash.
    pub(crate) report_links: Arc<str>,
    /// Where PDFs are created.
    pub documents: Documents,
    /// Returns the origins that forms may lead to besides this one: those of the issuer.
    pub(crate) form_targets: Arc<dyn Fn() -> Vec<String> + Send + Sync>,
    clock: Clock,
}

impl Dashboard {
    /// Returns the dashboard of an application's table. `form_targets` returns the origins that forms may lead to
    /// besides this one: those of the issuer that people sign in with.
    pub fn new(app: App, form_targets: impl Fn() -> Vec<String> + Send + Sync + 'static) -> Self {
        Self {
            store: app.store,
            report_links: Arc::clone(&app.dashboard_url),
            address: app.dashboard_url,
            documents: Documents::default(),
            form_targets: Arc::new(form_targets),
            clock: app.clock,
        }
    }

    /// Returns the dashboard with a PDF renderer.
    #[must_use]
    pub fn with_documents(self, documents: Documents) -> Self {
        Self { documents, ..self }
    }

    /// Returns the dashboard for an API whose reports have another address than the dashboard's own.
    #[must_use]
    pub fn with_report_links(self, address: &str) -> Self {
        Self { report_links: address.trim_end_matches('/').into(), ..self }
    }

    /// Returns the dashboard whose forms may also lead to an address.
    #[must_use]
    pub fn leading_to(self, address: &str) -> Self {
        let (targets, also) = (self.form_targets, origin(address));
        let form_targets = Arc::new(move || targets().into_iter().chain(also.clone()).collect());
        Self { form_targets, ..self }
    }

    /// Attaches a copy of the state to the request; its retries stop before the Lambda invocation times out.
    pub(crate) async fn for_request(State(all): State<Self>, mut request: Request, next: Next) -> Response {
        let store = within_invocation(&all.store, &request);
        request.extensions_mut().insert(Self { store, ..all });
        next.run(request).await
    }

    /// Returns the cookies of this dashboard.
    pub fn cookies(&self) -> Cookies {
        Cookies::at(&self.address)
    }

    /// Returns the time.
    pub fn now(&self) -> Timestamp {
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
