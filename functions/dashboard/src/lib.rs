//! The dashboard: pages rendered by the server, in which an organization's people read, edit and hand over reports.
//!
//! - [`routes`]: every route, and who may use it. `web` guards them.
//! - `pages`: their handlers; `view`: what pages are made of.
//! - `sign_in`: OpenID Connect with any issuer.

mod connect;
mod pages;
pub mod routes;
#[cfg(feature = "secrets-manager")]
mod secret;
mod sign_in;
mod view;

use std::sync::Arc;

use api::App;
use axum::{Extension, Router};
use operations::Queues;
use web::failure::Failure;
use web::sign_in::Settings;
use web::{Dashboard, Documents};

use crate::connect::Configured;
pub use crate::connect::{CALLBACK, Connector};
use crate::routes::ROUTES;
#[cfg(feature = "secrets-manager")]
pub use crate::secret::KeptSecret;
use crate::sign_in::Issuer;

/// All pages of the dashboard, and what some of them need besides.
pub struct Pages {
    dashboard: Dashboard,
    issuer: Arc<Issuer>,
    api_url: ApiUrl,
    queues: Queues,
    configured: Configured,
    mail: MailOffered,
}

/// Base address of the API, for the commands that are shown with a new key.
#[derive(Clone)]
struct ApiUrl(Arc<str>);

/// Whether the service sends mail.
#[derive(Clone, Copy)]
struct MailOffered(bool);

impl MailOffered {
    /// Refuses a form for mail where none is sent.
    fn required(self) -> Result<(), Failure> {
        let refused = || Failure::Conflict("this service sends no mail: ask its operator to set it up".to_owned());
        self.0.then_some(()).ok_or_else(refused)
    }
}

impl Pages {
    /// Returns the pages about an application's table, with the issuer that people sign in with.
    pub fn new(app: App, api_url: &str, sign_in: Settings) -> Self {
        let issuer = Arc::new(Issuer::new(sign_in));
        let form_targets = Arc::clone(&issuer);
        Self {
            dashboard: Dashboard::new(app, move || form_targets.origins()),
            issuer,
            api_url: ApiUrl(api_url.into()),
            queues: Queues::default(),
            configured: Configured(None),
            mail: MailOffered(false),
        }
    }

    /// Returns the pages with a PDF renderer.
    #[must_use]
    pub fn with_documents(self, documents: Documents) -> Self {
        Self { dashboard: self.dashboard.with_documents(documents), ..self }
    }

    /// Returns the pages for an API whose reports have another address than the dashboard's own.
    #[must_use]
    pub fn with_report_links(self, address: &str) -> Self {
        Self { dashboard: self.dashboard.with_report_links(address), ..self }
    }

    /// Returns the pages with queues, unless the workers look into the table themselves.
    #[must_use]
    pub fn with_queues(self, queues: Queues) -> Self {
        Self { queues, ..self }
    }

    /// Returns the pages with the application through which tenants are connected.
    #[must_use]
    pub fn with_connector(self, connector: Connector) -> Self {
        let dashboard = self.dashboard.leading_to(&connector.application.hosts.login);
        Self { dashboard, configured: Configured(Some(Arc::new(connector))), ..self }
    }

    /// Returns the pages of a service that sends mail.
    #[must_use]
    pub fn with_mail(self) -> Self {
        Self { mail: MailOffered(true), ..self }
    }

    /// Returns the service that handles every request of the dashboard.
    pub fn router(self) -> Router {
        web::router(self.dashboard, ROUTES)
            .layer(Extension(self.issuer))
            .layer(Extension(self.api_url))
            .layer(Extension(self.queues))
            .layer(Extension(self.configured))
            .layer(Extension(self.mail))
    }
}
