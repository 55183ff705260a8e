//! The application's registration, and its assertions: signed by its own key, or issued by whom it trusts.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{Certificate, Signer};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, UnparsedPublicKey, VerificationAlgorithm};
use serde_json::Value;

use super::StandIn;

/// Difference between clocks that is accepted.
const SKEW: i64 = 300;
/// Audience of the tokens that vouch for an application.
const FEDERATED_AUDIENCE: &str = "api://AzureADTokenExchange";
/// The assertion is malformed.
const INVALID: u32 = 50_027;

/// The application that asks.
#[derive(Clone)]
pub struct Registration {
    /// Its identifier.
    pub client_id: String,
    /// The only address that consents and sign-ins return to.
    pub redirect: String,
    /// The check of its assertions.
    pub trust: Trust,
}

/// The check of an application's assertions.
#[derive(Clone)]
pub enum Trust {
    /// Nothing: any signature is accepted, for this machine.
    Anybody,
    /// Its certificate.
    Key {
        /// SHA-256 of the certificate.
        thumbprint: String,
        /// The public key as PKCS #1 has it.
        key: Vec<u8>,
    },
    /// A federated credential.
    Federated {
        /// Who vouches for it.
        issuer: String,
        /// For whom.
        subject: String,
        /// The issuer's public key as PKCS #1 has it.
        key: Vec<u8>,
        /// From when on the credential is known: it spreads for minutes.
        from: DateTime<Utc>,
    },
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

impl Registration {
    /// Returns the application of this machine, whose consents and sign-ins return to an address.
    pub fn local(redirect: &str) -> Self {
        Self { client_id: LOCAL_CLIENT.to_owned(), redirect: redirect.to_owned(), trust: Trust::Anybody }
    }

    /// Returns an application that is known by its certificate.
    pub fn certified(client_id: &str, certificate: &Certificate) -> Self {
        let (thumbprint, key) = (certificate.thumbprint().to_owned(), certificate.public_key().to_vec());
        Self { client_id: client_id.to_owned(), redirect: String::new(), trust: Trust::Key { thumbprint, key } }
    }
}

/// A signed text, in parts.
struct Parts<'a> {
    header: Value,
    claims: Value,
    signed: &'a str,
    signature: Vec<u8>,
}

impl<'a> Parts<'a> {
    fn of(assertion: &'a str) -> Option<Self> {
        let (signed, signature) = assertion.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let json = |part: &str| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        Some(Self { header: json(header)?, claims: json(claims)?, signed, signature })
    }

    fn is_signed_by(&self, algorithm: &'static dyn VerificationAlgorithm, key: &[u8]) -> bool {
        UnparsedPublicKey::new(algorithm, key).verify(self.signed.as_bytes(), &self.signature).is_ok()
    }

    fn has(&self, claim: &str, value: &str) -> bool {
        self.claims[claim] == value
    }

    fn is_current(&self, now: i64) -> bool {
        let time = |name: &str| self.claims[name].as_i64().unwrap_or_default();
        time("nbf") <= now + SKEW && (now - SKEW..=now + 2 * SKEW).contains(&time("exp"))
    }
}

impl StandIn {
    /// Checks an assertion, and returns the number of the error if it is not accepted.
    pub(super) fn check(&self, audience: &str, assertion: &str) -> Result<(), u32> {
        let parts = Parts::of(assertion).ok_or(INVALID)?;
        let Registration { client_id, trust, .. } = &self.registration;
        match trust {
            Trust::Anybody => {}
            Trust::Key { thumbprint, key } => {
                let is_known = parts.header["alg"] == "PS256" && parts.header["x5t#S256"] == **thumbprint;
                if !is_known || !parts.is_signed_by(&RSA_PSS_2048_8192_SHA256, key) {
                    return Err(700_027);
                }
            }
            Trust::Federated { issuer, subject, key, from } => {
                return self.check_federated(&parts, [issuer, subject], key, *from);
            }
        }
        if !parts.has("iss", client_id) || !parts.has("sub", client_id) || !parts.has("aud", audience) {
            return Err(700_021);
        }
        if !parts.is_current(self.clock.now().timestamp()) {
            return Err(700_024);
        }
        let unique = parts.claims["jti"].as_str().unwrap_or_default().to_owned();
        if unique.is_empty() || !self.used().insert(unique) { Err(INVALID) } else { Ok(()) }
    }

    fn check_federated(
        &self,
        parts: &Parts<'_>,
        [issuer, subject]: [&str; 2],
        key: &[u8],
        from: DateTime<Utc>,
    ) -> Result<(), u32> {
        for (claim, value, code) in
            [("iss", issuer, 700_211), ("aud", FEDERATED_AUDIENCE, 700_212), ("sub", subject, 700_213)]
        {
            if !parts.has(claim, value) {
                return Err(code);
            }
        }
        let now = self.clock.now();
        if now < from {
            return Err(70_021);
        }
        if parts.header["alg"] != "RS256" || !parts.is_signed_by(&RSA_PKCS1_2048_8192_SHA256, key) {
            return Err(INVALID);
        }
        if parts.is_current(now.timestamp()) { Ok(()) } else { Err(700_024) }
    }
}

/// Identifiers of assertions that were used: each is accepted once.
pub(super) type Used = HashSet<String>;
