//! Access tokens: requested with an assertion, kept in memory for less than an hour, and never stored.

mod application;
mod certificate;
mod credential;
mod reason;

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use model::ProviderTenantId;
use serde::Deserialize;

pub use self::application::{Application, Registered};
pub use self::certificate::{Certificate, CertificateError};
pub use self::credential::{Credential, Signer, Voucher};
pub use self::reason::{DELETED, concerns_tenant, refusal};

/// An access token for one tenant. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl AccessToken {
    /// Returns a token from its text.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the text, for the header of a request.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the permissions that the tenant has granted, or `None` if the token does not say.
    ///
    /// Microsoft documents no format of a token for another service, so this is for people to see, and nothing may depend
    /// on it.
    pub fn permissions(&self) -> Option<BTreeSet<String>> {
        let claims = self.0.split('.').nth(1)?;
        let claims: Claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
        Some(claims.roles)
    }
}

/// The part of a token that is shown.
#[derive(Deserialize)]
struct Claims {
    #[serde(default)]
    roles: BTreeSet<String>,
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(..)")
    }
}

/// Issues access tokens.
pub trait Tokens: Send + Sync {
    /// Returns a token for a tenant. `refused` is a token that was not accepted, so another one is needed.
    fn token<'a>(
        &'a self,
        tenant: &'a ProviderTenantId,
        refused: Option<AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, TokenError>>;
}

/// Why there is no access token. Names Microsoft's error code, and repeats no text of the response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The request was refused.
    #[error("the sign-in of the application was refused: {code}")]
    Refused {
        /// The error's code, such as `AADSTS700016`, or else its name.
        code: String,
    },
    /// The application does not exist, or no longer: not even the tenant knows it that it is registered in.
    #[error("the tenant that the application is registered in does not know it")]
    Deleted,
    /// The token endpoint does not respond as documented. Trying again later may help.
    #[error("the token endpoint cannot be used: {0}")]
    Unavailable(String),
    /// The assertion cannot be signed.
    #[error("the assertion cannot be signed: {0}")]
    Unsigned(String),
    /// The one token that is known was refused.
    #[error("the access token was refused: it has expired, or is one for another tenant or service")]
    NotAccepted,
}

/// A token that somebody else requested. It cannot be renewed.
pub struct GivenToken(pub AccessToken);

impl Tokens for GivenToken {
    fn token<'a>(
        &'a self,
        _: &'a ProviderTenantId,
        refused: Option<AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, TokenError>> {
        let token = if refused.is_some() { Err(TokenError::NotAccepted) } else { Ok(self.0.clone()) };
        async move { token }.boxed()
    }
}
