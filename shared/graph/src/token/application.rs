//! The application, which requests tokens with an assertion that its key has signed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::Request;
use hyper::header::{ACCEPT, CONTENT_TYPE};
use model::{ProviderTenantId, Timestamp, time_ordered_id};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{AccessToken, TokenError, Tokens};
use crate::clock::Clock;
use crate::exchange::{Form, Reply, exchange};
use crate::hosts::Hosts;
use crate::transport::Transport;

/// Validity of an assertion in seconds.
const ASSERTION_LASTS: i64 = 300;
/// A token is renewed this long before it expires.
const RENEW_BEFORE: Duration = Duration::from_secs(300);
/// Waits before further attempts if the endpoint fails.
const BACKOFF: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(5), Duration::from_secs(15)];

/// Signs assertions with a key that never leaves it.
pub trait Signer: Send + Sync {
    /// Returns the SHA-256 of the key's certificate, in base64url.
    fn thumbprint(&self) -> &str;

    /// Returns a signature by RSASSA-PSS with SHA-256.
    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, String>>;
}

/// An application with its key, and the tokens that it was issued.
pub struct Application {
    client_id: String,
    signer: Arc<dyn Signer>,
    transport: Arc<dyn Transport>,
    hosts: Hosts,
    clock: Clock,
    issued: Mutex<HashMap<ProviderTenantId, (AccessToken, Instant)>>,
}

#[derive(Deserialize)]
struct Issued {
    access_token: String,
    expires_in: u64,
}

impl Application {
    /// Returns an application by its identifier (`appId`).
    pub fn new(
        client_id: &str,
        signer: Arc<dyn Signer>,
        transport: Arc<dyn Transport>,
        hosts: Hosts,
        clock: Clock,
    ) -> Self {
        Self { client_id: client_id.to_owned(), signer, transport, hosts, clock, issued: Mutex::default() }
    }

    fn issued(&self) -> MutexGuard<'_, HashMap<ProviderTenantId, (AccessToken, Instant)>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the token of a tenant, or a new one if it expires soon or was refused.
    async fn current(&self, tenant: ProviderTenantId, refused: Option<AccessToken>) -> Result<AccessToken, TokenError> {
        let known = self.issued().get(&tenant).cloned();
        if let Some((token, until)) = known
            && until > Instant::now()
            && Some(&token) != refused.as_ref()
        {
            return Ok(token);
        }
        let issued = self.request(&tenant).await?;
        self.issued().insert(tenant, issued.clone());
        Ok(issued.0)
    }

    async fn request(&self, tenant: &ProviderTenantId) -> Result<(AccessToken, Instant), TokenError> {
        let mut backoff = BACKOFF.into_iter();
        loop {
            let now = Instant::now();
            match self.ask(tenant).await? {
                Ok(issued) => {
                    let lasts = Duration::from_secs(issued.expires_in).saturating_sub(RENEW_BEFORE);
                    return Ok((AccessToken::new(issued.access_token), now + lasts));
                }
                Err(reason) => match backoff.next() {
                    Some(wait) => sleep(wait).await,
                    None => return Err(TokenError::Unavailable(reason)),
                },
            }
        }
    }

    /// Asks once. The inner error is one that another attempt may overcome.
    async fn ask(&self, tenant: &ProviderTenantId) -> Result<Result<Issued, String>, TokenError> {
        let address = format!("{}/{tenant}/oauth2/v2.0/token", self.hosts.login);
        let assertion = self.assertion(&address).await?;
        let request = Request::post(&address)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Bytes::from(form(&self.client_id, &assertion)))
            .map_err(|_| TokenError::Unavailable("its address is malformed".to_owned()))?;
        verdict(exchange(&self.transport, request, Form::Json).await)
    }

    /// Returns a signed assertion that this application requests a token at an address.
    async fn assertion(&self, address: &str) -> Result<String, TokenError> {
        let time = self.clock.now();
        let unique =
            Timestamp::try_from(time).map(time_ordered_id).map_err(|error| TokenError::Unsigned(error.to_string()))?;
        let now = time.timestamp();
        let header = encoded(&json!({ "alg": "PS256", "typ": "JWT", "x5t#S256": self.signer.thumbprint() }));
        let claims = encoded(&json!({
            "aud": address,
            "iss": self.client_id,
            "sub": self.client_id,
            "jti": unique,
            "nbf": now,
            "iat": now,
            "exp": now + ASSERTION_LASTS,
        }));
        let text = format!("{header}.{claims}");
        let signature = self.signer.sign(text.as_bytes()).await.map_err(TokenError::Unsigned)?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

fn form(client_id: &str, assertion: &str) -> String {
    form_urlencoded::Serializer::new(String::new())
        .append_pair("grant_type", "client_credentials")
        .append_pair("client_id", client_id)
        .append_pair("scope", "https://graph.microsoft.com/.default")
        .append_pair("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        .append_pair("client_assertion", assertion)
        .finish()
}

fn verdict(reply: Reply) -> Result<Result<Issued, String>, TokenError> {
    match reply.status {
        Some(200) => Ok(Issued::deserialize(&reply.body).map_err(|_| "its response has no token".to_owned())),
        Some(status) if status == 429 || status >= 500 => Ok(Err(format!("status {status}"))),
        Some(status) => Err(TokenError::Refused { code: error_code(&reply.body, status) }),
        None => Ok(Err("no response".to_owned())),
    }
}

/// Returns the code of an error such as `AADSTS700016`: its description also names applications and tenants.
fn error_code(body: &Value, status: u16) -> String {
    let number = body["error_codes"][0].as_u64().map(|number| format!("AADSTS{number}"));
    let name = || body["error"].as_str().filter(|name| is_plain(name)).map(str::to_owned);
    number.or_else(name).unwrap_or_else(|| format!("status {status}"))
}

fn is_plain(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Tokens for Application {
    fn token<'a>(
        &'a self,
        tenant: &'a ProviderTenantId,
        refused: Option<AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, TokenError>> {
        self.current(tenant.clone(), refused).boxed()
    }
}
