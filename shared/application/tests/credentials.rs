//! Both credentials, with a stand-in for AWS behind a real connection and the stand-in for Microsoft, which checks every
//! signature.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use application::{CertificateError, Key, KeyCertificate, Role};
use aws_sdk_kms::config::{Credentials, Region};
use aws_types::SdkConfig;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use graph::{Application, Certificate, Clock, Credential, Registered, TokenError, Tokens, Transport};
use model::ProviderTenantId;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair, UnparsedPublicKey,
};
use serde_json::{Value, json};
use stand_in::{Registration, StandIn, Tenant, Trust};
use store::{Timeouts, aws_settings};
use tokio::net::TcpListener;

const PEM: &str = include_str!("../../graph/tests/collector/application.pem");
const CLIENT: &str = "11111111-2222-4333-8444-555555555555";
const KEY: &str = "arn:aws:kms:eu-west-1:123456789012:key/00000000-0000-4000-8000-000000000001";
const ISSUER: &str = "https://0123.tokens.sts.global.api.aws";
const ROLE: &str = "arn:aws:iam::123456789012:role/collect";
/// X.509's form of a public key of 2,048 bits, before the key as PKCS #1 has it.
const SPKI: &str = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A";

/// A key, as AWS has it.
struct Aws {
    pair: RsaKeyPair,
    /// For whom it vouches.
    role: &'static str,
    /// The beginning of its public key.
    spki: Vec<u8>,
}

impl Aws {
    async fn start(role: &'static str, spki: Vec<u8>) -> SdkConfig {
        let (_, rest) = PEM.split_once("-----BEGIN PRIVATE KEY-----").unwrap();
        let (body, _) = rest.split_once("-----END").unwrap();
        let der = STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).unwrap();
        let aws = Self { pair: RsaKeyPair::from_pkcs8(&der).unwrap(), role, spki };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(respond).with_state(Arc::new(aws));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let settings = aws_settings(Timeouts::PATIENT).region(Region::new("eu-west-1")).endpoint_url(address);
        settings.credentials_provider(Credentials::new("a", "b", None, None, "test")).load().await
    }

    fn sign(&self, padding: &'static dyn RsaEncoding, text: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair.sign(padding, &SystemRandom::new(), text, &mut signature).unwrap();
        signature
    }

    /// Responds as KMS does.
    fn key(&self, target: &str, request: &Value) -> Value {
        assert_eq!(request["KeyId"], KEY);
        if target == "TrentService.GetPublicKey" {
            let public = [&*self.spki, self.pair.public().as_ref()].concat();
            return json!({ "PublicKey": STANDARD.encode(public) });
        }
        assert_eq!((target, &request["MessageType"]), ("TrentService.Sign", &json!("RAW")));
        let padding: &dyn RsaEncoding = match request["SigningAlgorithm"].as_str().unwrap() {
            "RSASSA_PSS_SHA_256" => &RSA_PSS_SHA256,
            "RSASSA_PKCS1_V1_5_SHA_256" => &RSA_PKCS1_SHA256,
            other => panic!("{other}"),
        };
        let text = STANDARD.decode(request["Message"].as_str().unwrap()).unwrap();
        json!({ "Signature": STANDARD.encode(self.sign(padding, &text)) })
    }

    /// Responds as STS does.
    fn vouch(&self, request: &[(String, String)]) -> String {
        let field = |name: &str| request.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        assert_eq!(field("Action"), Some("GetWebIdentityToken"));
        assert_eq!((field("SigningAlgorithm"), field("DurationSeconds")), (Some("RS256"), Some("300")));
        let now = Utc::now().timestamp();
        let encoded = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let claims = json!({
            "iss": ISSUER, "sub": self.role, "aud": field("Audience.member.1"), "nbf": now, "iat": now, "exp": now + 300,
        });
        let text = format!("{}.{}", encoded(json!({ "alg": "RS256", "typ": "JWT" })), encoded(claims));
        let token = format!("{text}.{}", URL_SAFE_NO_PAD.encode(self.sign(&RSA_PKCS1_SHA256, text.as_bytes())));
        format!(
            "<GetWebIdentityTokenResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetWebIdentityTokenResult>\
             <WebIdentityToken>{token}</WebIdentityToken></GetWebIdentityTokenResult></GetWebIdentityTokenResponse>"
        )
    }
}

async fn respond(State(aws): State<Arc<Aws>>, headers: HeaderMap, body: Bytes) -> Response {
    match headers.get("x-amz-target") {
        Some(target) => {
            let json = [("content-type", "application/x-amz-json-1.1")];
            (json, Json(aws.key(target.to_str().unwrap(), &serde_json::from_slice(&body).unwrap()))).into_response()
        }
        None => aws.vouch(&form_urlencoded::parse(&body).into_owned().collect::<Vec<_>>()).into_response(),
    }
}

fn tenant() -> ProviderTenantId {
    "ca08493a-c9c8-4db0-a9e8-d3b4bafac269".parse().unwrap()
}

/// Requests a token with a credential, of a stand-in that checks it.
async fn request(credential: Credential, trust: Trust, clock: Clock) -> Result<(), TokenError> {
    let registration = Registration { client_id: CLIENT.to_owned(), redirect: String::new(), trust };
    let tenant_of = Tenant::new(tenant(), "Harbour Dental", 5);
    let stand_in = StandIn::new("https://graph.example", clock, vec![tenant_of]).with_registration(registration);
    let (hosts, transport) = (stand_in.hosts(), Arc::new(stand_in) as Arc<dyn Transport>);
    let registered = Registered { client_id: CLIENT.into(), home: None, credential, transport, hosts };
    Application::new(registered, clock).token(&tenant(), None).await.map(drop)
}

fn spki() -> Vec<u8> {
    STANDARD.decode(SPKI).unwrap()
}

#[tokio::test]
async fn a_key_that_never_leaves_aws_signs_assertions_and_its_own_certificate() {
    let aws = Aws::start(ROLE, spki()).await;
    let from: DateTime<Utc> = "2026-07-15T12:00:00Z".parse().unwrap();
    let from = time::OffsetDateTime::from_unix_timestamp(from.timestamp()).unwrap();
    let made = KeyCertificate::of(&Key::new(&aws, KEY, ""), from, 730).await.unwrap();
    let der = made.pem.lines().filter(|line| !line.starts_with("---")).map(str::trim).collect::<String>();
    let der = STANDARD.decode(der).unwrap();
    // The certificate is a sequence of the signed text, the name of the algorithm and the signature.
    let length = usize::from(u16::from_be_bytes([der[6], der[7]])) + 4;
    let (signed, signature) = (&der[4..4 + length], &der[der.len() - 256..]);
    assert_eq!(made.thumbprint, URL_SAFE_NO_PAD.encode(digest(&SHA256, &der)), "the certificate's own");
    let certificate = Certificate::from_pem(PEM).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, certificate.public_key()).verify(signed, signature).unwrap();
    for part in [&b"260715120000Z"[..], b"280714120000Z", b"Security Posture Reporting API", certificate.public_key()] {
        assert!(signed.windows(part.len()).any(|window| window == part), "{part:?}");
    }

    let trust = |thumbprint: &str| {
        let (thumbprint, key) = (thumbprint.to_owned(), certificate.public_key().to_vec());
        Trust::Key { thumbprint, key }
    };
    let credential = || Credential::Key(Arc::new(Key::new(&aws, KEY, &made.thumbprint)));
    let clock = Clock::at(Utc::now());
    request(credential(), trust(&made.thumbprint), clock).await.unwrap();
    let refused = request(credential(), trust("another"), clock).await;
    assert_eq!(refused, Err(TokenError::Refused { code: "AADSTS700027".to_owned() }));
}

#[tokio::test]
async fn a_key_of_another_kind_has_no_certificate() {
    let aws = Aws::start(ROLE, vec![0x30]).await;
    let from = time::OffsetDateTime::UNIX_EPOCH;
    let made = KeyCertificate::of(&Key::new(&aws, KEY, ""), from, 1).await;
    assert!(matches!(made, Err(CertificateError::OtherKey)));
}

#[tokio::test]
async fn aws_vouches_for_the_role_and_no_other() {
    let key = Certificate::from_pem(PEM).unwrap().public_key().to_vec();
    let now = Utc::now();
    let (issuer, subject) = (ISSUER.to_owned(), ROLE.to_owned());
    let trust = Trust::Federated { issuer, subject, key, from: now };
    let aws = Aws::start(ROLE, spki()).await;
    request(Credential::Federated(Arc::new(Role::new(&aws))), trust.clone(), Clock::at(now)).await.unwrap();
    let other = Aws::start("arn:aws:iam::123456789012:role/another", spki()).await;
    let refused = request(Credential::Federated(Arc::new(Role::new(&other))), trust, Clock::at(now)).await;
    assert_eq!(refused, Err(TokenError::Refused { code: "AADSTS700213".to_owned() }));
}
