//! The settings of signing in.

use std::env;
use std::future::ready;
use std::sync::Arc;

use axum::http::Uri;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

/// Settings of the issuer and the client.
#[derive(Clone)]
pub struct Settings {
    /// The issuer's identifier, exactly as it names itself (`SIGN_IN_ISSUER`).
    pub issuer: String,
    /// Identifier of the dashboard at the issuer (`SIGN_IN_CLIENT_ID`).
    pub client_id: String,
    /// The client's secret; public clients have none.
    pub client_secret: Option<Arc<dyn ClientSecret>>,
    /// Address of a Cognito pool's own pages (`SIGN_IN_POOL_URL`), whose discovery does not name the way to sign out.
    pub pool_url: Option<String>,
    /// Name that people's identities are stored under, for an issuer whose address changes; else the issuer's own.
    pub identities: Option<String>,
}

/// The secret by which the issuer recognizes the dashboard, read when it is needed.
pub trait ClientSecret: Send + Sync {
    /// Returns the text. The error says why there is none, for the log.
    fn text(&self) -> BoxFuture<'_, Result<String, String>>;
}

/// A secret that somebody has set on their own machine.
impl ClientSecret for String {
    fn text(&self) -> BoxFuture<'_, Result<String, String>> {
        ready(Ok(self.clone())).boxed()
    }
}

/// A setting that the dashboard cannot start with.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// A variable of the environment is missing.
    #[error("the environment variable {0} is not set")]
    Missing(&'static str),
    /// Whoever can change the responses of such an issuer can sign in as anybody.
    #[error("the address of the sign-in issuer does not begin with https://")]
    NotEncrypted,
}

impl Settings {
    /// Reads the environment, which has no secret. An empty variable counts as missing.
    ///
    /// # Errors
    /// Names the first variable that is missing. As [`Self::checked`].
    pub fn from_env() -> Result<Self, SettingError> {
        let optional = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let required = |name| optional(name).ok_or(SettingError::Missing(name));
        let settings = Self {
            issuer: required("SIGN_IN_ISSUER")?,
            client_id: required("SIGN_IN_CLIENT_ID")?,
            client_secret: None,
            pool_url: optional("SIGN_IN_POOL_URL"),
            identities: None,
        };
        settings.checked()
    }

    /// Returns the settings if the dashboard can be started with them.
    ///
    /// # Errors
    /// If requests to the issuer would be neither encrypted nor stay on this machine.
    pub fn checked(self) -> Result<Self, SettingError> {
        if is_protected(&self.issuer) { Ok(self) } else { Err(SettingError::NotEncrypted) }
    }

    /// Returns the origins of the issuer that the settings name.
    pub fn origins(&self) -> Vec<String> {
        let known = [Some(self.issuer.as_str()), self.pool_url.as_deref()];
        known.into_iter().flatten().filter_map(origin).collect()
    }
}

/// Returns whether requests to an address are encrypted, or stay on this machine.
pub fn is_protected(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    uri.scheme_str() == Some("https") || matches!(uri.host(), Some("localhost" | "127.0.0.1"))
}

/// Returns the origin of an address.
pub fn origin(address: &str) -> Option<String> {
    let uri: Uri = address.parse().ok()?;
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}
