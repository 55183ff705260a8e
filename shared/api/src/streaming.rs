//! Sends streamed responses to the platform without delays in between.
//!
//! The client of `lambda_runtime` 1.5 keeps hyper-util's default for its sockets, `HttpConnector::set_nodelay(false)`,
//! and the runtime flushes status, separator and every chunk of a streamed response separately. Nagle's algorithm then
//! holds each small piece back until the platform has acknowledged the one before, which Linux delays by 40 ms: a
//! hundred times as long as a small response takes, and billed. Neither the client nor the request can be configured
//! there, so this layer sends streamed responses itself, over a connection with `TCP_NODELAY`; everything else, failures
//! included, is left to the runtime. The AWS SDK had the same default until smithy-rs pull request 4677. Once
//! `lambda_runtime` sets the option too, `lambda_http::run_with_streaming_response` replaces this file.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use http_body::Frame;
use http_body_util::{BodyStream, StreamBody};
use hyper_util::client::legacy::connect::HttpConnector;
use lambda_http::http::header::{CONTENT_TYPE, TRANSFER_ENCODING};
use lambda_http::http::{HeaderValue, Method};
use lambda_http::lambda_runtime::layers::TracingLayer;
use lambda_http::lambda_runtime::{LambdaInvocation, MetadataPrelude, Runtime};
use lambda_http::tower::ServiceExt;
use lambda_http::tower::layer::layer_fn;
use lambda_http::{Error, LambdaEvent, Service, service_fn};
use lambda_runtime_api_client::{PooledClient, body, build_request};

use crate::{Request, Response};

/// Separates a response's status and headers from its body.
const SEPARATOR: &[u8] = &[0; 8];
/// Identifies an invocation in addition to its request id; sent back if the platform sent it.
const INVOCATION_ID: &str = "lambda-runtime-invocation-id";

/// Handles events until the platform ends the process.
///
/// # Errors
/// If the platform cannot be reached, or the connection breaks while a response is sent.
pub(crate) async fn run<H, F>(handler: H) -> Result<(), Error>
where
    H: Fn(Request) -> F,
    F: Future<Output = Response> + Send + 'static,
{
    let client = Arc::new(PooledClient::builder().with_connector(connector()).build());
    // The runtime's own path reports failures: its event is the reason.
    let failing = service_fn(|reason: LambdaEvent<String>| async { Err::<(), _>(reason.payload) });
    let responding = layer_fn(|failing| Responding { handler: &handler, client: Arc::clone(&client), failing });
    Runtime::new(failing).layer(responding).layer(TracingLayer::new()).run().await
}

/// Connects to the platform. If the system refuses the option, the connector logs it and connects nevertheless.
fn connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector
}

/// Handles an invocation and sends its response.
struct Responding<'a, H, S> {
    handler: &'a H,
    client: Arc<PooledClient>,
    /// Reports the text in the invocation's body as the failure of the invocation.
    failing: S,
}

impl<H, F, S> Service<LambdaInvocation> for Responding<'_, H, S>
where
    H: Fn(Request) -> F,
    F: Future<Output = Response> + Send + 'static,
    S: Service<LambdaInvocation, Response = (), Error = Error> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = ();
    type Error = Error;
    type Future = BoxFuture<'static, Result<(), Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.failing.poll_ready(context)
    }

    fn call(&mut self, mut invocation: LambdaInvocation) -> Self::Future {
        let client = Arc::clone(&self.client);
        let failing = self.failing.clone();
        let response =
            request(&invocation.body).map(|request| AssertUnwindSafe((self.handler)(request)).catch_unwind());
        async move {
            let failure = match response {
                Some(response) => match response.await {
                    Ok(response) => return send(&client, &invocation, response).await,
                    Err(_) => "the handler panicked",
                },
                None => "the event is not a request of API Gateway: check the function's trigger",
            };
            invocation.body = serde_json::to_vec(failure)?.into();
            failing.oneshot(invocation).await
        }
        .boxed()
    }
}

/// Returns the request in an event, or `None` if the event is not a request.
fn request(event: &[u8]) -> Option<Request> {
    lambda_http::request::from_str(str::from_utf8(event).ok()?).ok()
}

/// Sends a response to the platform as it is produced.
async fn send(client: &PooledClient, invocation: &LambdaInvocation, response: Response) -> Result<(), Error> {
    let path = format!("/2018-06-01/runtime/invocation/{}/response", invocation.context.request_id);
    let mut request = build_request()
        .method(Method::POST)
        .uri(path)
        .header(CONTENT_TYPE, "application/vnd.awslambda.http-integration-response")
        .header("lambda-runtime-function-response-mode", "streaming")
        .header(TRANSFER_ENCODING, "chunked");
    if let Some(id) = invocation.parts.headers.get(INVOCATION_ID) {
        request = request.header(INVOCATION_ID, id);
    }
    let status = client.call(request.body(posted(response)?)?).await?.status();
    if !status.is_success() {
        tracing::error!(%status, "the platform refused a response: the invocation may have run out of time");
    }
    Ok(())
}

/// Returns status and headers, the separator and the body, each as a chunk, as the platform's emulators expect. All
/// parts that are ready when the request is sent are sent with it in one piece.
fn posted(response: Response) -> Result<body::Body, Error> {
    let (mut parts, body) = response.into_parts();
    parts.headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/octet-stream"));
    let prelude = MetadataPrelude { status_code: parts.status, headers: parts.headers, cookies: Vec::new() };
    let head = [serde_json::to_vec(&prelude)?.into(), Bytes::from_static(SEPARATOR)];
    let head = stream::iter(head).map(|chunk| Ok(Frame::data(chunk)));
    Ok(body::Body::new(StreamBody::new(head.chain(BodyStream::new(body)))))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use lambda_http::http::{self, Uri};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn every_connection_to_the_platform_sends_at_once() {
        let platform = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: Uri = format!("http://{}", platform.local_addr().unwrap()).parse().unwrap();
        for _ in 0..2 {
            let connection = connector().oneshot(address.clone()).await.unwrap();
            assert!(connection.inner().nodelay().unwrap());
        }
    }
    #[tokio::test]
    async fn an_event_without_a_response_is_reported_as_a_failure() {
        for (event, failure) in [
            (include_str!("../../../events/tenants/gzip.json"), "the handler panicked"),
            ("[]", "the event is not a request of API Gateway: check the function's trigger"),
            ("", "the event is not a request of API Gateway: check the function's trigger"),
        ] {
            let reported = Arc::new(Mutex::new(Vec::new()));
            let failing = {
                let reported = Arc::clone(&reported);
                service_fn(move |invocation: LambdaInvocation| {
                    reported.lock().unwrap().push(serde_json::from_slice::<String>(&invocation.body).unwrap());
                    async { Ok::<_, Error>(()) }
                })
            };
            let client = PooledClient::builder().with_endpoint(Uri::from_static("http://127.0.0.1:1")).build();
            let handler = |_| async { panic!("the handler's own failure") };
            let mut responding = Responding { handler: &handler, client: Arc::new(client), failing };
            let (parts, ()) = http::Response::new(()).into_parts();
            let invocation = LambdaInvocation { parts, body: event.into(), context: Default::default() };
            responding.call(invocation).await.unwrap();
            assert_eq!(*reported.lock().unwrap(), [failure]);
        }
    }
}
