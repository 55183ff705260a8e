//! Identity tokens: signature, issuer, audience, time and nonce.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey, Validation, decode, decode_header};
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

use super::SignInError;

/// Algorithms that are accepted: signatures by the issuer's private key. None is symmetric, and `none` is not known.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::PS256, Algorithm::ES256];

/// The claims about the person who signed in.
#[derive(Deserialize)]
pub(crate) struct Claims {
    pub(super) sub: String,
    nonce: Option<String>,
    azp: Option<String>,
    pub(super) email: Option<String>,
    pub(super) name: Option<String>,
    pub(super) preferred_username: Option<String>,
    /// The tenant that the person is of, where the issuer has tenants.
    pub(crate) tid: Option<String>,
    /// The person's roles in that tenant, by the identifiers of their templates, if the issuer says them.
    pub(crate) wids: Option<Vec<String>>,
}

/// The expected values of a token.
pub(crate) struct Expected<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) client: &'a str,
    pub(crate) nonce: &'a str,
}

/// Returns the key that a token names; the only one if it names none. `None` if it is not among them.
pub(super) fn key_of<'a>(token: &str, keys: &'a JwkSet) -> Result<Option<&'a Jwk>, SignInError> {
    let header = decode_header(token).map_err(|_| refused("it is malformed"))?;
    Ok(match &header.kid {
        Some(id) => keys.find(id),
        None => match &*keys.keys {
            [key] => Some(key),
            _ => None,
        },
    })
}

/// Checks a token by the one of the keys that it names, and returns its claims.
pub(crate) fn check_by(token: &str, keys: &JwkSet, expected: &Expected) -> Result<Claims, SignInError> {
    let key = key_of(token, keys)?.ok_or_else(|| refused("its key is unknown"))?;
    check(token, key, expected)
}

/// Checks a token by a key, and returns its claims.
pub(super) fn check(token: &str, key: &Jwk, expected: &Expected) -> Result<Claims, SignInError> {
    // Another provider can only have been installed by ourselves.
    let _ = RING.install_default();
    let header = decode_header(token).map_err(|_| refused("it is malformed"))?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(refused("its algorithm is not accepted"));
    }
    if key.common.public_key_use.as_ref().is_some_and(|of| *of != PublicKeyUse::Signature) {
        return Err(refused("its key is not for signatures"));
    }
    if key.common.key_algorithm.is_some_and(|of| of != header.alg.into()) {
        return Err(refused("its key is for another algorithm"));
    }
    let decoding = DecodingKey::from_jwk(key).map_err(|_| refused("its key cannot be used"))?;
    let mut rules = Validation::new(header.alg);
    rules.set_audience(&[expected.client]);
    rules.set_issuer(&[expected.issuer]);
    rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    rules.validate_nbf = true;
    let claims = decode::<Claims>(token, &decoding, &rules).map_err(|error| refused(reason(error.kind())))?.claims;
    if claims.nonce.as_deref() != Some(expected.nonce) {
        return Err(refused("its nonce differs"));
    }
    if claims.azp.as_deref().is_some_and(|client| client != expected.client) {
        return Err(refused("it was made for another client"));
    }
    Ok(claims)
}

fn refused(why: &str) -> SignInError {
    SignInError::Token(why.to_owned())
}

/// Never repeats what the token holds.
fn reason(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidSignature => "its signature is wrong",
        ErrorKind::ExpiredSignature => "it has expired",
        ErrorKind::ImmatureSignature => "it is not valid yet",
        ErrorKind::InvalidIssuer => "its issuer differs",
        ErrorKind::InvalidAudience => "its audience differs",
        ErrorKind::MissingRequiredClaim(_) => "it lacks a claim",
        ErrorKind::InvalidAlgorithm => "its algorithm does not fit its key",
        _ => "it cannot be read",
    }
}

/// Verifies signatures by *ring*, which the TLS of the functions uses already. Signs nothing.
static RING: CryptoProvider = CryptoProvider {
    signer_factory: |_: &Algorithm, _: &EncodingKey| -> Result<Box<dyn JwtSigner>, jsonwebtoken::errors::Error> {
        Err(ErrorKind::InvalidAlgorithm.into())
    },
    verifier_factory: |algorithm, key| Ok(Box::new(ByRing(*algorithm, key.clone()))),
    key_utils: KeyUtils::new_unimplemented(),
};

struct ByRing(Algorithm, DecodingKey);

impl JwtVerifier for ByRing {
    fn algorithm(&self) -> Algorithm {
        self.0
    }
}

impl Verifier<Vec<u8>> for ByRing {
    /// The algorithm must fit the kind of the key.
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Error> {
        let verified = match (self.0, self.1.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::PS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(&signature::RSA_PSS_2048_8192_SHA256, message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, key).verify(message, signature)
            }
            _ => return Err(Error::new()),
        };
        verified.map_err(|_| Error::new())
    }
}
