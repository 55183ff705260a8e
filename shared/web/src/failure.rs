//! Failures of a request, and the one place where they become a page.

use std::error::Error;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use model::Forbidden;
use operations::notifications::SendError;
use operations::requests::RequestError;
use store::{InvitationError, KeyError, MailError, MemberError, ScheduleError, StoreError, TargetError, TenantError};

use crate::respond;
use crate::view;
use crate::view::layout::Shell;

/// Why a request failed. The page for an internal failure contains no internal details.
#[derive(Debug)]
pub enum Failure {
    /// No session: redirects to the sign-in page, then back to `to`.
    SignedOut {
        /// Path of the page, with its query.
        to: Option<String>,
    },
    /// The role does not allow it.
    Forbidden,
    /// The resource is not in the organization, whether or not it exists elsewhere.
    NotFound,
    /// The route does not take requests with this method.
    WrongMethod,
    /// The form was not sent by one of our own pages.
    OtherOrigin,
    /// The request is invalid.
    Invalid {
        /// What happened.
        happened: String,
        /// What to do.
        advice: &'static str,
    },
    /// The action is no longer possible. Contains what happened and what to do.
    Conflict(String),
    /// The form has already created what it asks for.
    Repeated,
    /// This build cannot create PDFs.
    NoDocuments,
    /// A failure that is logged where it is noticed.
    Other(FailureText),
    /// The store is unavailable at the moment.
    Unavailable(StoreError),
    /// Anything else.
    Internal(Box<dyn Error + Send + Sync>),
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, happened, advice) = match self {
            Self::SignedOut { to } => return Redirect::to(&respond::sign_in_address(to.as_deref())).into_response(),
            Self::Forbidden => (StatusCode::FORBIDDEN, None, None),
            Self::NotFound => (StatusCode::NOT_FOUND, None, None),
            Self::OtherOrigin => {
                let happened = "The form was sent by another site, so nothing was changed.".to_owned();
                (StatusCode::FORBIDDEN, Some(happened), Some("Open the page in the dashboard and send the form there."))
            }
            Self::Invalid { happened, advice } => (StatusCode::BAD_REQUEST, Some(happened), Some(advice)),
            Self::NoDocuments => {
                let happened = "This build of `posture` cannot create PDFs.".to_owned();
                let advice = "Stop the service, and start it with `cargo run --features pdf -- serve`.";
                (StatusCode::NOT_IMPLEMENTED, Some(happened), Some(advice))
            }
            Self::WrongMethod => (StatusCode::METHOD_NOT_ALLOWED, None, None),
            Self::Repeated => {
                let happened = "This form was already sent, so nothing more was created.".to_owned();
                let advice = "A key, a secret or a link is shown only once. If you did not copy it, create another.";
                (StatusCode::CONFLICT, Some(happened), Some(advice))
            }
            Self::Conflict(happened) => (StatusCode::CONFLICT, Some(happened), None),
            Self::Other(FailureText { status, happened, advice }) => (status, happened, advice),
            Self::Unavailable(error) => {
                tracing::error!(error = %error, "a request failed");
                (StatusCode::SERVICE_UNAVAILABLE, None, None)
            }
            Self::Internal(error) => {
                tracing::error!(error = %error, "a request failed");
                (StatusCode::INTERNAL_SERVER_ERROR, None, None)
            }
        };
        let shown = FailureText { status, happened, advice };
        let mut response = shown.page(None);
        response.extensions_mut().insert(shown);
        response
    }
}

/// The text of a failure's page. The response carries it, so that the guard can put it into the viewer's frame.
#[derive(Debug, Clone)]
pub struct FailureText {
    /// Status of the response.
    pub status: StatusCode,
    /// What happened, if more is known than the status.
    pub happened: Option<String>,
    /// What to do, if more is known than the status.
    pub advice: Option<&'static str>,
}

impl FailureText {
    /// Returns the page, in the frame of a signed-in person if there is one.
    pub(crate) fn page(&self, shell: Option<&Shell>) -> Response {
        let (happened, advice) = (self.happened.as_deref(), self.advice);
        let page = view::error::Page { shell, status: self.status.as_u16(), happened, advice };
        (self.status, respond::page(view::error::page(&page))).into_response()
    }
}

impl Failure {
    /// Returns the failure of a form without one of its fields.
    pub fn incomplete() -> Self {
        Self::Invalid {
            happened: "The form was sent without some of its fields.".to_owned(),
            advice: "Go back, reload the page and send the form again.",
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Repeated => Self::Repeated,
            error if error.is_transient() => Self::Unavailable(error),
            error => Self::Internal(Box::new(error)),
        }
    }
}

impl From<Forbidden> for Failure {
    fn from(_: Forbidden) -> Self {
        Self::Forbidden
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NotFound | KeyError::NoOrganization | KeyError::NoTenant => Self::NotFound,
            KeyError::Store(error) => error.into(),
        }
    }
}

impl From<MemberError> for Failure {
    fn from(error: MemberError) -> Self {
        match error {
            MemberError::NotFound => Self::NotFound,
            MemberError::LastAdmin => Self::Conflict(
                "This is the last Admin of the organization, so nothing was changed. Make another member an Admin first."
                    .to_owned(),
            ),
            MemberError::Store(error) => error.into(),
        }
    }
}

impl From<InvitationError> for Failure {
    fn from(error: InvitationError) -> Self {
        match error {
            InvitationError::Store(error) => error.into(),
            InvitationError::NoOrganization | InvitationError::Ended | InvitationError::AlreadyMember(_) => {
                Self::NotFound
            }
        }
    }
}

impl From<TenantError> for Failure {
    fn from(error: TenantError) -> Self {
        match error {
            TenantError::NotFound(_) => Self::NotFound,
            TenantError::Exists => Self::Conflict(error.to_string()),
            TenantError::Store(error) => error.into(),
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Tenant(error) => error.into(),
            RequestError::NotConnected => Self::Conflict(error.to_string()),
            RequestError::Queue(_) => Self::Internal(Box::new(error)),
        }
    }
}

impl From<ScheduleError> for Failure {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::TooMany => Self::Conflict(error.to_string()),
            ScheduleError::Store(error) => error.into(),
        }
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        match error {
            TargetError::NotFound => Self::NotFound,
            TargetError::TooMany | TargetError::TooManyOfOne | TargetError::OtherKind | TargetError::NotActive => {
                Self::Conflict(error.to_string())
            }
            TargetError::Store(error) => error.into(),
        }
    }
}

impl From<MailError> for Failure {
    fn from(error: MailError) -> Self {
        match error {
            MailError::NotFound => Self::NotFound,
            MailError::NoAddress | MailError::TooSoon => Self::Conflict(error.to_string()),
            MailError::Ended => {
                let (happened, advice) =
                    (Some(error.to_string()), Some("Ask for a new one under Settings, Your mail."));
                Self::Other(FailureText { status: StatusCode::NOT_FOUND, happened, advice })
            }
            MailError::Store(error) => error.into(),
        }
    }
}

impl From<SendError> for Failure {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Target(error) => error.into(),
            SendError::Mail(error) => error.into(),
            SendError::Queue(_) => Self::Internal(Box::new(error)),
        }
    }
}
