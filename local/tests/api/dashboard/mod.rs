//! The dashboard: who may use which route, and that nothing of another organization is in any response.

mod brand;
mod connecting;
mod coverage;
mod desk;
#[cfg(feature = "pdf")]
mod documents;
#[cfg(feature = "pdf")]
mod documents_in_bucket;
mod edits;
mod forms;
mod hostile;
mod imports;
mod intake;
mod issuer;
mod links;
mod overview;
mod pdf;
mod protection;
mod reads;
mod roles;
mod schedules;
mod set_back;
mod several;
mod shown;
mod sign_in;
mod tasks;
mod texts;
mod tokens;

pub(crate) use desk::Desk;
pub(crate) use roles::hidden;

use std::future::ready;
use std::io::{Seek, Write};
use std::sync::Arc;

use api::App;
use axum::Router;
use axum::body::Body;
use dashboard::Pages;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::BodyExt;
use lambda_http::http::{HeaderMap, Request};
use model::{IdentityHash, OrganizationId, RequestId, Role, Timestamp};
use store::{Membership, Organization, Person};
use tower::ServiceExt;
use web::sign_in::Settings;
use web::{Archive, ArchiveError, Archives, Documents};

use crate::support::{DASHBOARD, TestApp, by_operator};

/// The dashboard of a service, signed in to by an issuer that nobody listens at. A PDF is the report that it is of.
pub(crate) fn dashboard_of(app: &TestApp) -> Router {
    dashboard_over(app.app.clone())
}

/// The same on another connection to the table.
pub(crate) fn dashboard_over(app: App) -> Router {
    let archives: Option<Arc<dyn Archives>> = Some(Arc::new(AnyArchive));
    dashboard_with(app, Documents::Here { render: |report, _| Ok(report.to_vec()), largest: usize::MAX, archives })
}

/// An archive of every set: the name of the set.
#[derive(Debug)]
struct AnyArchive;

impl Archives for AnyArchive {
    fn archive<'a>(
        &'a self,
        _: &'a OrganizationId,
        set: &'a RequestId,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Option<Archive>, ArchiveError>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(set.as_str().as_bytes()).unwrap();
        file.rewind().unwrap();
        ready(Ok(Some(Archive::File(file)))).boxed()
    }
}

pub(crate) fn dashboard_with(app: App, documents: Documents) -> Router {
    let pages = Pages::new(app, "https://api.example", settings()).with_documents(documents);
    pages.with_connector(connecting::connector(&connecting::stand_in(&[]))).with_mail().router()
}

fn settings() -> Settings {
    Settings {
        issuer: "http://localhost:1/issuer".to_owned(),
        client_id: "dashboard".to_owned(),
        client_secret: None,
        pool_url: None,
        identities: None,
    }
}

pub(crate) fn now(app: &TestApp) -> Timestamp {
    (app.app.clock)().try_into().unwrap()
}

/// Makes somebody a member by an invitation, as they would become one.
pub(crate) async fn join(app: &TestApp, organization: &Organization, role: Role, subject: &str) -> Membership {
    let (secret, _) = by_operator(organization, now(app)).invite(role, None).await.unwrap();
    let identity = IdentityHash::of("https://issuer.example", subject);
    let person = Person { identity, name: subject.to_owned(), email: None };
    app.app.store.accept_invitation(&secret, person, now(app)).await.unwrap()
}

/// The cookie of a new session.
pub(crate) async fn sign_in(app: &TestApp, membership: &Membership) -> String {
    let sessions = app.app.store.sessions(&membership.organization_id);
    let secret = sessions.begin(membership.member_id.clone(), now(app)).await.unwrap();
    let value = format!("{}~{}~{}", membership.organization_id, membership.member_id, secret.reveal());
    format!("__Host-posture-session={value}")
}

pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Received {
    pub(crate) fn location(&self) -> &str {
        self.headers.get("location").map_or("", |value| value.to_str().unwrap())
    }
}

/// What each part of a form with files begins with.
const BOUNDARY: &str = "--part\r\n";
const MULTIPART: &str = "multipart/form-data; boundary=part";

/// A form with files as browsers send it, of texts and one file by their names.
pub(crate) fn multipart(fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> Vec<u8> {
    let file = file.map(|(name, bytes)| (format!("{name}\"; filename=\"{name}"), bytes));
    parts(fields, file)
}

/// The form of an upload, of texts and files by their names.
pub(crate) fn upload(fields: &[(&str, &str)], files: &[(&str, &[u8])]) -> Vec<u8> {
    parts(fields, files.iter().map(|(name, bytes)| (format!("files\"; filename=\"{name}"), *bytes)))
}

fn parts<'a>(fields: &[(&'a str, &'a str)], files: impl IntoIterator<Item = (String, &'a [u8])>) -> Vec<u8> {
    let mut form = Vec::new();
    let fields = fields.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes()));
    for (name, value) in fields.chain(files) {
        form.extend_from_slice(BOUNDARY.as_bytes());
        form.extend_from_slice(format!("Content-Disposition: form-data; name=\"{name}\"\r\n\r\n").as_bytes());
        form.extend_from_slice(value);
        form.extend_from_slice(b"\r\n");
    }
    form.extend_from_slice(b"--part--\r\n");
    form
}

/// Adds fields to a form that has others.
pub(crate) fn with_fields(form: &[u8], fields: &[(&str, &str)]) -> Vec<u8> {
    if form.starts_with(BOUNDARY.as_bytes()) {
        let begun = multipart(fields, None);
        [begun.strip_suffix(b"--part--\r\n").unwrap(), form].concat()
    } else {
        let begun = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        [form, b"&", begun.as_bytes()].concat()
    }
}

/// Sends a request as a browser does from a page of the dashboard. A form is of the session's organization.
pub(crate) async fn send(
    router: &Router,
    method: &str,
    path: &str,
    cookie: Option<&str>,
    form: impl AsRef<[u8]>,
) -> Received {
    let organization = cookie.and_then(|cookie| cookie.split(['=', '~']).nth(1));
    let form = organization.map_or(form.as_ref().to_vec(), |id| with_fields(form.as_ref(), &[("organization", id)]));
    send_from(router, method, path, cookie, form, DASHBOARD).await
}

pub(crate) async fn send_from(
    router: &Router,
    method: &str,
    path: &str,
    cookie: Option<&str>,
    form: impl AsRef<[u8]>,
    origin: &str,
) -> Received {
    let form = form.as_ref();
    let mut request = Request::builder().method(method).uri(path).header("host", "dashboard.example");
    if let Some(cookie) = cookie {
        request = request.header("cookie", cookie);
    }
    if method == "POST" {
        let kind = if form.starts_with(BOUNDARY.as_bytes()) { MULTIPART } else { "application/x-www-form-urlencoded" };
        request = request.header("content-type", kind).header("origin", origin);
    }
    let response = router.clone().oneshot(request.body(Body::from(form.to_vec())).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Received { status: parts.status.as_u16(), headers: parts.headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}
