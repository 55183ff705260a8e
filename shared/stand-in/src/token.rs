//! The token endpoint.

use std::collections::{BTreeMap, HashMap};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{AccessToken, TokenError, Tokens};
use model::{ProviderTenantId, time_ordered_id};
use serde_json::{Value, json};

use super::StandIn;
use super::reply::{Content, Reply};
use super::tenant::{Consent, Tenant};

/// Validity of a token.
const LASTS: TimeDelta = TimeDelta::minutes(60);

/// Tokens that were issued.
pub(super) type Issued = HashMap<String, (ProviderTenantId, DateTime<Utc>)>;

impl StandIn {
    /// Returns the tenant of a request's token, if it is valid.
    pub(super) fn tenant_of(&self, authorization: Option<&str>) -> Option<&Tenant> {
        let token = authorization?.strip_prefix("Bearer ")?;
        let issued = self.issued();
        let (tenant, until) = issued.get(token)?;
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
        let audience = format!("{}/{tenant}/oauth2/v2.0/token", self.address);
        if let Err(code) = self.check(&audience, field("client_assertion")) {
            return refused(401, "invalid_client", code);
        }
        match self.consent(&known.id) {
            Consent::Given => {}
            Consent::Missing => return refused(400, "unauthorized_client", 700_016),
            Consent::Disabled => return refused(400, "unauthorized_client", 7_000_112),
        }
        match field("grant_type") {
            "client_credentials" => {
                let expires_in = LASTS.num_seconds() - 1;
                Reply::ok(
                    json!({ "token_type": "Bearer", "expires_in": expires_in, "access_token": self.issue(known) }),
                )
            }
            "authorization_code" => match self.redeem(known, field) {
                Some(token) => Reply::ok(json!({ "token_type": "Bearer", "access_token": "none", "id_token": token })),
                None => refused(400, "invalid_grant", 70_008),
            },
            _ => refused(400, "unsupported_grant_type", 70_003),
        }
    }

    /// Issues a token in the form of a signed one, with the permissions that were granted.
    fn issue(&self, tenant: &Tenant) -> String {
        let until = self.clock.now() + LASTS;
        let encoded = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let unique = until.try_into().map(time_ordered_id).unwrap_or_default();
        let claims = json!({
            "tid": tenant.id, "roles": self.granted(&tenant.id), "exp": until.timestamp(), "uti": unique,
        });
        let token = format!("{}.{}.c2lnbmF0dXJl", encoded(json!({ "alg": "RS256", "typ": "JWT" })), encoded(claims));
        self.issued().insert(token.clone(), (tenant.id.clone(), until));
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
