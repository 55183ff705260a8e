//! An OpenID Connect issuer for one machine: the user chooses one of a few invented people.
//!
//! The dashboard signs in through it with the same code as deployed: discovery, code flow, PKCE, signed tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use form_urlencoded::Serializer;
use maud::{Markup, html};
use model::Secret;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde::Deserialize;
use serde_json::{Value, json};
use web::sign_in::Settings;
use web::view::layout::bare;

/// Path of the issuer below the dashboard's address.
pub(crate) const PATH: &str = "/local-issuer";
/// Name that the identities of its people are stored under. The issuer's own name has the port, which may change while
/// the data are kept.
pub const LOCAL_IDENTITIES: &str = "http://localhost/local-issuer";
/// Identifier of the dashboard at the issuer.
const CLIENT: &str = "dashboard";
/// Number of seconds for which a token is valid.
const TOKEN_LASTS: i64 = 300;

/// A person who can sign in on this machine.
#[derive(Debug, Clone, Copy)]
pub struct LocalPerson {
    /// The subject: the issuer's identifier of the person.
    pub subject: &'static str,
    /// Name.
    pub name: &'static str,
    /// E-mail address.
    pub email: &'static str,
    /// Their role in the demo.
    pub about: &'static str,
}

/// The people of the demo.
pub const PEOPLE: [LocalPerson; 3] = [
    LocalPerson {
        subject: "amara",
        name: "Amara Lindholm",
        email: "amara@demo.example",
        about: "Admin of Demo Managed Services",
    },
    LocalPerson {
        subject: "tomas",
        name: "Tomas Oduya",
        email: "tomas@demo.example",
        about: "Full Member of Demo Managed Services",
    },
    LocalPerson {
        subject: "irene",
        name: "Irene Castellan",
        email: "irene@other.example",
        about: "Admin of Second Demo Services",
    },
];

/// The parameters with which the dashboard sends a person here.
#[derive(Clone, Deserialize)]
struct Asked {
    client_id: String,
    redirect_uri: String,
    state: String,
    nonce: String,
    code_challenge: String,
    code_challenge_method: String,
}

#[derive(Deserialize)]
struct Chosen {
    person: String,
    #[serde(flatten)]
    asked: Asked,
}

#[derive(Deserialize)]
struct Exchange {
    code: String,
    code_verifier: String,
    redirect_uri: String,
}

#[derive(Clone)]
struct Issuer {
    address: Arc<str>,
    /// The only address that it redirects to.
    callback: Arc<str>,
    key: Arc<EcdsaKeyPair>,
    codes: Arc<Mutex<HashMap<String, (LocalPerson, Asked)>>>,
}

/// Returns how a dashboard at an address signs in.
pub(crate) fn settings(dashboard: &str) -> Settings {
    Settings {
        issuer: name(dashboard),
        client_id: CLIENT.to_owned(),
        client_secret: None,
        pool_url: None,
        identities: Some(LOCAL_IDENTITIES.to_owned()),
    }
}

fn name(dashboard: &str) -> String {
    format!("{dashboard}{PATH}")
}

/// Returns the issuer's service, with a new key.
pub(crate) fn router(dashboard: &str) -> Router {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
    let document = document.expect("the system has a random source");
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
    let key = key.expect("the key was just made");
    let issuer = Issuer {
        address: name(dashboard).into(),
        callback: format!("{dashboard}/sign-in/callback").into(),
        key: Arc::new(key),
        codes: Arc::default(),
    };
    let routes = Router::new()
        .route("/.well-known/openid-configuration", get(discovery))
        .route("/keys", get(keys))
        .route("/authorize", get(choose).post(chosen))
        .route("/token", post(token));
    routes.with_state(issuer)
}

async fn discovery(State(issuer): State<Issuer>) -> Json<Value> {
    let address = &issuer.address;
    Json(json!({
        "issuer": &**address,
        "authorization_endpoint": format!("{address}/authorize"),
        "token_endpoint": format!("{address}/token"),
        "jwks_uri": format!("{address}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "code_challenge_methods_supported": ["S256"],
    }))
}

async fn keys(State(issuer): State<Issuer>) -> Json<Value> {
    // An uncompressed point: a byte that marks it, then both coordinates.
    let point = &issuer.key.public_key().as_ref()[1..];
    let (x, y) = (URL_SAFE_NO_PAD.encode(&point[..32]), URL_SAFE_NO_PAD.encode(&point[32..]));
    let key = json!({ "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "local", "x": x, "y": y });
    Json(json!({ "keys": [key] }))
}

async fn choose(Query(asked): Query<Asked>) -> Markup {
    let hidden = [
        ("client_id", &asked.client_id),
        ("redirect_uri", &asked.redirect_uri),
        ("state", &asked.state),
        ("nonce", &asked.nonce),
        ("code_challenge", &asked.code_challenge),
        ("code_challenge_method", &asked.code_challenge_method),
    ];
    bare(
        "Sign in on this machine",
        html! {
            h1 { "Sign in on this machine" }
            p { "No password is needed: the people are invented. Choose one." }
            form method="post" class="form" {
                @for (name, value) in hidden { input type="hidden" name=(name) value=(value); }
                @for person in PEOPLE {
                    button type="submit" class="button" name="person" value=(person.subject) { (person.name) ", " (person.about) }
                }
            }
        },
    )
}

async fn chosen(State(issuer): State<Issuer>, Form(Chosen { person, asked }): Form<Chosen>) -> Response {
    let person = PEOPLE.into_iter().find(|known| known.subject == person);
    let wanted = asked.client_id == CLIENT && asked.redirect_uri == *issuer.callback;
    let (Some(person), true, Ok(code)) = (person, wanted && asked.code_challenge_method == "S256", Secret::generate())
    else {
        return (StatusCode::BAD_REQUEST, "The request is not the dashboard's. Sign in again.").into_response();
    };
    let code = code.reveal().to_owned();
    let query = Serializer::new(String::new()).append_pair("code", &code).append_pair("state", &asked.state).finish();
    let back = format!("{}?{query}", asked.redirect_uri);
    issuer.codes.lock().unwrap_or_else(PoisonError::into_inner).insert(code, (person, asked));
    Redirect::to(&back).into_response()
}

async fn token(State(issuer): State<Issuer>, Form(exchange): Form<Exchange>) -> Response {
    let known = issuer.codes.lock().unwrap_or_else(PoisonError::into_inner).remove(&exchange.code);
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, exchange.code_verifier.as_bytes()));
    let fits = |asked: &Asked| asked.code_challenge == challenge && asked.redirect_uri == exchange.redirect_uri;
    let token = known.filter(|(_, asked)| fits(asked)).and_then(|(person, asked)| issuer.token(person, &asked));
    match token {
        Some(token) => {
            Json(json!({ "token_type": "Bearer", "access_token": "none", "id_token": token })).into_response()
        }
        None => (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response(),
    }
}

impl Issuer {
    fn token(&self, person: LocalPerson, asked: &Asked) -> Option<String> {
        let now = Utc::now().timestamp();
        let encoded = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let header = encoded(json!({ "alg": "ES256", "typ": "JWT", "kid": "local" }));
        let claims = encoded(json!({
            "iss": &*self.address,
            "sub": person.subject,
            "aud": asked.client_id,
            "iat": now,
            "exp": now + TOKEN_LASTS,
            "nonce": asked.nonce,
            "name": person.name,
            "email": person.email,
        }));
        let text = format!("{header}.{claims}");
        let signature = self.key.sign(&SystemRandom::new(), text.as_bytes()).ok()?;
        Some(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}
