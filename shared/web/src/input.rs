//! Extractors for path, query and form. They are strict: an unknown path is a 404, a malformed query or form a 400.

use axum::extract::{Form, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use model::{DisplayName, InvalidName};
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// The parameters of a path.
pub struct Named<T>(pub T);

impl<S: Sync + Send, T: DeserializeOwned + Send> FromRequestParts<S> for Named<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(value)| Self(value)).map_err(|_| Failure::NotFound)
    }
}

/// The parameters of a query.
pub struct Asked<T>(pub T);

impl<S: Sync + Send, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let query = Query::from_request_parts(parts, state).await;
        query.map(|Query(value)| Self(value)).map_err(|_| Failure::Invalid {
            happened: "The address has parameters that cannot be read.".to_owned(),
            advice: "Go back and choose the link again.",
        })
    }
}

/// The fields of a form.
pub struct Fields<T>(pub T);

impl<S: Sync + Send, T: DeserializeOwned> FromRequest<S> for Fields<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let form = Form::from_request(request, state).await;
        form.map(|Form(value)| Self(value)).map_err(|_| Failure::incomplete())
    }
}

/// Reads a name that may be left empty.
///
/// # Errors
/// If it is not a name.
pub fn optional(text: &str) -> Result<Option<DisplayName>, InvalidName> {
    (!text.trim().is_empty()).then(|| text.parse()).transpose()
}
