//! State of a visit to an issuer, kept in a cookie.

use axum::http::HeaderMap;
use axum_extra::extract::cookie::Cookie;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::Secret;
use ring::digest::{SHA256, digest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use time::Duration;
use web::Cookies;
use web::failure::Failure;

/// Name of the cookie of a sign-in, before its prefix.
pub(super) const COOKIE: &str = "posture-sign-in";
/// How long a person may take at the issuer.
const LASTS: Duration = Duration::minutes(10);

/// The secrets of a visit.
#[derive(Serialize, Deserialize)]
pub(crate) struct Visit {
    pub(crate) state: String,
    pub(crate) nonce: String,
    /// PKCE's code verifier.
    pub(crate) verifier: String,
}

/// A sign-in that has begun.
#[derive(Serialize, Deserialize)]
pub(super) struct Pending {
    #[serde(flatten)]
    pub(super) visit: Visit,
    /// Page to return to.
    pub(super) to: Option<String>,
    /// Secret of the invitation to accept.
    pub(super) invitation: Option<String>,
}

impl Visit {
    pub(crate) fn new() -> Result<Self, Failure> {
        let random = || Ok::<_, Failure>(secret()?.reveal().to_owned());
        Ok(Self { state: random()?, nonce: random()?, verifier: random()? })
    }

    /// Returns PKCE's code challenge, by its method S256.
    pub(crate) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest(&SHA256, self.verifier.as_bytes()))
    }
}

impl Pending {
    pub(super) fn new(to: Option<String>, invitation: Option<&Secret>) -> Result<Self, Failure> {
        let invitation = invitation.map(|secret| secret.reveal().to_owned());
        Ok(Self { visit: Visit::new()?, to, invitation })
    }

    pub(super) fn of(cookies: Cookies, headers: &HeaderMap) -> Option<Self> {
        read(cookies, headers, COOKIE)
    }

    pub(super) fn cookie(&self, cookies: Cookies) -> Cookie<'static> {
        written(cookies, COOKIE, self, LASTS)
    }
}

/// Returns a new secret.
pub(crate) fn secret() -> Result<Secret, Failure> {
    Secret::generate().map_err(|_| Failure::Internal("the system's random source failed".into()))
}

/// Reads what a cookie keeps.
pub(crate) fn read<T: DeserializeOwned>(cookies: Cookies, headers: &HeaderMap, name: &str) -> Option<T> {
    let text = URL_SAFE_NO_PAD.decode(cookies.value(headers, name)?).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Returns a cookie that keeps something for a time.
pub(crate) fn written(cookies: Cookies, name: &str, kept: &impl Serialize, lasts: Duration) -> Cookie<'static> {
    let text = serde_json::to_vec(kept).expect("texts can be written");
    let mut cookie = cookies.cookie(name, URL_SAFE_NO_PAD.encode(text));
    cookie.set_max_age(lasts);
    cookie
}
