//! Faults below the SDK: a connection to the engine on which selected attempts fail.

use std::fmt;
use std::future::poll_fn;
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{self, AsyncSleep, Credentials, Region, Sleep, StalledStreamProtectionConfig};
use aws_smithy_http_client::Builder;
use aws_smithy_runtime::client::retries::{RetryPartition, TokenBucket};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use futures_util::stream;
use http_body::Frame;
use http_body_util::StreamBody;
use local::Engine;
use serde_json::{Value, json};
use store::{Store, Timeouts, aws_settings};
use tokio::sync::watch;

/// The way in which an attempt fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The engine is never reached.
    Refused,
    /// The engine is reached, but its response never arrives.
    Hang,
    /// The service refuses the call because of load.
    Throttled,
    /// The service cancels a transaction because of the load of one of its partitions.
    ThrottledTransaction,
    /// The response has no body.
    EmptyBody,
    /// The response is an object without fields.
    EmptyObject,
    /// A byte of the response is changed in transit.
    WrongByte,
    /// The service fails.
    ServerError,
    /// The engine executes the call, and its response breaks off half-way.
    HalfResponse,
    /// A batch returns half of the requested items.
    HalfBatch,
    /// A batch returns one of the requested items.
    SlowBatch,
    /// A batch that may miss the most recent writes misses an item.
    StaleBatch,
    /// Another transaction is working on the same items.
    Conflict,
}

impl Fault {
    /// All that can happen at any call. The others have tests of their own.
    pub(crate) const ALL: [Self; 11] = [
        Self::Refused,
        Self::Hang,
        Self::Throttled,
        Self::ThrottledTransaction,
        Self::EmptyBody,
        Self::EmptyObject,
        Self::WrongByte,
        Self::ServerError,
        Self::HalfResponse,
        Self::HalfBatch,
        Self::Conflict,
    ];

    /// Returns whether the fault can happen to an operation.
    pub(crate) fn concerns(self, operation: &str) -> bool {
        match self {
            Self::HalfBatch | Self::SlowBatch | Self::StaleBatch => operation == "BatchGetItem",
            Self::Conflict | Self::ThrottledTransaction => operation == "TransactWriteItems",
            _ => true,
        }
    }
}

/// Which attempts fail, and which attempts were made.
#[derive(Debug)]
struct Plan {
    fault: Fault,
    /// Attempts that fail, counted from 0.
    attempts: Range<usize>,
    /// Only every second one of them fails.
    alternating: bool,
    /// The operations of all attempts, in order.
    made: Vec<String>,
}

impl Plan {
    /// Returns the fault of the current attempt.
    fn next(&mut self, operation: &str) -> Option<Fault> {
        self.made.push(operation.to_owned());
        let number = self.made.len() - 1;
        let spared = self.alternating && (number - self.attempts.start.min(number)) % 2 == 1;
        (self.attempts.contains(&number) && !spared && self.fault.concerns(operation)).then_some(self.fault)
    }
}

/// A store whose connection follows a plan.
pub(crate) struct FaultyStore {
    pub(crate) store: Store,
    control: Arc<Control>,
}

#[derive(Debug)]
struct Control {
    plan: Mutex<Plan>,
    /// Notifies of every attempt that hangs.
    hung: watch::Sender<()>,
}

impl FaultyStore {
    /// Returns a store on an engine, without faults yet.
    pub(crate) async fn over(engine: &Engine) -> Self {
        let plan = Plan { fault: Fault::Refused, attempts: 0..0, alternating: false, made: Vec::new() };
        let control = Arc::new(Control { plan: Mutex::new(plan), hung: watch::Sender::new(()) });
        let connection = FaultyConnection { real: Builder::new().build_http(), control: Arc::clone(&control) };
        let settings = aws_settings(Timeouts::REGIONAL)
            .http_client(SharedHttpClient::new(connection))
            .endpoint_url(format!("http://{}", engine.address()))
            .region(Region::from_static("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "local"));
        // All clients of a process share a quota of retries, which the faults would use up.
        let unlimited = RetryPartition::custom("faults").token_bucket(TokenBucket::unlimited()).build();
        let settings = config::Builder::from(&settings.load().await)
            .retry_partition(unlimited)
            .sleep_impl(PlannedSleep(Arc::clone(&control)))
            // The SDK's own timeout uses a time that does not pass here.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        Self { store: Store::new(Client::from_conf(settings), "posture"), control }
    }

    /// Makes attempts fail from now on; the next one has number 0.
    pub(crate) fn plan(&self, fault: Fault, attempts: Range<usize>) {
        *self.control.plan.lock().unwrap() = Plan { fault, attempts, alternating: false, made: Vec::new() };
    }

    /// Makes every second attempt fail from now on, beginning with the next one.
    pub(crate) fn plan_every_second(&self, fault: Fault) {
        *self.control.plan.lock().unwrap() =
            Plan { fault, attempts: 0..usize::MAX, alternating: true, made: Vec::new() };
    }

    /// Works on something until it has made a number of attempts under the plan, and leaves it there. Returns its result if
    /// it has ended before.
    pub(crate) async fn until_made<F: Future>(&self, attempts: usize, mut work: Pin<&mut F>) -> Option<F::Output> {
        let leaves = poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(result) => Poll::Ready(Some(result)),
            Poll::Pending if self.made().len() >= attempts => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        leaves.await
    }

    /// Returns the operations of all attempts under the plan, in order.
    pub(crate) fn made(&self) -> Vec<String> {
        self.control.plan.lock().unwrap().made.clone()
    }
}

/// The SDK's time: waits between attempts end at once, and an attempt is cancelled only if it hangs, however slow the
/// machine is.
#[derive(Debug)]
struct PlannedSleep(Arc<Control>);

impl AsyncSleep for PlannedSleep {
    fn sleep(&self, duration: Duration) -> Sleep {
        let mut hung = self.0.hung.subscribe();
        Sleep::new(async move {
            if duration == Timeouts::REGIONAL.attempt {
                let _ = hung.changed().await;
            } else if duration == Timeouts::REGIONAL.operation || duration == Timeouts::REGIONAL.connect {
                std::future::pending::<()>().await;
            }
        })
    }
}

#[derive(Clone)]
struct FaultyConnection<C> {
    real: C,
    control: Arc<Control>,
}

impl<C> fmt::Debug for FaultyConnection<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyConnection").field("control", &self.control).finish_non_exhaustive()
    }
}

impl HttpClient for FaultyConnection<SharedHttpClient> {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let real = self.real.http_connector(settings, components);
        SharedHttpConnector::new(FaultyConnection { real, control: Arc::clone(&self.control) })
    }
}

impl HttpConnector for FaultyConnection<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let fault = self.control.plan.lock().unwrap().next(&operation);
        let (control, real) = (Arc::clone(&self.control), self.real.clone());
        HttpConnectorFuture::new(async move {
            match fault {
                None => real.call(request).await,
                Some(Fault::Refused) => Err(ConnectorError::io("connection refused".into())),
                Some(Fault::Hang) => {
                    control.hung.send_replace(());
                    std::future::pending().await
                }
                Some(Fault::Throttled) => Ok(failure(400, &throttled())),
                Some(Fault::ServerError) => Ok(failure(500, &json!({ "__type": "InternalServerError" }))),
                Some(Fault::Conflict) => Ok(failure(400, &cancelled("TransactionConflict"))),
                Some(Fault::ThrottledTransaction) => Ok(failure(400, &cancelled("ThrottlingError"))),
                Some(Fault::EmptyBody) => with_body(real.call(request).await?, Vec::new()),
                Some(Fault::EmptyObject) => with_body(real.call(request).await?, b"{}".to_vec()),
                Some(Fault::WrongByte) => wrong_byte(real.call(request).await?).await,
                Some(Fault::HalfResponse) => half_response(real.call(request).await?).await,
                Some(Fault::HalfBatch) => part_of_batch(real.call(request).await?, |items| items / 2, true).await,
                Some(Fault::SlowBatch) => part_of_batch(real.call(request).await?, |_| 1, true).await,
                Some(Fault::StaleBatch) => {
                    let asked = String::from_utf8_lossy(request.body().bytes().unwrap_or_default()).into_owned();
                    let response = real.call(request).await?;
                    if asked.contains("\"ConsistentRead\":true") {
                        return Ok(response);
                    }
                    part_of_batch(response, |items| items.saturating_sub(1), false).await
                }
            }
        })
    }
}

pub(super) fn throttled() -> Value {
    json!({ "__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException" })
}

pub(super) fn cancelled(code: &str) -> Value {
    json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "CancellationReasons": [{ "Code": "None" }, { "Code": code }],
    })
}

/// Returns the response with another body and the matching checksum.
fn with_body(mut response: HttpResponse, body: Vec<u8>) -> Result<HttpResponse, ConnectorError> {
    response.headers_mut().insert("content-length", body.len().to_string());
    *response.body_mut() = SdkBody::from(body);
    Ok(response)
}

/// Returns the response with one letter of a text changed, so that it still has the same structure.
async fn wrong_byte(mut response: HttpResponse) -> Result<HttpResponse, ConnectorError> {
    let mut body = bytes(&mut response).await?;
    match body.iter().rposition(u8::is_ascii_lowercase) {
        Some(letter) => body[letter] = if body[letter] == b'x' { b'y' } else { b'x' },
        None => body.push(b' '),
    }
    with_body(response, body)
}

pub(super) fn failure(status: u16, body: &Value) -> HttpResponse {
    let status = aws_smithy_runtime_api::http::StatusCode::try_from(status).unwrap();
    let mut response = HttpResponse::new(status, SdkBody::from(body.to_string()));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    response
}

pub(super) async fn bytes(response: &mut HttpResponse) -> Result<Vec<u8>, ConnectorError> {
    let body = std::mem::replace(response.body_mut(), SdkBody::empty());
    let collected = http_body_util::BodyExt::collect(body).await.map_err(ConnectorError::io)?;
    Ok(collected.to_bytes().to_vec())
}

async fn half_response(mut response: HttpResponse) -> Result<HttpResponse, ConnectorError> {
    let mut half = bytes(&mut response).await?;
    half.truncate(half.len() / 2);
    let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    let frames = stream::iter([Ok(Frame::data(half.into())), Err(broken)]);
    *response.body_mut() = SdkBody::from_body_1_x(StreamBody::new(frames));
    Ok(response)
}

/// Returns the response with the first items only. `is_told` is whether it has the keys of the others.
async fn part_of_batch(
    mut response: HttpResponse,
    kept: impl Fn(usize) -> usize,
    is_told: bool,
) -> Result<HttpResponse, ConnectorError> {
    let mut content: Value = serde_json::from_slice(&bytes(&mut response).await?).unwrap();
    for (table, items) in content["Responses"].as_object_mut().unwrap().clone() {
        let mut items = items.as_array().unwrap().clone();
        let kept = kept(items.len()).min(items.len());
        let left = items.split_off(kept);
        let keys: Vec<Value> = left.iter().map(|item| json!({ "pk": item["pk"], "sk": item["sk"] })).collect();
        content["Responses"][&table] = items.into();
        if is_told && !keys.is_empty() {
            content["UnprocessedKeys"][&table]["Keys"] = keys.into();
        }
    }
    *response.body_mut() = SdkBody::from(content.to_string());
    response.headers_mut().remove("content-length");
    response.headers_mut().remove("x-amz-crc32");
    Ok(response)
}
