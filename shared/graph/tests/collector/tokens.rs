//! Tokens for an application with a certificate.

use std::sync::Arc;
use std::time::Duration;

use graph::{AccessToken, Application, Certificate, CertificateError, Clock, Signer, TokenError, Tokens, Transport};
use model::ProviderTenantId;
use stand_in::{Consent, LocalSigner, Registration, StandIn};

use crate::support::{id, start, tenant};

const PEM: &str = include_str!("application.pem");
const CLIENT: &str = "11111111-2222-4333-8444-555555555555";

fn stand_in() -> (Arc<StandIn>, Clock) {
    let certificate = Certificate::from_pem(PEM).unwrap();
    let key = Some((certificate.thumbprint().to_owned(), certificate.public_key().to_vec()));
    let clock = Clock::at(start());
    let mut refusing = [tenant(2, 5), tenant(4, 5)];
    refusing[0].consent = Consent::Missing;
    refusing[1].consent = Consent::Disabled;
    let tenants = [tenant(1, 5)].into_iter().chain(refusing).collect();
    let stand_in = StandIn::new("https://graph.example", clock, tenants);
    (Arc::new(stand_in.with_registration(Registration { client_id: CLIENT.to_owned(), key })), clock)
}

fn application(stand_in: &Arc<StandIn>, clock: Clock, client_id: &str, signer: Arc<dyn Signer>) -> Application {
    let transport: Arc<dyn Transport> = Arc::<StandIn>::clone(stand_in);
    Application::new(client_id, signer, transport, stand_in.hosts(), clock)
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
