//! State of a sign-in in progress, kept in a cookie.

use axum::http::HeaderMap;
use axum_extra::extract::cookie::Cookie;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::Secret;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use time::Duration;
use web::Cookies;
use web::failure::Failure;

/// Name of the cookie, before its prefix.
pub(super) const COOKIE: &str = "posture-sign-in";
/// How long a person may take at the issuer.
const LASTS: Duration = Duration::minutes(10);

/// A sign-in that has begun.
#[derive(Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) state: String,
    pub(super) nonce: String,
    /// PKCE's code verifier.
    pub(super) verifier: String,
    /// Page to return to.
    pub(super) to: Option<String>,
    /// Secret of the invitation to accept.
    pub(super) invitation: Option<String>,
}

impl Pending {
    pub(super) fn new(to: Option<String>, invitation: Option<&Secret>) -> Result<Self, Failure> {
        let random = || match Secret::generate() {
            Ok(secret) => Ok(secret.reveal().to_owned()),
            Err(_) => Err(Failure::Internal("the system's random source failed".into())),
        };
        let invitation = invitation.map(|secret| secret.reveal().to_owned());
        Ok(Self { state: random()?, nonce: random()?, verifier: random()?, to, invitation })
    }

    /// Returns PKCE's code challenge, by its method S256.
    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest(&SHA256, self.verifier.as_bytes()))
    }

    pub(super) fn of(cookies: Cookies, headers: &HeaderMap) -> Option<Self> {
        let text = URL_SAFE_NO_PAD.decode(cookies.value(headers, COOKIE)?).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(super) fn cookie(&self, cookies: Cookies) -> Cookie<'static> {
        let text = serde_json::to_vec(self).expect("texts can be written");
        let mut cookie = cookies.cookie(COOKIE, URL_SAFE_NO_PAD.encode(text));
        cookie.set_max_age(LASTS);
        cookie
    }
}
