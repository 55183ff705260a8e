//! The input of functions from the gateway, and the gateway's handling of their responses.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use api::{ApiError, App, Request, Response};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Full, StreamBody};
use lambda_http::aws_lambda_events::apigw::{ApiGatewayCustomAuthorizerRequest, ApiGatewayCustomAuthorizerResponse};
use lambda_http::http::Response as HttpResponse;
use lambda_http::{Error, RequestExt};
use local::{Functions, Gateway, Limits, TEMPLATE};
use serde_json::{Value, json};

use crate::support::{Client, TestApp, admission};

const KEY: &str = "Bearer spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF";

/// Returns a client of a gateway in front of the functions, limits included.
fn client(functions: &Functions) -> Client {
    let gateway = Gateway::from_template(TEMPLATE, functions, &Limits::in_real_time()).unwrap();
    Client::of(gateway.into_router(), KEY)
}

/// Returns the service's functions, but with a given authorizer.
fn functions(app: &TestApp, decide: fn(ApiGatewayCustomAuthorizerRequest) -> Result<Value, Error>) -> Functions {
    Functions::of(&app.app).with_authorizer("authorizer", &app.app, move |_, event| async move {
        let decision = decide(event)?;
        Ok(serde_json::from_value::<ApiGatewayCustomAuthorizerResponse>(decision)?)
    })
}

fn admit(event: ApiGatewayCustomAuthorizerRequest) -> Result<Value, Error> {
    Ok(admission(&event, &json!({ "organizationId": "org_a" })))
}

/// Returns the event that the function received.
async fn tell(_: App, request: Request) -> Result<Response, ApiError> {
    let context = request.request_context_ref().and_then(|context| context.authorizer()).unwrap();
    let query = request.query_string_parameters();
    let all = |name| query.all(name).unwrap_or_default();
    let header = |name| request.headers().get_all(name).iter().map(|value| value.to_str().unwrap()).collect::<Vec<_>>();
    let told = json!({
        "method": request.method().as_str(),
        "path": request.raw_http_path(),
        "context": context.fields,
        "a": all("a"),
        "b": all("b"),
        "host": header("host"),
        "accept": header("accept"),
    });
    Ok(HttpResponse::new(Full::from(told.to_string()).boxed_unsync()))
}

#[tokio::test]
async fn a_function_sees_the_decoded_request_and_the_authorizers_context() {
    let app = TestApp::new().await;
    let client = client(&functions(&app, admit).with_endpoint("tenants", &app.app, tell));
    let mut request = client.request("GET", "/v1/tenants?a=1+2%2B3&b=%C3%A9&a=%zz&b=%ff&b&c=3");
    request.headers_mut().insert("accept", "text/plain".parse().unwrap());
    let told = client.send(request).await.json();
    let expected = json!({
        "method": "GET",
        "path": "/v1/tenants",
        "context": { "principalId": "somebody", "organizationId": "org_a" },
        "a": ["1 2+3", "%zz"],
        "b": ["é", "\u{fffd}", ""],
        "host": ["local"],
        "accept": ["text/plain"],
    });
    assert_eq!(told, expected);
}

#[tokio::test]
async fn the_authorizer_is_asked_with_the_whole_header() {
    let app = TestApp::new().await;
    let client = client(&functions(&app, |event| {
        assert_eq!(event.type_.as_deref(), Some("TOKEN"));
        assert_eq!(event.authorization_token.as_deref(), Some(KEY));
        assert!(event.method_arn.as_deref().unwrap().ends_with("/GET/v1/tenants"), "{:?}", event.method_arn);
        admit(event)
    }));
    client.get("/v1/tenants").await.success();
}

#[tokio::test]
async fn the_authorizers_outcome_decides_the_response() {
    let app = TestApp::new().await;
    let status = async |decide| client(&functions(&app, decide)).get("/v1/tenants").await;
    status(|_| Err("Unauthorized".into())).await.failure(401, "UNAUTHORIZED");
    status(|_| Err("unauthorized".into())).await.failure(503, "UNAVAILABLE");
    status(|_| Err("the store is down".into())).await.failure(503, "UNAVAILABLE");
    status(|_| panic!("the authorizer's own failure")).await.failure(503, "UNAVAILABLE");
    status(|event| change(event, "/policyDocument/Statement/0/Effect", json!("Deny")))
        .await
        .failure(401, "UNAUTHORIZED");
    status(|event| change(event, "/principalId", Value::Null)).await.failure(500, "INTERNAL_ERROR");
    let unavailable = status(|event| change(event, "/usageIdentifierKey", Value::Null)).await;
    unavailable.failure(503, "UNAVAILABLE");
    assert_eq!(unavailable.header("retry-after"), Some("10"));
    status(admit).await.success();
}

/// Returns a decision to allow, with one field changed.
fn change(event: ApiGatewayCustomAuthorizerRequest, field: &str, value: Value) -> Result<Value, Error> {
    let mut decision = admit(event)?;
    *decision.pointer_mut(field).unwrap() = value;
    Ok(decision)
}

#[tokio::test]
async fn a_function_that_panics_is_a_failure_of_the_service_and_says_nothing_of_its_inside() {
    async fn panics(_: App, _: Request) -> Result<Response, ApiError> {
        panic!("the function's own failure")
    }
    let app = TestApp::new().await;
    let client = client(&functions(&app, admit).with_endpoint("tenants", &app.app, panics));
    let response = client.get("/v1/tenants").await;
    response.failure(500, "INTERNAL_ERROR");
    assert!(!String::from_utf8_lossy(&response.body).contains("own failure"));
    client.get("/v1/usage").await.failure(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_response_streams_through_as_it_is_asked_for() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    async fn counts(_: App, _: Request) -> Result<Response, ApiError> {
        let chunks = stream::iter(0..1_000).map(|chunk: u32| {
            MADE.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Infallible>(http_body::Frame::data(Bytes::from(format!("{chunk:09}\n"))))
        });
        Ok(HttpResponse::builder().header("x-own", "kept").body(StreamBody::new(chunks).boxed_unsync()).unwrap())
    }
    let app = TestApp::new().await;
    let client = client(&functions(&app, admit).with_endpoint("tenants", &app.app, counts));
    let mut response = client.open("/v1/tenants").await;
    assert_eq!(response.headers()["x-own"], "kept");
    for chunk in 0..3 {
        let frame = response.body_mut().frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), format!("{chunk:09}\n"));
        assert_eq!(MADE.load(Ordering::Relaxed), chunk + 1, "nothing is produced before it is requested");
    }
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes().len(), 997 * 10);
}
