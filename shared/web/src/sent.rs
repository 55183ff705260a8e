//! A form as it was sent, read before its handler is called.

use axum::body::{Body, to_bytes};
use axum::extract::multipart::Multipart;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;

use crate::failure::{Failure, FailureText};
use crate::view::form::{ORGANIZATION, RESUME, TO};
use crate::view::text::megabytes;

/// Maximum size of an upload in bytes. An invocation of a function takes 6 MB, in which the upload is written in Base64.
pub const LIMIT: usize = 4_000_000;
/// Room for the form's other fields and for the names of its files, in bytes.
const REST_OF_FORM: usize = 250_000;
/// Maximum size of a form in bytes.
pub const LARGEST_FORM: usize = LIMIT + REST_OF_FORM;
/// Fields that people do not see.
const UNSEEN: [&str; 9] = [ORGANIZATION, RESUME, TO, "seen", "form", "upload", "filter", "control", "administrator"];

/// The texts of a form, without its files.
#[derive(Debug, Clone, Default)]
pub struct Sent {
    texts: Vec<(String, String)>,
    pub(crate) is_multipart: bool,
}

impl Sent {
    /// Reads the form of a request, which keeps its body.
    pub(crate) async fn read(request: Request) -> Result<(Self, Request), Failure> {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, LARGEST_FORM).await.map_err(|_| too_large())?;
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let sent = if kind.starts_with("multipart/") {
            let copy = Request::from_parts(parts.clone(), Body::from(body.clone()));
            Self { texts: multipart_texts(copy).await, is_multipart: true }
        } else {
            Self { texts: form_urlencoded::parse(&body).into_owned().collect(), is_multipart: false }
        };
        Ok((sent, Request::from_parts(parts, Body::from(body))))
    }

    /// Returns the text of a field.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.iter().find(|(field, _)| field == name).map(|(_, text)| text.as_str())
    }

    /// Returns all fields but those that say how to resume the form.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        fields.filter(|(name, _)| *name != RESUME && *name != TO)
    }

    /// Returns what a person typed or chose.
    pub(crate) fn typed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields().filter(|(name, text)| !UNSEEN.contains(name) && !text.trim().is_empty())
    }
}

/// Returns the failure of an upload that is larger than one request takes.
pub fn too_large() -> Failure {
    let happened = Some(format!("An upload can have up to {}.", megabytes(LIMIT as u64)));
    Failure::Other(FailureText { status: StatusCode::PAYLOAD_TOO_LARGE, happened, advice: None })
}

/// Returns the texts of a form with files, up to the first part that cannot be read.
async fn multipart_texts(mut request: Request) -> Vec<(String, String)> {
    DefaultBodyLimit::max(LARGEST_FORM).apply(&mut request);
    let mut texts = Vec::new();
    let Ok(mut form) = Multipart::from_request(request, &()).await else { return texts };
    while let Ok(Some(field)) = form.next_field().await {
        if field.file_name().is_some() {
            continue;
        }
        let name = field.name().unwrap_or_default().to_owned();
        match field.text().await {
            Ok(text) => texts.push((name, text)),
            Err(_) => break,
        }
    }
    texts
}

impl<S: Sync> FromRequestParts<S> for Sent {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        // Every form for signed-in people has passed the guard.
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}
