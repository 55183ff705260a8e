//! A message: by Standard Webhooks a small JSON text, or a text for a chat, and the headers that identify and sign it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{CONTENT_TYPE, USER_AGENT};
use model::{
    EventData, EventId, EventMessage, SigningSecret, TargetShape, TargetUrl, TestData, TestKind, TestMessage, Timestamp,
};
use ring::hmac;

use crate::chat;
use crate::client::request_to;
use crate::notice::Notice;
use crate::subject::{ABOUT_TEST, Subject};

/// Returns the text of a message in a form, or `None` if this release does not know the form for an address.
pub(crate) fn body(
    subject: Subject,
    shape: TargetShape,
    dashboard_url: &str,
    api_url: &str,
    at: Timestamp,
) -> Option<String> {
    match shape {
        TargetShape::Webhook => json(subject, dashboard_url, api_url, at),
        TargetShape::Slack => Some(chat::slack(&Notice::of(subject, dashboard_url)).to_string()),
        TargetShape::Teams => Some(chat::teams(&Notice::of(subject, dashboard_url)).to_string()),
        TargetShape::Mail | TargetShape::Unknown => None,
    }
}

fn json(subject: Subject, dashboard_url: &str, api_url: &str, timestamp: Timestamp) -> Option<String> {
    let json = match subject {
        Subject::Event(event) => {
            let event = event.linked(dashboard_url);
            let report = event.report.as_ref().filter(|_| event.url.is_some());
            let api_url = report.map(|report| format!("{api_url}/v1/posture-reports/{}", report.id));
            let (kind, timestamp) = (event.kind, event.occurred_at);
            serde_json::to_string(&EventMessage { kind, timestamp, data: EventData { event, api_url } })
        }
        Subject::Period(..) => return None,
        Subject::Test(_) => {
            let data = TestData { message: ABOUT_TEST };
            serde_json::to_string(&TestMessage { kind: TestKind::Test, timestamp, data })
        }
    };
    Some(json.expect("texts and numbers"))
}

/// Returns the request that carries a message, signed with each secret.
pub(crate) fn request(
    url: &TargetUrl,
    secrets: &[SigningSecret],
    id: &EventId,
    at: Timestamp,
    body: String,
) -> Request<Full<Bytes>> {
    let seconds = at.to_datetime().timestamp();
    let signed = format!("{id}.{seconds}.{body}");
    let signatures: Vec<_> = secrets.iter().map(|secret| signature(secret, &signed)).collect();
    request_to(url)
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, "security-posture-notifications")
        .header("webhook-id", id.as_str())
        .header("webhook-timestamp", seconds)
        .header("webhook-signature", signatures.join(" "))
        .body(Full::new(body.into()))
        .expect("all of it is visible ASCII")
}

fn signature(secret: &SigningSecret, signed: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &secret.key());
    format!("v1,{}", STANDARD.encode(hmac::sign(&key, signed.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_signed_as_standard_webhooks_says() {
        // Independently: printf 'evt_1.1750000000.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:00..1f -binary | base64
        let key: Vec<u8> = (0..32).collect();
        let secret = SigningSecret::try_from(format!("whsec_{}", STANDARD.encode(key))).unwrap();
        let url = "https://hooks.example:8443/in?a=b".parse().unwrap();
        let at = "2025-06-15T15:06:40Z".parse().unwrap();
        let request = request(&url, &[secret.clone(), secret], &"evt_1".parse().unwrap(), at, "{}".to_owned());
        let header = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(
            (request.uri().to_string(), header("host")),
            ("/in?a=b".to_owned(), "hooks.example:8443".to_owned())
        );
        assert_eq!((header("webhook-id"), header("webhook-timestamp")), ("evt_1".to_owned(), "1750000000".to_owned()));
        let once = "v1,QtE20Ihr0AY76hwsCM33cWwZQPOLMADGGQ9Irfapi3U=";
        assert_eq!(header("webhook-signature"), format!("{once} {once}"));
    }
}
