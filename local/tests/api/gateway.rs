//! The gateway's work before and around the functions.

use lambda_http::http::HeaderValue;
use local::TEMPLATE;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use crate::support::TestApp;

#[tokio::test]
async fn an_unknown_path_is_not_found_with_or_without_a_key() {
    let app = TestApp::new().await;
    let mut responses = Vec::new();
    for path in
        ["/", "/v1", "/v1/", "/v1/tenants/", "/v1/tenants/ten_a1", "/v2/tenants", "/V1/tenants", "/v1//tenants", "/%2e"]
    {
        for client in [app.anonymous(), app.org_a()] {
            responses.push(client.get(path).await);
            responses.push(client.send(client.request("POST", path)).await);
        }
    }
    for response in &responses {
        response.failure(404, "NOT_FOUND");
        assert_eq!(response, &responses[0]);
    }
}

#[tokio::test]
async fn only_get_is_allowed_and_the_response_says_so_without_a_key() {
    let app = TestApp::new().await;
    for path in &app.paths {
        let head = app.org_a().send(app.org_a().request("HEAD", path)).await;
        assert_eq!((head.status, head.header("allow"), head.body.len()), (405, Some("GET"), 0), "HEAD {path}");
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE"] {
            for client in [app.anonymous(), app.org_a()] {
                let response = client.send(client.request(method, path)).await;
                response.failure(405, "METHOD_NOT_ALLOWED");
                assert_eq!(response.header("allow"), Some("GET"), "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn the_eleventh_request_of_a_burst_is_refused_and_nobody_else_is() {
    let app = TestApp::limited().await;
    for path in &app.paths {
        for request in 1..=10 {
            assert_ne!(app.org_a().get(path).await.status, 429, "request {request} of {path}");
        }
        let refused = app.org_a().get(path).await;
        refused.failure(429, "RATE_LIMITED");
        assert_eq!(refused.header("retry-after"), Some("6"));
        assert_ne!(app.org_b().get(path).await.status, 429, "another organization has its own limit");
    }
}

#[tokio::test]
async fn a_limit_counts_for_an_organization_and_not_for_a_key() {
    let app = TestApp::limited().await;
    let second = app.org_a.writer().create_key(None).await.unwrap();
    let second = app.with_key(second.key.reveal());
    for _ in 0..5 {
        app.org_a().get("/v1/tenants").await.success();
        second.get("/v1/tenants").await.success();
    }
    app.org_a().get("/v1/tenants").await.failure(429, "RATE_LIMITED");
    second.get("/v1/tenants").await.failure(429, "RATE_LIMITED");
}

#[tokio::test]
async fn a_limit_gains_a_request_in_the_time_that_retry_after_says_and_ten_a_minute() {
    let app = TestApp::limited().await;
    for _ in 0..10 {
        app.org_a().get("/v1/tenants").await.success();
    }
    let refused = app.org_a().get("/v1/tenants").await;
    refused.failure(429, "RATE_LIMITED");
    app.pass(refused.header("retry-after").unwrap().parse().unwrap());
    app.org_a().get("/v1/tenants").await.success();
    app.org_a().get("/v1/tenants").await.failure(429, "RATE_LIMITED");
    app.pass(600);
    for _ in 0..10 {
        app.org_a().get("/v1/tenants").await.success();
    }
    app.org_a().get("/v1/tenants").await.failure(429, "RATE_LIMITED");
}

#[tokio::test]
async fn requests_refused_before_the_limit_do_not_count() {
    let app = TestApp::limited().await;
    for _ in 0..20 {
        app.anonymous().get("/v1/tenants").await.unauthorized();
        assert_eq!(app.org_a().send(app.org_a().request("POST", "/v1/tenants")).await.status, 405);
    }
    app.org_a().get("/v1/tenants").await.success();
}

#[tokio::test]
async fn another_template_is_another_behaviour() {
    let template = TEMPLATE
        .replace("BurstLimit: 10\n", "BurstLimit: 2\n")
        .replace("/v1/tenants", "/v9/customers")
        .replace("The API key is invalid.", "Who are you?")
        .replace("StatusCode: 429", "StatusCode: 420");
    let app = TestApp::by_template(&template).await;
    app.org_a().get("/v1/tenants").await.failure(404, "NOT_FOUND");
    let refused = app.anonymous().get("/v9/customers").await.failure(401, "UNAUTHORIZED");
    assert_eq!(refused["message"], "Who are you?");
    for _ in 0..2 {
        app.org_a().get("/v9/customers").await.success();
    }
    app.org_a().get("/v9/customers").await.failure(420, "RATE_LIMITED");
}

#[tokio::test]
async fn a_request_line_or_headers_of_more_than_10_kb_are_refused() {
    let app = TestApp::new().await;
    let path = |length| format!("/v1/posture-reports?tenantId={}", "x".repeat(length));
    app.org_a().get(&path(9_000)).await.failure(404, "NOT_FOUND");
    app.org_a().get(&path(11_000)).await.failure(400, "INVALID_REQUEST");
    let mut request = app.org_a().request("GET", "/v1/tenants");
    request.headers_mut().insert("x-filler", "x".repeat(11_000).parse().unwrap());
    app.org_a().send(request).await.failure(400, "INVALID_REQUEST");
}

#[tokio::test]
async fn odd_headers_do_not_harm() {
    let app = TestApp::new().await;
    for (name, value) in [
        ("user-agent", &b"\xff\xfe\x80 caf\xc3\xa9"[..]),
        ("host", b"a b:99999999/%zz"),
        ("x-forwarded-proto", b"not a scheme://"),
        ("x-forwarded-for", b"\xe2\x82"),
        ("cookie", b""),
    ] {
        let mut request = app.org_a().request("GET", "/v1/tenants");
        request.headers_mut().append(name, HeaderValue::from_bytes(value).unwrap());
        app.org_a().send(request).await.success();
    }
}

#[test]
fn whatever_is_asked_gets_a_response_in_the_contracts_form() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let app = runtime.block_on(TestApp::new());
    let path = prop_oneof![select(app.paths.clone()), "/[!-~]{0,20}"];
    let asked = (path, "[!-\"$-~]{0,60}", vec(0x20..=0xff_u8, 0..40));
    let outcome = TestRunner::default().run(&asked, |(path, query, header)| {
        let Ok(header) = HeaderValue::from_bytes(&header) else { return Ok(()) };
        let Ok(uri) = format!("{path}?{query}").parse() else { return Ok(()) };
        let mut request = app.org_a().request("GET", "/");
        *request.uri_mut() = uri;
        request.headers_mut().insert("x-anything", header);
        let response = runtime.block_on(app.org_a().send(request));
        match response.status {
            200 => drop(response.success()),
            400 => drop(response.failure(400, "INVALID_REQUEST")),
            status => drop(response.failure(status, "NOT_FOUND")),
        }
        Ok(())
    });
    outcome.unwrap();
}
