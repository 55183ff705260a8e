//! The issuer: its endpoints by discovery, and its keys.

use std::sync::OnceLock;
use std::time::Duration;

use axum::http::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::Serializer;
use jsonwebtoken::jwk::JwkSet;
use model::IdentityHash;
use serde::Deserialize;
use tokio::sync::{Mutex, OnceCell};
use tokio::time::Instant;
use web::sign_in::{Settings, is_protected, origin};

use super::SignInError;
use super::http::{Body, Http};
use super::pending::Visit;
use super::token::{self, Claims};

/// How long the issuer's keys are used before they are fetched again: a key that it took back is then forgotten.
const KEYS_LAST: Duration = Duration::from_secs(60 * 60);

/// The issuer's discovery document.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Provider {
    issuer: String,
    pub(super) authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    end_session_endpoint: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

/// The issuer, asked on first use.
pub(crate) struct Issuer {
    pub(super) settings: Settings,
    http: OnceLock<Http>,
    provider: OnceCell<Provider>,
    keys: Mutex<Option<(Instant, JwkSet)>>,
}

impl Issuer {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings, http: OnceLock::new(), provider: OnceCell::new(), keys: Mutex::new(None) }
    }

    /// Returns the identity of a person of the issuer.
    pub(super) fn identity(&self, subject: &str) -> IdentityHash {
        let Settings { issuer, identities, .. } = &self.settings;
        IdentityHash::of(identities.as_deref().unwrap_or(issuer), subject)
    }

    /// Returns the origins that forms may lead to, as far as they are known.
    pub(crate) fn origins(&self) -> Vec<String> {
        let provider = self.provider.get();
        let endpoints = provider.into_iter().flat_map(|provider| {
            [Some(provider.authorization_endpoint.as_str()), provider.end_session_endpoint.as_deref()]
        });
        self.settings.origins().into_iter().chain(endpoints.flatten().filter_map(origin)).collect()
    }

    pub(super) async fn provider(&self) -> Result<&Provider, SignInError> {
        self.provider.get_or_try_init(|| self.discover()).await
    }

    async fn discover(&self) -> Result<Provider, SignInError> {
        let issuer = &self.settings.issuer;
        let refused = |why: &str| Err(SignInError::Issuer(why.to_owned()));
        let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let provider: Provider = self.http()?.get(&address).await?;
        if provider.issuer.contains('{') {
            return refused("the issuer serves many tenants: name the tenant in SignInIssuer instead of `common`");
        }
        if provider.issuer != *issuer {
            return refused("the issuer calls itself otherwise than SignInIssuer");
        }
        let endpoints = [&provider.authorization_endpoint, &provider.token_endpoint, &provider.jwks_uri];
        if !endpoints.into_iter().all(|endpoint| is_protected(endpoint)) {
            return refused("an endpoint of the issuer does not begin with https://");
        }
        Ok(provider)
    }

    fn http(&self) -> Result<&Http, SignInError> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let http = Http::new()?;
        Ok(self.http.get_or_init(|| http))
    }

    /// Exchanges a code for the claims about whoever signed in.
    pub(super) async fn exchange(&self, code: &str, visit: &Visit, redirect: &str) -> Result<Claims, SignInError> {
        let secret = match &self.settings.client_secret {
            Some(secret) => Some(secret.text().await.map_err(SignInError::Issuer)?),
            None => None,
        };
        let endpoint = &self.provider().await?.token_endpoint;
        let request = self.exchange_request(endpoint, code, &visit.verifier, redirect, secret.as_deref())?;
        let tokens: Tokens = self.http()?.call(request).await?;
        self.check(&tokens.id_token, &visit.nonce).await
    }

    fn exchange_request(
        &self,
        endpoint: &str,
        code: &str,
        verifier: &str,
        redirect: &str,
        secret: Option<&str>,
    ) -> Result<Request<Body>, SignInError> {
        let client_id = &self.settings.client_id;
        let mut form = Serializer::new(String::new());
        form.extend_pairs([
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect),
            ("code_verifier", verifier),
        ]);
        let mut request = Request::post(endpoint)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json");
        match secret {
            Some(secret) => request = request.header("authorization", basic(client_id, secret)),
            None => drop(form.append_pair("client_id", client_id)),
        }
        let request = request.body(Body::from(form.finish()));
        request.map_err(|_| SignInError::Issuer("the token endpoint's address is malformed".to_owned()))
    }

    /// Checks a token. Keys are fetched again after an hour, and if the token names one that is not known yet.
    async fn check(&self, token: &str, nonce: &str) -> Result<Claims, SignInError> {
        let expected = token::Expected { issuer: &self.settings.issuer, client: &self.settings.client_id, nonce };
        let mut known = self.keys.lock().await;
        if let Some((fetched, keys)) = &*known
            && fetched.elapsed() < KEYS_LAST
            && let Some(key) = token::key_of(token, keys)?
        {
            return token::check(token, key, &expected);
        }
        let keys: JwkSet = self.http()?.get(&self.provider().await?.jwks_uri).await?;
        let (_, keys) = known.insert((Instant::now(), keys));
        token::check_by(token, keys, &expected)
    }

    /// Returns the address at which the issuer ends its own session and leads back to `back`, if it has one.
    pub(super) async fn sign_out_address(&self, back: &str) -> Option<String> {
        let (address, parameter) = match &self.settings.pool_url {
            Some(pool) => (format!("{}/logout", pool.trim_end_matches('/')), "logout_uri"),
            None => (self.provider().await.ok()?.end_session_endpoint.clone()?, "post_logout_redirect_uri"),
        };
        let mut query = Serializer::new(String::new());
        query.append_pair("client_id", &self.settings.client_id).append_pair(parameter, back);
        Some(format!("{address}{}{}", if address.contains('?') { '&' } else { '?' }, query.finish()))
    }
}

/// Client and secret as RFC 6749 has them: encoded as in a form, then as for Basic.
fn basic(client: &str, secret: &str) -> String {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    format!("Basic {}", STANDARD.encode(format!("{}:{}", encoded(client), encoded(secret))))
}
