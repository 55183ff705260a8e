//! The proof of an application to the token endpoint that it is itself, without a password.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::BoxFuture;
use model::{Timestamp, time_ordered_id};
use serde_json::{Value, json};

use super::TokenError;
use crate::clock::Clock;

/// Validity of an assertion in seconds.
const ASSERTION_LASTS: i64 = 300;

/// Signs assertions with a key that never leaves it.
pub trait Signer: Send + Sync {
    /// Returns the SHA-256 of the key's certificate, in base64url.
    fn thumbprint(&self) -> &str;

    /// Returns a signature by RSASSA-PSS with SHA-256.
    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, String>>;
}

/// Vouches for the process with a token that the application's registration trusts.
pub trait Voucher: Send + Sync {
    /// Returns a new token.
    fn token(&self) -> BoxFuture<'_, Result<String, String>>;
}

/// The proof of an application that it is itself.
#[derive(Clone)]
pub enum Credential {
    /// By an assertion that its own key signs.
    Key(Arc<dyn Signer>),
    /// By the token of an issuer that it trusts (a federated credential).
    Federated(Arc<dyn Voucher>),
}

impl Credential {
    /// Returns the assertion of an application that asks at an address.
    pub(super) async fn assertion(&self, client_id: &str, address: &str, clock: Clock) -> Result<String, TokenError> {
        match self {
            Self::Key(signer) => signed(&**signer, client_id, address, clock).await,
            Self::Federated(voucher) => voucher.token().await.map_err(TokenError::Unsigned),
        }
    }
}

async fn signed(signer: &dyn Signer, client_id: &str, address: &str, clock: Clock) -> Result<String, TokenError> {
    let time = clock.now();
    let unique =
        Timestamp::try_from(time).map(time_ordered_id).map_err(|error| TokenError::Unsigned(error.to_string()))?;
    let now = time.timestamp();
    let header = encoded(&json!({ "alg": "PS256", "typ": "JWT", "x5t#S256": signer.thumbprint() }));
    let claims = encoded(&json!({
        "aud": address,
        "iss": client_id,
        "sub": client_id,
        "jti": unique,
        "nbf": now,
        "iat": now,
        "exp": now + ASSERTION_LASTS,
    }));
    let text = format!("{header}.{claims}");
    let signature = signer.sign(text.as_bytes()).await.map_err(TokenError::Unsigned)?;
    Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}
