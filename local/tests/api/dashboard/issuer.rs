//! An issuer that responds with whatever a test wants, over the network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Responses by path, and how often each was asked for.
#[derive(Default)]
struct Responses {
    by_path: HashMap<&'static str, (u16, Value)>,
    asked: HashMap<String, usize>,
}

/// An issuer with one key.
pub(super) struct Issuer {
    pub(super) address: String,
    pub(super) key: Key,
    responses: Arc<Mutex<Responses>>,
}

/// A key that signs tokens.
pub(super) struct Key {
    pub(super) id: &'static str,
    pair: EcdsaKeyPair,
}

impl Issuer {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/issuer", listener.local_addr().unwrap());
        let responses = Arc::<Mutex<Responses>>::default();
        let router = Router::new().fallback(respond).with_state(Arc::clone(&responses));
        tokio::spawn(async { axum::serve(listener, router).await.unwrap() });
        let issuer = Self { address, key: Key::new("first"), responses };
        issuer.describe(json!({}));
        issuer.publish(&[&issuer.key]);
        issuer
    }

    /// Responds to a path below the issuer's address.
    pub(super) fn set(&self, path: &'static str, status: u16, body: Value) {
        self.responses.lock().unwrap().by_path.insert(path, (status, body));
    }

    /// Describes itself, with these fields in place of the true ones.
    pub(super) fn describe(&self, otherwise: Value) {
        let address = &self.address;
        let mut description = json!({
            "issuer": address,
            "authorization_endpoint": format!("{address}/authorize"),
            "token_endpoint": format!("{address}/token"),
            "jwks_uri": format!("{address}/keys"),
        });
        description.as_object_mut().unwrap().extend(otherwise.as_object().unwrap().clone());
        self.set("/issuer/.well-known/openid-configuration", 200, description);
    }

    /// Publishes these keys, and no others.
    pub(super) fn publish(&self, keys: &[&Key]) {
        let keys: Vec<_> = keys.iter().map(|key| key.public()).collect();
        self.set("/issuer/keys", 200, json!({ "keys": keys }));
    }

    /// Exchanges every code for this token.
    pub(super) fn hand_out(&self, token: &str) {
        let tokens = json!({ "token_type": "Bearer", "access_token": "none", "id_token": token });
        self.set("/issuer/token", 200, tokens);
    }

    /// How often its keys were asked for.
    pub(super) fn times_keys_were_read(&self) -> usize {
        self.responses.lock().unwrap().asked.get("/issuer/keys").copied().unwrap_or_default()
    }
}

async fn respond(State(responses): State<Arc<Mutex<Responses>>>, uri: Uri) -> Response {
    let mut responses = responses.lock().unwrap();
    *responses.asked.entry(uri.path().to_owned()).or_default() += 1;
    let (status, body) = responses.by_path.get(uri.path()).cloned().unwrap_or((404, Value::Null));
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}

impl Key {
    pub(super) fn new(id: &'static str) -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self { id, pair: EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap() }
    }

    /// The public key, as key sets have it.
    pub(super) fn public(&self) -> Value {
        let point = &self.pair.public_key().as_ref()[1..];
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[..32]), URL_SAFE_NO_PAD.encode(&point[32..]));
        json!({ "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": self.id, "x": x, "y": y })
    }

    /// Returns a token with a header and claims.
    pub(super) fn sign(&self, header: &Value, claims: &Value) -> String {
        let text = unsigned(header, claims);
        let signature = self.pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Returns the part of a token that is signed.
pub(super) fn unsigned(header: &Value, claims: &Value) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(claims.to_string()))
}
