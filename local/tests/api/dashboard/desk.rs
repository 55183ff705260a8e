//! An Admin at the dashboard.

use axum::Router;
use model::Role;

use super::{Received, dashboard_of, join, send, sign_in};
use crate::support::TestApp;

/// A service, and an Admin of its first organization who is signed in.
pub(crate) struct Desk {
    pub(crate) app: TestApp,
    pub(crate) router: Router,
    pub(crate) admin: String,
}

impl Desk {
    pub(crate) async fn new() -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::Admin, "Amara").await;
        let (router, admin) = (dashboard_of(&app), sign_in(&app, &member).await);
        Self { app, router, admin }
    }

    /// Returns the text of a page.
    pub(crate) async fn get(&self, path: &str) -> String {
        let page = send(&self.router, "GET", path, Some(&self.admin), "").await;
        assert_eq!(page.status, 200, "{path}");
        page.text
    }

    /// Sends a form.
    pub(crate) async fn post(&self, path: &str, form: impl AsRef<[u8]>) -> Received {
        send(&self.router, "POST", path, Some(&self.admin), form).await
    }
}
