//! An emulated Runtime API: one function requests events from it and posts responses to it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::process::ANY_PORT;
use crate::support::BoxError;

/// Separates the status and headers from the body of a streamed response.
const SEPARATOR: [u8; 8] = [0; 8];
/// Deadline of an invocation in milliseconds since 1970: far in the future.
const DEADLINE: &str = "4102444800000";

/// The emulated API. It stops when this value is dropped.
pub(crate) struct RuntimeApi {
    address: SocketAddr,
    server: JoinHandle<()>,
    events: UnboundedSender<String>,
    polls: UnboundedReceiver<Instant>,
    responses: UnboundedReceiver<Posted>,
}

/// What a function posted.
struct Posted {
    last: Instant,
    /// Why there is no response.
    failure: Option<String>,
    body: Bytes,
}

/// The response of a function.
pub(crate) struct Received {
    /// From the event to the last byte.
    pub(crate) last: Duration,
    /// The response as posted.
    pub(crate) posted: Bytes,
}

struct Platform {
    events: Mutex<UnboundedReceiver<String>>,
    polls: UnboundedSender<Instant>,
    responses: UnboundedSender<Posted>,
}

impl RuntimeApi {
    pub(crate) async fn start() -> Result<Self, BoxError> {
        let (events, received) = unbounded_channel();
        let (polls, polled) = unbounded_channel();
        let (responses, received_responses) = unbounded_channel();
        let platform = Arc::new(Platform { events: Mutex::new(received), polls, responses });
        let listener = TcpListener::bind(ANY_PORT).await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/{outcome}", post(finish))
            .with_state(platform);
        let server = tokio::spawn(async { axum::serve(listener, router).await.expect("the listener works") });
        Ok(Self { address, server, events, polls: polled, responses: received_responses })
    }

    /// Returns the value of `AWS_LAMBDA_RUNTIME_API`.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// Waits until the function requests an event, and returns when it did.
    pub(crate) async fn polled(&mut self) -> Instant {
        self.polls.recv().await.expect("the server holds the other end")
    }

    /// Delivers an event and waits for the response.
    pub(crate) async fn invoke(&mut self, event: &str) -> Result<Received, BoxError> {
        let start = Instant::now();
        self.events.send(event.to_owned())?;
        let posted = self.responses.recv().await.ok_or("the server ended")?;
        // The next event is delivered to a function that is already waiting.
        self.polled().await;
        let Posted { last, failure, body } = posted;
        match failure {
            Some(failure) => Err(failure.into()),
            None if is_success(&body) => Ok(Received { last: last - start, posted: body }),
            None => Err("a function responded with a failure".into()),
        }
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Received {
    /// Returns status and headers of a streamed response.
    pub(crate) fn head(&self) -> Value {
        head(&self.posted)
    }

    /// Returns the length of only the body, in bytes.
    pub(crate) fn body_length(&self) -> usize {
        self.posted.len() - head_length(&self.posted).map_or(0, |length| length + SEPARATOR.len())
    }
}

/// Returns whether a response is not a failure of an endpoint. A response that is not streamed has no head.
fn is_success(posted: &[u8]) -> bool {
    let expected = [StatusCode::OK, StatusCode::NOT_MODIFIED].map(|status| Value::from(status.as_u16()));
    head_length(posted).is_none() || expected.contains(&head(posted)["statusCode"])
}

/// Returns status and headers of a streamed response.
fn head(posted: &[u8]) -> Value {
    head_length(posted).and_then(|length| serde_json::from_slice(&posted[..length]).ok()).unwrap_or_default()
}

/// Returns the length of the part before the separator, if there is one.
fn head_length(posted: &[u8]) -> Option<usize> {
    posted.windows(SEPARATOR.len()).position(|bytes| bytes == SEPARATOR)
}

async fn next(State(platform): State<Arc<Platform>>) -> Response {
    let _ = platform.polls.send(Instant::now());
    let event = platform.events.lock().await.recv().await;
    Response::builder()
        .header("lambda-runtime-aws-request-id", "0b5a3c9e-6c1d-4f7a-9e2b-8d4f1a6c3e50")
        .header("lambda-runtime-deadline-ms", DEADLINE)
        .header("lambda-runtime-invoked-function-arn", "arn:aws:lambda:eu-central-1:000000000000:function:bench")
        .header("content-type", "application/json")
        .body(Body::from(event.unwrap_or_default()))
        .expect("static headers are valid")
}

async fn finish(
    State(platform): State<Arc<Platform>>,
    Path((_, outcome)): Path<(String, String)>,
    body: Body,
) -> StatusCode {
    let (body, broken) = match body.collect().await {
        Ok(body) => (body.to_bytes(), None),
        Err(error) => (Bytes::new(), Some(error.to_string())),
    };
    let failed = (outcome != "response").then(|| String::from_utf8_lossy(&body).into_owned());
    let _ = platform.responses.send(Posted { last: Instant::now(), failure: broken.or(failed), body });
    StatusCode::ACCEPTED
}
