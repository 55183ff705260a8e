//! The token endpoint.

use std::collections::{BTreeMap, HashMap, HashSet};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{AccessToken, Signer, TokenError, Tokens};
use model::{ProviderTenantId, time_ordered_id};
use ring::signature::{RSA_PSS_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};

use super::StandIn;
use super::reply::{Content, Reply};
use super::tenant::{Consent, Tenant};

/// Validity of a token.
const LASTS: TimeDelta = TimeDelta::minutes(60);
/// Difference between clocks that is accepted.
const SKEW: i64 = 300;

/// The application that asks.
#[derive(Clone)]
pub struct Registration {
    /// Its identifier.
    pub client_id: String,
    /// SHA-256 of its certificate, and its public key as PKCS #1 has it. `None` accepts any signature, for this
    /// machine.
    pub key: Option<(String, Vec<u8>)>,
}

/// The identifier of the application that a stand-in for this machine accepts with any signature.
pub const LOCAL_CLIENT: &str = "00000000-0000-4000-8000-00000000c11e";

/// Signs for the application of a stand-in on this machine, which looks at no signature.
pub struct LocalSigner;

impl Signer for LocalSigner {
    fn thumbprint(&self) -> &str {
        "local"
    }

    fn sign<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        async { Ok(b"local".to_vec()) }.boxed()
    }
}

/// Tokens that were issued, and assertions that were used.
#[derive(Default)]
pub(super) struct Issued {
    tokens: HashMap<String, (ProviderTenantId, DateTime<Utc>)>,
    used: HashSet<String>,
}

impl StandIn {
    /// Returns the tenant of a request's token, if it is valid.
    pub(super) fn tenant_of(&self, authorization: Option<&str>) -> Option<&Tenant> {
        let token = authorization?.strip_prefix("Bearer ")?;
        let issued = self.issued();
        let (tenant, until) = issued.tokens.get(token)?;
        if *until <= self.clock.now() {
            return None;
        }
        self.tenants.get(tenant)
    }

    /// Responds to a request for a token.
    pub(super) fn token(&self, tenant: &str, body: &[u8]) -> Reply {
        let form: BTreeMap<String, String> = form_urlencoded::parse(body).into_owned().collect();
        let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        let known = tenant.parse::<ProviderTenantId>().ok().and_then(|id| self.tenants.get(&id));
        let Some(known) = known else { return refused(400, "invalid_request", 90_002) };
        if field("client_id") != self.registration.client_id {
            return refused(400, "unauthorized_client", 700_016);
        }
        if let Err(code) = self.check(tenant, field("client_assertion")) {
            return refused(401, "invalid_client", code);
        }
        match self.consent(&known.id) {
            Consent::Given => {}
            Consent::Missing => return refused(400, "unauthorized_client", 700_016),
            Consent::Disabled => return refused(400, "unauthorized_client", 7_000_112),
        }
        let token = self.issue(known);
        Reply::ok(json!({ "token_type": "Bearer", "expires_in": LASTS.num_seconds() - 1, "access_token": token }))
    }

    /// Checks an assertion, and returns the number of the error if it is not accepted.
    fn check(&self, tenant: &str, assertion: &str) -> Result<(), u32> {
        const INVALID: u32 = 50_027;
        let mut parts = assertion.split('.');
        let (Some(head), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(INVALID);
        };
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| INVALID);
        let json = |part: &str| serde_json::from_slice::<Value>(&decode(part)?).map_err(|_| INVALID);
        let (header, claims_json) = (json(head)?, json(claims)?);
        if let Some((thumbprint, key)) = &self.registration.key {
            let signed = &assertion[..head.len() + 1 + claims.len()];
            let key = UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA256, key);
            let is_known = header["alg"] == "PS256" && header["x5t#S256"] == **thumbprint;
            if !is_known || key.verify(signed.as_bytes(), &decode(signature)?).is_err() {
                return Err(700_027);
            }
        }
        let client = &self.registration.client_id;
        let audience = format!("{}/{tenant}/oauth2/v2.0/token", self.address);
        let is_ours = claims_json["iss"] == **client && claims_json["sub"] == **client;
        if !is_ours || claims_json["aud"] != audience {
            return Err(700_021);
        }
        let now = self.clock.now().timestamp();
        let time = |name: &str| claims_json[name].as_i64().unwrap_or_default();
        if time("nbf") > now + SKEW || time("exp") < now - SKEW || time("exp") > now + 2 * SKEW {
            return Err(700_024);
        }
        let unique = claims_json["jti"].as_str().unwrap_or_default().to_owned();
        if unique.is_empty() || !self.issued().used.insert(unique) { Err(INVALID) } else { Ok(()) }
    }

    /// Issues a token in the form of a signed one, with the permissions that were granted.
    fn issue(&self, tenant: &Tenant) -> String {
        let until = self.clock.now() + LASTS;
        let encoded = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let unique = until.try_into().map(time_ordered_id).unwrap_or_default();
        let claims =
            json!({ "tid": tenant.id, "roles": super::granted(tenant), "exp": until.timestamp(), "uti": unique });
        let token = format!("{}.{}.c2lnbmF0dXJl", encoded(json!({ "alg": "RS256", "typ": "JWT" })), encoded(claims));
        self.issued().tokens.insert(token.clone(), (tenant.id.clone(), until));
        token
    }
}

fn refused(status: u16, error: &str, code: u32) -> Reply {
    let body = json!({
        "error": error,
        "error_description": format!("AADSTS{code}: The request was refused. Trace ID: 0 Timestamp: 0"),
        "error_codes": [code],
        "timestamp": "2026-01-01 00:00:00Z",
        "trace_id": "00000000-0000-0000-0000-000000000000",
        "correlation_id": "00000000-0000-0000-0000-000000000000",
    });
    Reply { status, headers: Vec::new(), body: Content::Json(body) }
}

impl Tokens for StandIn {
    /// Issues a token without a request, for a collector in the same process.
    fn token<'a>(
        &'a self,
        tenant: &'a ProviderTenantId,
        _: Option<AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, TokenError>> {
        let known = self.tenants.get(tenant).filter(|tenant| self.consent(&tenant.id) == Consent::Given);
        let token = known.map(|tenant| AccessToken::new(self.issue(tenant)));
        let token = token.ok_or_else(|| TokenError::Refused { code: "AADSTS700016".to_owned() });
        async move { token }.boxed()
    }
}
