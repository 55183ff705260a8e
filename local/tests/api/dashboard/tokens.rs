//! Responses of an issuer that cannot be trusted: each is refused with a page that helps.

use std::time::Duration;

use axum::Router;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use dashboard::Pages;
use model::{IdentityHash, Role};
use ring::hmac;
use serde_json::{Value, json};
use store::Person;
use web::sign_in::Settings;

use super::issuer::{Issuer, Key, unsigned};
use super::{Received, now, send};
use crate::support::{TestApp, by_operator};

const CLIENT: &str = "dashboard";
const SUBJECT: &str = "person-1";
/// What a page says if a token is refused.
const UNVERIFIED: &str = "could not be verified, so you were not signed in";
const UNUSABLE: &str = "cannot be reached, or its response cannot be used";

pub(super) struct World {
    pub(super) issuer: Issuer,
    pub(super) app: TestApp,
    pub(super) router: Router,
}

/// A sign-in that has begun: its cookie, and what the issuer was told.
struct Begun {
    cookie: String,
    state: String,
    nonce: String,
}

impl World {
    /// A dashboard with one Admin, who signs in with an issuer.
    pub(super) async fn new() -> Self {
        let (app, issuer) = (TestApp::new().await, Issuer::start().await);
        let organization = &app.org_a.organization;
        let (secret, _) = by_operator(organization, now(&app)).invite(Role::Admin, None).await.unwrap();
        let identity = IdentityHash::of(&issuer.address, SUBJECT);
        let person = Person { identity, name: "Priya".to_owned(), email: Some("priya@example.org".to_owned()) };
        app.app.store.accept_invitation(&secret, person, now(&app)).await.unwrap();
        let settings = Settings {
            issuer: issuer.address.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: None,
            pool_url: None,
            identities: None,
        };
        let router = Pages::new(app.app.clone(), "https://api.example", settings).router();
        Self { issuer, router, app }
    }

    async fn begin(&self) -> Begun {
        self.begin_for("%2Ftenants").await
    }

    /// Begins to sign in for a page.
    async fn begin_for(&self, to: &str) -> Begun {
        let left = send(&self.router, "GET", &format!("/sign-in/start?to={to}"), None, "").await;
        assert_eq!(left.status, 303, "{}", left.text);
        let value = |name: &str| {
            let query = left.location().split_once('?').unwrap().1;
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            pairs.find(|(key, _)| key == name).unwrap().1.into_owned()
        };
        let cookie = left.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        Begun { cookie, state: value("state"), nonce: value("nonce") }
    }

    async fn end(&self, begun: &Begun, query: &str) -> Received {
        send(&self.router, "GET", &format!("/sign-in/callback?{query}"), Some(&begun.cookie), "").await
    }

    /// Signs in with the token that is made of a good header and good claims.
    pub(super) async fn sign_in(&self, make: impl FnOnce(Value, Value) -> String) -> Received {
        self.finish(self.begin().await, make).await
    }

    async fn finish(&self, begun: Begun, make: impl FnOnce(Value, Value) -> String) -> Received {
        let at = Utc::now().timestamp();
        let claims = json!({
            "iss": self.issuer.address, "sub": SUBJECT, "aud": CLIENT, "iat": at, "exp": at + 300, "nonce": begun.nonce,
        });
        self.issuer.hand_out(&make(json!({ "alg": "ES256", "typ": "JWT", "kid": self.issuer.key.id }), claims));
        self.end(&begun, &format!("code=c&state={}", begun.state)).await
    }
}

fn assert_refused(response: &Received, status: u16, said: &str, case: &str) {
    assert_eq!(response.status, status, "{case}: {}", response.text);
    assert!(response.text.contains(said), "{case}: {}", response.text);
    assert!(
        response.text.contains("Sign in again") || response.text.contains("Try again"),
        "{case}: {}",
        response.text
    );
    let cookies = response.headers.get_all("set-cookie").iter();
    assert_eq!(cookies.filter(|cookie| cookie.to_str().unwrap().contains("session")).count(), 0, "{case}");
    assert!(!response.text.contains(SUBJECT), "{case}");
}

/// Returns claims or a header with some fields in place of others. Null removes a field.
fn with(mut fields: Value, otherwise: Value) -> Value {
    let object = fields.as_object_mut().unwrap();
    object.extend(otherwise.as_object().unwrap().clone());
    object.retain(|_, value| !value.is_null());
    fields
}

#[tokio::test]
async fn a_token_that_says_what_it_must_signs_in() {
    let world = World::new().await;
    let response = world.sign_in(|header, claims| world.issuer.key.sign(&header, &claims)).await;
    assert_eq!((response.status, response.location()), (303, "/tenants"), "{}", response.text);
    // The one key of an issuer need not be named.
    let response =
        world.sign_in(|header, claims| world.issuer.key.sign(&with(header, json!({ "kid": null })), &claims)).await;
    assert_eq!(response.status, 303, "{}", response.text);
    assert_eq!(world.issuer.times_keys_were_read(), 1);
}

#[tokio::test]
async fn signing_in_leads_to_no_other_site() {
    let world = World::new().await;
    for to in ["%2F%2Fevil.example", "%2F%5Cevil.example", "https%3A%2F%2Fevil.example"] {
        let begun = world.begin_for(to).await;
        let response = world.finish(begun, |header, claims| world.issuer.key.sign(&header, &claims)).await;
        assert_eq!((response.status, response.location()), (303, "/"), "{to}");
    }
}

#[tokio::test]
async fn claims_that_are_wrong_or_missing_are_refused() {
    let world = World::new().await;
    let at = Utc::now().timestamp();
    for otherwise in [
        json!({ "nonce": "another" }),
        json!({ "nonce": null }),
        json!({ "aud": "another" }),
        json!({ "aud": ["another", "a-third"] }),
        json!({ "aud": [] }),
        json!({ "aud": null }),
        json!({ "aud": [CLIENT, "another"], "azp": "another" }),
        json!({ "iss": "https://another.example" }),
        json!({ "iss": format!("{}/", world.issuer.address) }),
        json!({ "iss": null }),
        json!({ "exp": at - 3600 }),
        json!({ "exp": "never" }),
        json!({ "exp": null }),
        json!({ "nbf": at + 3600 }),
        json!({ "sub": null }),
    ] {
        let case = otherwise.to_string();
        let response = world.sign_in(|header, claims| world.issuer.key.sign(&header, &with(claims, otherwise))).await;
        assert_refused(&response, 400, UNVERIFIED, &case);
    }
    assert_eq!(world.issuer.times_keys_were_read(), 1, "known keys are not read again");
}

#[tokio::test]
async fn signatures_that_prove_nothing_are_refused() {
    let world = World::new().await;
    let (key, stranger) = (&world.issuer.key, Key::new("first"));
    let symmetric = |key_bytes: &[u8], header: Value, claims: &Value| {
        let text = unsigned(&with(header, json!({ "alg": "HS256" })), claims);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key_bytes), text.as_bytes());
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(tag))
    };
    type Make<'a> = Box<dyn Fn(Value, Value) -> String + 'a>;
    let public = key.public();
    let coordinate = URL_SAFE_NO_PAD.decode(public["x"].as_str().unwrap()).unwrap();
    let cases: [(&str, Make<'_>); 9] = [
        ("another key by the same name", Box::new(|header, claims| stranger.sign(&header, &claims))),
        (
            "another algorithm's name",
            Box::new(|header, claims| key.sign(&with(header, json!({ "alg": "RS256" })), &claims)),
        ),
        (
            "an algorithm that is not accepted",
            Box::new(|header, claims| key.sign(&with(header, json!({ "alg": "ES384" })), &claims)),
        ),
        ("none", Box::new(|header, claims| format!("{}.", unsigned(&with(header, json!({ "alg": "none" })), &claims)))),
        ("no signature", Box::new(|header, claims| format!("{}.", unsigned(&header, &claims)))),
        (
            "the public key as a secret",
            Box::new(|header, claims| symmetric(public.to_string().as_bytes(), header, &claims)),
        ),
        ("a part of the public key as a secret", Box::new(|header, claims| symmetric(&coordinate, header, &claims))),
        (
            "claims that were changed",
            Box::new(|header, claims| {
                let signed = key.sign(&header, &claims);
                let changed = unsigned(&header, &with(claims, json!({ "sub": "person-2" })));
                format!("{changed}.{}", signed.rsplit('.').next().unwrap())
            }),
        ),
        ("no token at all", Box::new(|_, _| "not a token".to_owned())),
    ];
    for (case, make) in cases {
        assert_refused(&world.sign_in(make).await, 400, UNVERIFIED, case);
    }
}

#[tokio::test]
async fn keys_are_read_again_once_for_a_key_that_is_unknown() {
    let world = World::new().await;
    let (issuer, second) = (&world.issuer, Key::new("second"));
    let named = |key: &Key, header: Value, claims: Value| key.sign(&with(header, json!({ "kid": key.id })), &claims);
    assert_eq!(world.sign_in(|header, claims| named(&issuer.key, header, claims)).await.status, 303);
    for reads in [2, 3] {
        let response = world.sign_in(|header, claims| named(&second, header, claims)).await;
        assert_refused(&response, 400, UNVERIFIED, "an unknown key");
        assert_eq!(issuer.times_keys_were_read(), reads);
    }
    issuer.publish(&[&issuer.key, &second]);
    for key in [&second, &issuer.key] {
        assert_eq!(world.sign_in(|header, claims| named(key, header, claims)).await.status, 303);
        assert_eq!(issuer.times_keys_were_read(), 4, "both are known now");
    }
    let unnamed = world.sign_in(|header, claims| second.sign(&with(header, json!({ "kid": null })), &claims)).await;
    assert_refused(&unnamed, 400, UNVERIFIED, "one of several keys without a name");
    issuer.publish(&[&second]);
    let encrypting = with(Key::new("third").public(), json!({ "use": "enc" }));
    issuer.set("/issuer/keys", 200, json!({ "keys": [encrypting] }));
    let response = world.sign_in(|header, claims| second.sign(&with(header, json!({ "kid": "third" })), &claims)).await;
    assert_refused(&response, 400, UNVERIFIED, "a key that is not for signatures");
    let other = with(second.public(), json!({ "alg": "ES384" }));
    issuer.set("/issuer/keys", 200, json!({ "keys": [other] }));
    let response = world.sign_in(|header, claims| named(&second, header, claims)).await;
    assert_refused(&response, 400, UNVERIFIED, "a key that is for another algorithm");
}

#[tokio::test]
async fn a_key_that_the_issuer_took_back_is_forgotten_after_an_hour() {
    let world = World::new().await;
    let sign = |header: Value, claims: Value| world.issuer.key.sign(&header, &claims);
    assert_eq!(world.sign_in(sign).await.status, 303);
    world.issuer.publish(&[&Key::new("second")]);
    for (minutes, status) in [(59, 303), (1, 400)] {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(60 * minutes)).await;
        tokio::time::resume();
        assert_eq!(world.sign_in(sign).await.status, status, "{minutes} minutes later");
    }
}

#[test]
fn an_issuer_without_encryption_is_refused_at_the_start() {
    let settings = |issuer: &str| Settings {
        issuer: issuer.to_owned(),
        client_id: CLIENT.to_owned(),
        client_secret: None,
        pool_url: None,
        identities: None,
    };
    for issuer in ["https://login.example", "http://localhost:8080", "http://127.0.0.1:8080/issuer"] {
        assert!(settings(issuer).checked().is_ok(), "{issuer}");
    }
    for issuer in ["http://login.example", "http://localhost.example", "login.example", "ftp://login.example", ""] {
        assert!(settings(issuer).checked().is_err(), "{issuer}");
    }
}

#[tokio::test]
async fn a_return_that_the_sign_in_did_not_ask_for_is_refused() {
    let world = World::new().await;
    let begun = world.begin().await;
    let other = world.begin().await;
    for (query, said) in [
        (format!("code=c&state={}", other.state), "belongs to a different sign-in"),
        ("code=c&state=".to_owned(), "belongs to a different sign-in"),
        ("code=c".to_owned(), "belongs to a different sign-in"),
        (format!("error=access_denied&state={}", begun.state), "cancelled or refused"),
    ] {
        assert_refused(&world.end(&begun, &query).await, 400, said, &query);
    }
    world.issuer.set("/issuer/token", 400, json!({ "error": "invalid_grant" }));
    let forged = format!("code=forged&state={}", begun.state);
    assert_refused(&world.end(&begun, &forged).await, 400, "cancelled or refused", "a forged code");
    let nothing = send(&world.router, "GET", "/sign-in/callback?code=c&state=s", None, "").await;
    assert_refused(&nothing, 400, "No sign-in is in progress", "without a cookie");
}

#[tokio::test]
async fn a_failing_issuer_is_reported_and_tried_again() {
    let world = World::new().await;
    let description = "/issuer/.well-known/openid-configuration";
    let good = json!({});
    for otherwise in [
        json!({ "issuer": "https://another.example" }),
        json!({ "issuer": "https://login.example/{tenantid}/v2.0" }),
        json!({ "authorization_endpoint": "http://plain.example/authorize" }),
        json!({ "token_endpoint": "http://plain.example/token" }),
        json!({ "jwks_uri": "http://plain.example/keys" }),
        json!({ "jwks_uri": null }),
    ] {
        world.issuer.describe(otherwise.clone());
        let response = send(&world.router, "GET", "/sign-in/start", None, "").await;
        assert_refused(&response, 502, UNUSABLE, &otherwise.to_string());
    }
    world.issuer.set(description, 500, json!({}));
    assert_refused(&send(&world.router, "GET", "/sign-in/start", None, "").await, 502, UNUSABLE, "no description");
    world.issuer.describe(good);

    let begun = world.begin().await;
    let query = format!("code=c&state={}", begun.state);
    for (status, body) in [(401, json!({ "error": "invalid_client" })), (200, json!({ "access_token": "a" }))] {
        world.issuer.set("/issuer/token", status, body);
        assert_refused(&world.end(&begun, &query).await, 502, UNUSABLE, "no token");
    }
    world.issuer.set("/issuer/keys", 503, Value::Null);
    let sign = |header: Value, claims: Value| world.issuer.key.sign(&header, &claims);
    assert_refused(&world.sign_in(sign).await, 502, UNUSABLE, "no keys");
    world.issuer.publish(&[&world.issuer.key]);
    assert_eq!(world.sign_in(sign).await.status, 303);
}
