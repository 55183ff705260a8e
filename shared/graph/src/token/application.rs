//! The application, which requests tokens with an assertion.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::Request;
use hyper::header::{ACCEPT, CONTENT_TYPE};
use model::ProviderTenantId;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::credential::Credential;
use super::{AccessToken, TokenError, Tokens};
use crate::clock::Clock;
use crate::consent;
use crate::exchange::{Form, Reply, exchange};
use crate::hosts::Hosts;
use crate::transport::Transport;

/// A token is renewed this long before it expires.
const RENEW_BEFORE: Duration = Duration::from_secs(300);
/// Waits before further attempts if the endpoint fails.
const BACKOFF: [Duration; 3] = [Duration::from_secs(2), Duration::from_secs(5), Duration::from_secs(15)];
/// Wait before the next attempt with a credential that is not known everywhere yet, and the number of such attempts. A
/// new one spreads for minutes, during which it is refused even after it was accepted.
const SPREADING: (Duration, u32) = (Duration::from_secs(20), 15);
/// Error of a federated credential that the endpoint does not know, or not yet.
const NO_FEDERATED_CREDENTIAL: &str = "AADSTS70021";
/// Error of a tenant that does not know the application: one that withdrew its consent, or any if the application is
/// deleted.
const UNKNOWN_APPLICATION: &str = "AADSTS700016";
/// The request for a token of the application itself.
const CLIENT_CREDENTIALS: [(&str, &str); 2] =
    [("grant_type", "client_credentials"), ("scope", "https://graph.microsoft.com/.default")];

/// An application as it is registered, and how Microsoft is reached.
#[derive(Clone)]
pub struct Registered {
    /// Its identifier (`appId`).
    pub client_id: Arc<str>,
    /// The tenant that it is registered in, if that is known: it tells a deleted application from a withdrawn consent.
    pub home: Option<ProviderTenantId>,
    /// How it proves that it is itself.
    pub credential: Credential,
    /// How requests leave.
    pub transport: Arc<dyn Transport>,
    /// The interfaces.
    pub hosts: Hosts,
}

/// An application with the tokens that it was issued.
pub struct Application {
    registered: Registered,
    clock: Clock,
    issued: Mutex<HashMap<ProviderTenantId, (AccessToken, Instant)>>,
}

#[derive(Deserialize)]
struct Issued {
    access_token: String,
    expires_in: u64,
}

/// The answer to a sign-in.
#[derive(Deserialize)]
struct SignedIn {
    id_token: String,
}

impl Application {
    /// Returns an application, which was issued nothing yet.
    pub fn new(registered: Registered, clock: Clock) -> Self {
        Self { registered, clock, issued: Mutex::default() }
    }

    /// Exchanges the code of a sign-in for the identity token, which is not checked yet.
    ///
    /// # Errors
    /// If the code is not one of this sign-in or has expired, or the endpoint fails.
    pub async fn redeem(
        &self,
        tenant: &ProviderTenantId,
        code: &str,
        verifier: &str,
        redirect: &str,
    ) -> Result<String, TokenError> {
        let grant = [
            ("grant_type", "authorization_code"),
            ("scope", consent::SIGN_IN_SCOPE),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", redirect),
        ];
        match self.ask::<SignedIn>(tenant, &grant).await? {
            Ok(signed_in) => Ok(signed_in.id_token),
            Err(reason) => Err(TokenError::Unavailable(reason)),
        }
    }

    /// Returns the keys with which Microsoft signs a tenant's identity tokens, as a JSON Web Key Set.
    ///
    /// # Errors
    /// If the endpoint fails.
    pub async fn keys(&self, tenant: &ProviderTenantId) -> Result<Value, TokenError> {
        let address = format!("{}/{tenant}/discovery/v2.0/keys", self.registered.hosts.login);
        let request = Request::get(&address).header(ACCEPT, "application/json").body(Bytes::new());
        let request = request.map_err(|_| malformed())?;
        let reply = exchange(&self.registered.transport, request, Form::Json).await;
        let status = reply.status;
        let keys = reply.succeeded().then_some(reply.body);
        keys.ok_or_else(|| TokenError::Unavailable(format!("the keys cannot be read: status {status:?}")))
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
        let (mut backoff, mut spreading) = (BACKOFF.into_iter(), SPREADING.1);
        loop {
            let now = Instant::now();
            match self.ask::<Issued>(tenant, &CLIENT_CREDENTIALS).await {
                Ok(Ok(issued)) => {
                    let lasts = Duration::from_secs(issued.expires_in).saturating_sub(RENEW_BEFORE);
                    return Ok((AccessToken::new(issued.access_token), now + lasts));
                }
                Ok(Err(reason)) => match backoff.next() {
                    Some(wait) => sleep(wait).await,
                    None => return Err(TokenError::Unavailable(reason)),
                },
                Err(TokenError::Refused { code }) if code == NO_FEDERATED_CREDENTIAL && spreading > 0 => {
                    spreading -= 1;
                    sleep(SPREADING.0).await;
                }
                Err(error) if is_unknown(&error) && self.is_deleted().await => return Err(TokenError::Deleted),
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns whether the tenant that the application is registered in does not know it either. False if that cannot be
    /// found out.
    async fn is_deleted(&self) -> bool {
        let Some(home) = &self.registered.home else { return false };
        self.ask::<Issued>(home, &CLIENT_CREDENTIALS).await.is_err_and(|error| is_unknown(&error))
    }

    /// Asks once. The inner error is one that another attempt may overcome.
    async fn ask<T: DeserializeOwned>(
        &self,
        tenant: &ProviderTenantId,
        grant: &[(&str, &str)],
    ) -> Result<Result<T, String>, TokenError> {
        let Registered { client_id, credential, transport, hosts, .. } = &self.registered;
        let address = format!("{}/{tenant}/oauth2/v2.0/token", hosts.login);
        let assertion = credential.assertion(client_id, &address, self.clock).await?;
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(grant)
            .append_pair("client_id", client_id)
            .append_pair("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            .append_pair("client_assertion", &assertion)
            .finish();
        let request = Request::post(&address)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Bytes::from(form))
            .map_err(|_| malformed())?;
        verdict(exchange(transport, request, Form::Json).await)
    }
}

fn is_unknown(error: &TokenError) -> bool {
    matches!(error, TokenError::Refused { code } if code == UNKNOWN_APPLICATION)
}

fn malformed() -> TokenError {
    TokenError::Unavailable("its address is malformed".to_owned())
}

fn verdict<T: DeserializeOwned>(reply: Reply) -> Result<Result<T, String>, TokenError> {
    match reply.status {
        Some(200) => Ok(T::deserialize(&reply.body).map_err(|_| "its response has no token".to_owned())),
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
