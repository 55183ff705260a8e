//! The dashboard: who may use which route, and that nothing of another organization is in any answer.

mod edits;
mod links;
mod roles;
mod sign_in;

use axum::Router;
use axum::body::Body;
use dashboard::sign_in::Settings;
use dashboard::{Dashboard, router};
use http_body_util::BodyExt;
use lambda_http::http::{HeaderMap, Request};
use model::{IdentityHash, Role, Timestamp};
use store::{Membership, Organization, Person};
use tower::ServiceExt;

use crate::support::{DASHBOARD, TestApp};

/// The dashboard of a service, signed in to by an issuer that nobody listens at.
pub(crate) fn dashboard_of(app: &TestApp) -> Router {
    let settings = Settings {
        issuer: "http://localhost:1/issuer".to_owned(),
        client_id: "dashboard".to_owned(),
        client_secret: None,
        pool_url: None,
    };
    router(Dashboard::new(app.app.clone(), "https://api.example", settings))
}

pub(crate) fn now(app: &TestApp) -> Timestamp {
    (app.app.clock)().try_into().unwrap()
}

/// Makes somebody a member by an invitation, as they would become one.
pub(crate) async fn join(app: &TestApp, organization: &Organization, role: Role, subject: &str) -> Membership {
    let (secret, _) = organization.invite(role, None, now(app)).await.unwrap();
    let identity = IdentityHash::of("https://issuer.example", subject);
    let person = Person { identity, name: subject.to_owned(), email: None };
    app.app.store.accept_invitation(&secret, person, now(app)).await.unwrap()
}

/// The cookie of a new session.
pub(crate) async fn sign_in(app: &TestApp, membership: &Membership) -> String {
    let organization = app.app.store.organization(&membership.organization_id);
    let secret = organization.begin_session(membership.member_id.clone(), now(app)).await.unwrap();
    let value = format!("{}~{}~{}", membership.organization_id, membership.member_id, secret.reveal());
    format!("__Host-posture-session={value}")
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn location(&self) -> &str {
        self.headers.get("location").map_or("", |value| value.to_str().unwrap())
    }
}

/// Sends a request as a browser does from a page of the dashboard.
pub(crate) async fn send(router: &Router, method: &str, path: &str, cookie: Option<&str>, form: &str) -> Answer {
    send_from(router, method, path, cookie, form, DASHBOARD).await
}

pub(crate) async fn send_from(
    router: &Router,
    method: &str,
    path: &str,
    cookie: Option<&str>,
    form: &str,
    origin: &str,
) -> Answer {
    let mut request = Request::builder().method(method).uri(path).header("host", "dashboard.example");
    if let Some(cookie) = cookie {
        request = request.header("cookie", cookie);
    }
    if method == "POST" {
        request = request.header("content-type", "application/x-www-form-urlencoded").header("origin", origin);
    }
    let response = router.clone().oneshot(request.body(Body::from(form.to_owned())).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Answer { status: parts.status.as_u16(), headers: parts.headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}
