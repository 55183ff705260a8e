//! Tokens for an application with a certificate.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::TimeDelta;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{
    AccessToken, Application, Certificate, CertificateError, Clock, Credential, Registered, Signer, TokenError, Tokens,
    Transport, Voucher,
};
use model::ProviderTenantId;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};
use stand_in::{Consent, LocalSigner, Registration, StandIn, Trust};
use tokio::time::Instant;

use crate::support::{id, start, tenant};

const PEM: &str = include_str!("application.pem");
const CLIENT: &str = "11111111-2222-4333-8444-555555555555";

fn stand_in() -> (Arc<StandIn>, Clock) {
    let certificate = Certificate::from_pem(PEM).unwrap();
    let clock = Clock::at(start());
    let mut refusing = [tenant(2, 5), tenant(4, 5)];
    refusing[0].consent = Consent::Missing;
    refusing[1].consent = Consent::Disabled;
    let tenants = [tenant(1, 5)].into_iter().chain(refusing).collect();
    let stand_in = StandIn::new("https://graph.example", clock, tenants);
    (Arc::new(stand_in.with_registration(Registration::certified(CLIENT, &certificate))), clock)
}

fn application(stand_in: &Arc<StandIn>, clock: Clock, client_id: &str, signer: Arc<dyn Signer>) -> Application {
    registered_in(None, stand_in, clock, client_id, signer)
}

fn registered_in(
    home: Option<ProviderTenantId>,
    stand_in: &Arc<StandIn>,
    clock: Clock,
    client_id: &str,
    signer: Arc<dyn Signer>,
) -> Application {
    let transport: Arc<dyn Transport> = Arc::<StandIn>::clone(stand_in);
    let registered = Registered {
        client_id: client_id.into(),
        home,
        credential: Credential::Key(signer),
        transport,
        hosts: stand_in.hosts(),
    };
    Application::new(registered, clock)
}

fn certificate() -> Arc<dyn Signer> {
    Arc::new(Certificate::from_pem(PEM).unwrap())
}

async fn refusal(client_id: &str, signer: Arc<dyn Signer>, tenant: &ProviderTenantId) -> TokenError {
    let (stand_in, clock) = stand_in();
    application(&stand_in, clock, client_id, signer).token(tenant, None).await.unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn a_token_is_kept_until_it_expires_or_is_refused() {
    let (stand_in, clock) = stand_in();
    let application = application(&stand_in, clock, CLIENT, certificate());
    let first = application.token(&id(1), None).await.unwrap();
    assert_eq!(application.token(&id(1), None).await.unwrap(), first);
    assert_eq!(stand_in.counts().calls, 1);
    let second = application.token(&id(1), Some(first.clone())).await.unwrap();
    assert_ne!(second, first);
    tokio::time::sleep(Duration::from_secs(54 * 60)).await;
    assert_eq!(application.token(&id(1), None).await.unwrap(), second);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_ne!(application.token(&id(1), None).await.unwrap(), second, "it would expire in five minutes");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_has_its_code() {
    let code = |number: u32| TokenError::Refused { code: format!("AADSTS{number}") };
    assert_eq!(refusal(CLIENT, certificate(), &id(2)).await, code(700_016));
    assert_eq!(refusal(CLIENT, certificate(), &id(3)).await, code(90_002));
    assert_eq!(refusal(CLIENT, certificate(), &id(4)).await, code(7_000_112));
    assert_eq!(refusal("another", certificate(), &id(1)).await, code(700_016));
    assert_eq!(refusal(CLIENT, Arc::new(LocalSigner), &id(1)).await, code(700_027));
}

#[tokio::test(start_paused = true)]
async fn its_own_tenant_tells_a_deleted_application_from_a_withdrawn_consent() {
    let refused = TokenError::Refused { code: "AADSTS700016".to_owned() };
    for (home, client_id, tenant, expected) in [
        (Some(1), CLIENT, 2, &refused),
        (Some(1), "deleted", 2, &TokenError::Deleted),
        (Some(1), "deleted", 1, &TokenError::Deleted),
        // A home that cannot be asked proves nothing.
        (Some(3), CLIENT, 2, &refused),
        (None, "deleted", 2, &refused),
    ] {
        let (stand_in, clock) = stand_in();
        let application = registered_in(home.map(id), &stand_in, clock, client_id, certificate());
        let error = application.token(&id(tenant), None).await.unwrap_err();
        assert_eq!(error, *expected, "{home:?} {client_id} {tenant}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_consent_ends_with_the_token() {
    let (stand_in, clock) = stand_in();
    let application = application(&stand_in, clock, CLIENT, certificate());
    let token = application.token(&id(1), None).await.unwrap();
    stand_in.set_consent(&id(1), Consent::Missing);
    assert_eq!(application.token(&id(1), None).await.unwrap(), token);
    let refused = TokenError::Refused { code: "AADSTS700016".to_owned() };
    assert_eq!(application.token(&id(1), Some(token)).await.unwrap_err(), refused);
    stand_in.set_consent(&id(1), Consent::Given);
    assert!(application.token(&id(1), None).await.is_ok());
}

/// Vouches for an application as AWS does.
struct Vouching(Clock);

impl Voucher for Vouching {
    fn token(&self) -> BoxFuture<'_, Result<String, String>> {
        let (_, key) = PEM.split_once("-----BEGIN PRIVATE KEY-----").unwrap();
        let key: String = key.split("-----").next().unwrap().split_ascii_whitespace().collect();
        let key = RsaKeyPair::from_pkcs8(&STANDARD.decode(key).unwrap()).unwrap();
        let encoded = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let (now, header) = (self.0.now().timestamp(), json!({ "alg": "RS256", "typ": "JWT" }));
        let claims = json!({
            "iss": "https://issuer.example", "sub": "a-role", "aud": "api://AzureADTokenExchange", "nbf": now,
            "exp": now + 300,
        });
        let text = format!("{}.{}", encoded(header), encoded(claims));
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
        async move { Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))) }.boxed()
    }
}

/// Requests a token with a federated credential that is known after a time. Returns how long it took, in seconds.
async fn vouched_for(subject: &str, known_after: TimeDelta) -> (Result<(), TokenError>, u64) {
    let (stand_in, clock) = stand_in();
    let trust = Trust::Federated {
        issuer: "https://issuer.example".to_owned(),
        subject: subject.to_owned(),
        key: Certificate::from_pem(PEM).unwrap().public_key().to_vec(),
        from: clock.now() + known_after,
    };
    let registration = Registration { client_id: CLIENT.to_owned(), redirect: String::new(), trust };
    let stand_in = Arc::new(Arc::into_inner(stand_in).unwrap().with_registration(registration));
    let (hosts, transport) = (stand_in.hosts(), stand_in as Arc<dyn Transport>);
    let credential = Credential::Federated(Arc::new(Vouching(clock)));
    let registered = Registered { client_id: CLIENT.into(), home: None, credential, transport, hosts };
    let (began, application) = (Instant::now(), Application::new(registered, clock));
    let issued = application.token(&id(1), None).await.map(drop);
    (issued, began.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn a_federated_credential_that_is_not_known_everywhere_yet_is_waited_for() {
    assert_eq!(vouched_for("a-role", TimeDelta::zero()).await, (Ok(()), 0));
    assert_eq!(vouched_for("a-role", TimeDelta::minutes(3)).await, (Ok(()), 180));
    let refused = |number: u32| Err(TokenError::Refused { code: format!("AADSTS{number}") });
    assert_eq!(vouched_for("a-role", TimeDelta::minutes(10)).await, (refused(70_021), 300));
    // What will not become right is not waited for.
    assert_eq!(vouched_for("another-role", TimeDelta::zero()).await, (refused(700_213), 0));
}

#[test]
fn a_file_without_certificate_or_key_is_refused() {
    let (certificate, key) = PEM.split_at(PEM.find("-----BEGIN PRIVATE KEY").unwrap());
    for text in ["", certificate, key] {
        assert_eq!(Certificate::from_pem(text).err(), Some(CertificateError::Incomplete));
    }
    let broken = PEM.replace("PRIVATE KEY-----\nMII", "PRIVATE KEY-----\nMIJ");
    assert_eq!(Certificate::from_pem(&broken).err(), Some(CertificateError::Key));
}

#[test]
fn a_token_is_never_shown() {
    assert_eq!(format!("{:?}", AccessToken::new("secret".to_owned())), "AccessToken(..)");
}
