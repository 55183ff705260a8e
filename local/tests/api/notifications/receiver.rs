//! A receiver on this machine that keeps what it receives.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{SigningSecret, TargetUrl};
use ring::hmac;
use serde_json::Value;
use tokio::net::TcpListener;

/// A message as it arrived.
#[derive(Clone)]
pub(super) struct Received {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    pub(super) path: String,
}

type Answer = dyn Fn(usize, &Received) -> StatusCode + Send + Sync;

/// Receives messages until the test ends.
#[derive(Clone)]
pub(super) struct Receiver {
    pub(super) url: TargetUrl,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<Arc<Answer>>>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?from=posture", listener.local_addr().unwrap());
        let accept: Arc<Answer> = Arc::new(|_, _| StatusCode::NO_CONTENT);
        let receiver =
            Self { url: url.parse().unwrap(), received: Arc::default(), answer: Arc::new(Mutex::new(accept)) };
        let router = Router::new().fallback(receive).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        receiver
    }

    /// Sets the status of each response, by the message and the number of those before.
    pub(super) fn answer(&self, answer: impl Fn(usize, &Received) -> StatusCode + Send + Sync + 'static) {
        *self.answer.lock().unwrap() = Arc::new(answer);
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Returns the identifiers of all messages, in the order in which they arrived.
    pub(super) fn ids(&self) -> Vec<String> {
        self.received().iter().map(|message| message.header("webhook-id")).collect()
    }
}

async fn receive(State(receiver): State<Receiver>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().unwrap().to_string();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut received = receiver.received.lock().unwrap();
    let message = Received { headers: parts.headers, body, path };
    let answer = Arc::clone(&receiver.answer.lock().unwrap());
    let status = answer(received.len(), &message);
    received.push(message);
    let location = [("location", format!("{}elsewhere", receiver.url.as_str()))];
    (status, location).into_response()
}

impl Received {
    pub(super) fn header(&self, name: &str) -> String {
        self.headers[name].to_str().unwrap().to_owned()
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns whether one of the signatures is made with a secret.
    pub(super) fn is_signed_with(&self, secret: &SigningSecret) -> bool {
        let signed = format!("{}.{}.", self.header("webhook-id"), self.header("webhook-timestamp"));
        let signed = [signed.as_bytes(), &self.body].concat();
        let key = hmac::Key::new(hmac::HMAC_SHA256, &secret.key());
        let header = self.header("webhook-signature");
        let mut signatures = header.split(' ').map(|signature| signature.strip_prefix("v1,").unwrap());
        signatures.any(|signature| hmac::verify(&key, &signed, &STANDARD.decode(signature).unwrap()).is_ok())
    }
}
