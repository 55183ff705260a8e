//! Signing in by OpenID Connect: code flow with PKCE (S256), state and nonce, with any issuer.
//!
//! Membership comes from invitations. The issuer confirms who a person is, and nothing else that it says is trusted.

mod handlers;
mod http;
mod issuer;
pub(crate) mod pending;
pub(crate) mod token;

use axum::http::StatusCode;
use web::failure::{Failure, FailureText};

pub(crate) use handlers::{
    accept_invitation, callback, invitation, offer, sign_out, sign_out_everywhere, signed_out, start,
};
pub(crate) use issuer::Issuer;

/// Why a person was not signed in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    /// The browser brought no sign-in cookie: too old, or begun elsewhere.
    #[error("no sign-in is pending in this browser")]
    NotPending,
    /// The response does not belong to the sign-in that the browser began.
    #[error("the state differs")]
    OtherState,
    /// The issuer did not sign the person in.
    #[error("the issuer refused")]
    Refused,
    /// The issuer cannot be reached or responds with an error.
    #[error("the issuer failed: {0}")]
    Issuer(String),
    /// The issuer's identity token cannot be trusted.
    #[error("the identity token was refused: {0}")]
    Token(String),
    /// The person is not a member of any organization.
    #[error("the person is not a member")]
    NotAMember,
    /// The invitation is used, revoked or too old.
    #[error("the invitation has ended")]
    InvitationEnded,
}

impl From<SignInError> for Failure {
    fn from(error: SignInError) -> Self {
        tracing::warn!(error = %error, "a sign-in was refused");
        let (status, advice) = error.advice();
        Self::Other(FailureText { status, happened: Some(error.happened()), advice: Some(advice) })
    }
}

impl SignInError {
    /// Returns what happened, for a page.
    fn happened(&self) -> String {
        match self {
            Self::NotPending => "No sign-in is in progress in this browser, or it took more than 10 minutes.",
            Self::OtherState => "This response belongs to a different sign-in.",
            Self::Refused => "You were not signed in: the sign-in was cancelled or refused.",
            Self::Issuer(_) => "The sign-in service cannot be reached, or its response cannot be used.",
            Self::Token(_) => "The sign-in service's response could not be verified, so you were not signed in.",
            Self::NotAMember => "You are signed in, but you are not a member of an organization here.",
            Self::InvitationEnded => "The invitation is used, revoked or older than 7 days.",
        }
        .to_owned()
    }

    /// Returns the status of the page, and what to do.
    fn advice(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NotPending | Self::OtherState | Self::Refused => (StatusCode::BAD_REQUEST, "Sign in again."),
            Self::Issuer(_) => {
                (StatusCode::BAD_GATEWAY, "Try again in a moment. If it persists, contact your operator.")
            }
            Self::Token(_) => (StatusCode::BAD_REQUEST, "Sign in again. If it fails again, contact your operator."),
            Self::NotAMember => (StatusCode::FORBIDDEN, "Ask an Admin of your organization for an invitation."),
            Self::InvitationEnded => (StatusCode::GONE, "Ask the person who invited you for a new link."),
        }
    }
}
