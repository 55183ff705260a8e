//! Connecting a tenant, without its pages: the visits to Microsoft, and the reasons of a refusal.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode};
use axum_extra::extract::cookie::Cookie;
use chrono::Utc;
use graph::{Application, Clock, DELETED, Registered, TokenError, Tokens, concerns_tenant, may_consent, refusal};
use jsonwebtoken::jwk::JwkSet;
use model::{ProviderTenantId, ServiceTenantId};
use serde::{Deserialize, Serialize};
use store::{CONNECTING_MINUTES, Sighting};
use tokio::time::timeout;
use web::Cookies;
use web::failure::{Failure, FailureText};

use crate::sign_in::pending::{self, Visit};
use crate::sign_in::token::{self, Expected};

/// The address below the dashboard's own that consents and sign-ins of tenants' administrators return to.
pub const CALLBACK: &str = "/connections/callback";
/// Name of the cookie of a visit, before its prefix.
pub(crate) const COOKIE: &str = "posture-connect";
/// Longest time that a page waits for Microsoft: gateways end a request after 30 seconds.
const PATIENCE: Duration = Duration::from_secs(12);

/// The service's application, through which tenants are connected.
#[derive(Clone)]
pub struct Connector {
    /// The application.
    pub application: Registered,
}

/// The service's application, if its operator has set one up.
#[derive(Clone)]
pub(crate) struct Configured(pub(crate) Option<Arc<Connector>>);

/// A visit that has begun in this browser.
#[derive(Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) tenant: ServiceTenantId,
    #[serde(flatten)]
    pub(crate) visit: Visit,
}

/// Why a tenant was not connected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// The service has no application.
    #[error("the service has no application")]
    NoApplication,
    /// The browser brought no cookie, or that of another visit.
    #[error("no such visit is pending in this browser")]
    NotPending,
    /// The visit is not the one that is awaited: used, too old, or begun by somebody else.
    #[error("the visit is not awaited")]
    NotAwaited,
    /// Nobody consented, or nobody signed in.
    #[error("the visit was declined: {0}")]
    Declined(String),
    /// Microsoft answered about another tenant.
    #[error("the answer is about another tenant")]
    OtherTenant,
    /// The person could not have consented.
    #[error("the person holds no role that may consent")]
    NotAdministrator,
    /// The identity token lists no roles.
    #[error("the identity token lists no roles")]
    RolesUnknown,
    /// The identity token is none that Microsoft made for this sign-in.
    #[error("the sign-in cannot be verified: {0}")]
    Unverified(String),
    /// Microsoft cannot be reached, or refuses the application.
    #[error(transparent)]
    Token(#[from] TokenError),
}

impl Pending {
    pub(crate) fn of(cookies: Cookies, headers: &HeaderMap) -> Option<Self> {
        pending::read(cookies, headers, COOKIE)
    }

    pub(crate) fn cookie(&self, cookies: Cookies) -> Cookie<'static> {
        pending::written(cookies, COOKIE, self, time::Duration::minutes(CONNECTING_MINUTES))
    }
}

impl Configured {
    pub(crate) fn get(&self) -> Result<&Connector, ConnectError> {
        self.0.as_deref().ok_or(ConnectError::NoApplication)
    }
}

impl Connector {
    /// The clock and the tokens are those of one request, because timers may stand still between requests.
    fn application(&self) -> Application {
        Application::new(self.application.clone(), Clock::at(Utc::now()))
    }

    /// Proves by the code of a sign-in that the person may consent for a tenant. Nothing about the person is kept.
    pub(crate) async fn prove(
        &self,
        tenant: &ProviderTenantId,
        code: &str,
        visit: &Visit,
        redirect: &str,
    ) -> Result<(), ConnectError> {
        let application = self.application();
        let exchange = async {
            let token = application.redeem(tenant, code, &visit.verifier, redirect).await?;
            Ok::<_, TokenError>((token, application.keys(tenant).await?))
        };
        let late = |_| TokenError::Unavailable("no response in time".to_owned());
        let (token, keys) = timeout(PATIENCE, exchange).await.map_err(late)??;
        let keys: JwkSet =
            serde_json::from_value(keys).map_err(|_| ConnectError::Unverified("its keys are malformed".to_owned()))?;
        let expected = Expected {
            issuer: &self.application.issuer_of(tenant),
            client: &self.application.client_id,
            nonce: &visit.nonce,
        };
        let claims =
            token::check_by(&token, &keys, &expected).map_err(|error| ConnectError::Unverified(error.to_string()))?;
        if claims.tid.as_deref().and_then(|tid| tid.parse().ok()).as_ref() != Some(tenant) {
            return Err(ConnectError::OtherTenant);
        }
        let roles = claims.wids.ok_or(ConnectError::RolesUnknown)?;
        may_consent(roles.iter().map(String::as_str)).then_some(()).ok_or(ConnectError::NotAdministrator)
    }

    /// Asks whether a tenant lets the application in, and with which permissions.
    ///
    /// # Errors
    /// If that cannot be found out, or the reason is the application's own credential.
    pub(crate) async fn look(&self, tenant: &ProviderTenantId) -> Result<Sighting, TokenError> {
        let application = self.application();
        let late = |_| TokenError::Unavailable("no response in time".to_owned());
        match timeout(PATIENCE, application.token(tenant, None)).await.map_err(late)? {
            Ok(token) => Ok(Sighting::Open(token.permissions())),
            Err(TokenError::Refused { code }) if concerns_tenant(&code) => Ok(Sighting::Refused(code)),
            Err(error) => Err(error),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        tracing::warn!(%error, "a tenant was not connected");
        let (status, advice) = error.advice();
        Self::Other(FailureText { status, happened: Some(error.happened()), advice: Some(advice) })
    }
}

impl ConnectError {
    /// Returns what happened, for a page.
    fn happened(&self) -> String {
        let text = match self {
            Self::NoApplication => "The service has no application to read tenants with.",
            Self::NotPending => "No tenant is being connected in this browser, or it took more than 15 minutes.",
            Self::NotAwaited => {
                "This answer of Microsoft is not awaited: it was used already, took more than 15 minutes, or belongs to \
                 another attempt, session or person. Nothing was connected."
            }
            Self::Declined(code) => {
                return format!("Nothing was connected: the request was declined at Microsoft ({code}).");
            }
            Self::OtherTenant => "Nothing was connected: Microsoft's answer is about another tenant.",
            Self::NotAdministrator => {
                "Nothing was connected: the person who signed in holds no role in the tenant that may approve the \
                 permissions."
            }
            Self::RolesUnknown => {
                "Nothing was connected: Microsoft did not say which roles the person holds in the tenant."
            }
            Self::Unverified(_) => "Nothing was connected: the sign-in could not be verified.",
            Self::Token(TokenError::Refused { code }) => return refusal(code),
            Self::Token(TokenError::Deleted) => DELETED,
            Self::Token(_) => "Microsoft cannot be reached, or its response cannot be used.",
        };
        text.to_owned()
    }

    /// Returns the status of the page, and what to do.
    fn advice(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NoApplication => (StatusCode::CONFLICT, "Ask the service's operator to set one up."),
            Self::NotPending | Self::NotAwaited | Self::Unverified(_) => {
                (StatusCode::BAD_REQUEST, "Open the tenant's page and connect it again.")
            }
            Self::Declined(_) | Self::NotAdministrator => (
                StatusCode::FORBIDDEN,
                "Connect the tenant again together with a Global Administrator or a Privileged Role Administrator of it.",
            ),
            Self::OtherTenant => (
                StatusCode::FORBIDDEN,
                "Connect the tenant again, and sign in with an account of that tenant. Check its provider identifier.",
            ),
            Self::RolesUnknown => (
                StatusCode::BAD_GATEWAY,
                "Ask the service's operator to let the application's tokens list directory roles (groupMembershipClaims).",
            ),
            Self::Token(TokenError::Refused { .. }) => {
                (StatusCode::BAD_GATEWAY, "Connect the tenant again in a few minutes.")
            }
            Self::Token(TokenError::Deleted) => (StatusCode::BAD_GATEWAY, "Reports made before stay."),
            Self::Token(_) => {
                (StatusCode::BAD_GATEWAY, "Try again in a moment. If it persists, contact your operator.")
            }
        }
    }
}
