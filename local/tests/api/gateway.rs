//! The gateway's work before and around the functions.

use std::collections::BTreeSet;

use lambda_http::http::HeaderValue;
use local::TEMPLATE;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use crate::faults::FaultyStore;
use crate::support::{INDEX, TestApp, baseline_report};

#[tokio::test]
async fn an_unknown_path_is_not_found_with_or_without_a_key() {
    let app = TestApp::new().await;
    let mut responses = Vec::new();
    for path in
        ["/v1", "/v1/", "/v1/tenants/", "/v1/tenants/ten_a1", "/v2/tenants", "/V1/tenants", "/v1//tenants", "/%2e"]
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
async fn only_reads_are_allowed_and_the_response_says_so_without_a_key() {
    let app = TestApp::new().await;
    for path in app.paths.iter().map(String::as_str).chain([INDEX]) {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE"] {
            for client in [app.anonymous(), app.org_a()] {
                let response = client.send(client.request(method, path)).await;
                response.failure(405, "METHOD_NOT_ALLOWED");
                assert_eq!(response.header("allow"), Some("GET, HEAD"), "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn a_head_is_answered_like_a_get_without_its_body() {
    let app = TestApp::new().await;
    let tenant = &app.org_a.tenants[0];
    app.org_a.add_report(tenant, "rpt_1", &baseline_report("2026-07-01T00:00:00Z")).await;
    let (mut succeeded, mut failed) = (0, 0);
    for path in app.paths.iter().map(String::as_str).chain([INDEX]) {
        let path = path.replace("{reportId}", "rpt_1").replace("{controlId}", "X.1");
        for (client, query) in [(app.anonymous(), ""), (app.org_a(), ""), (app.org_a(), "?cursor=x")] {
            let path = format!("{path}{query}");
            let (head, get) = (client.send(client.request("HEAD", &path)).await, client.get(&path).await);
            assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
            for name in ["content-type", "cache-control", "etag", "vary", "ratelimit-policy", "www-authenticate"] {
                assert_eq!(head.header(name), get.header(name), "{path} {name}");
            }
            *(if head.status == 200 { &mut succeeded } else { &mut failed }) += 1;
        }
        let mut current = app.org_a().request("HEAD", &path);
        if let Some(tag) = app.org_a().get(&path).await.header("etag") {
            current.headers_mut().insert("if-none-match", tag.parse().unwrap());
            assert_eq!(app.org_a().send(current).await.status, 304, "{path}");
        }
    }
    assert!(succeeded >= 6 && failed >= 12, "{succeeded} {failed}");
}

#[tokio::test]
async fn a_head_of_a_list_reads_no_reports() {
    let app = TestApp::new().await;
    for number in 1..=3 {
        let day = format!("2026-07-0{number}T00:00:00Z");
        app.org_a.add_report(&app.org_a.tenants[0], &format!("rpt_{number}"), &baseline_report(&day)).await;
    }
    let faulty = FaultyStore::over(&app.engine).await;
    let client = faulty.client(&app);
    for path in ["/v1/posture-reports", "/v1/tenants"] {
        faulty.forget();
        assert_eq!(client.send(client.request("HEAD", path)).await.status, 200);
        let read = faulty.made();
        faulty.forget();
        client.get(path).await.success();
        assert!(read.len() < faulty.made().len() && !read.contains(&"BatchGetItem".to_owned()), "{path}: {read:?}");
    }
}

#[tokio::test]
async fn the_index_names_every_endpoint_to_a_key_and_counts_against_none() {
    let app = TestApp::limited().await;
    app.anonymous().get(INDEX).await.unauthorized();
    let index = app.org_a().get(INDEX).await;
    assert_eq!((index.status, index.header("cache-control")), (200, Some("no-store")));
    let index = index.json();
    assert_eq!(index["name"], "Security Posture Reporting API");
    let links: BTreeSet<_> = index["links"].as_object().unwrap().values().map(|link| link.as_str().unwrap()).collect();
    let not_read = ["v1/imports", "v1/imports/{importId}", "mcp"];
    let others = app.paths.iter().map(|path| path.trim_start_matches('/'));
    assert_eq!(links, others.chain(not_read).collect());
    for _ in 0..20 {
        assert_eq!(app.org_a().get(INDEX).await.status, 200);
    }
    assert_ne!(app.org_a().get("/v1/tenants").await.status, 429);
}

#[tokio::test]
async fn the_eleventh_request_of_a_burst_is_refused_and_nobody_else_is() {
    let app = TestApp::limited().await;
    for path in &app.paths {
        for request in 1..=10 {
            let response = app.org_a().get(path).await;
            assert_ne!(response.status, 429, "request {request} of {path}");
            assert_eq!(response.header("ratelimit-policy"), Some("\"default\";q=10;w=60"));
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
        let is_index = request.uri().path() == INDEX;
        let response = runtime.block_on(app.org_a().send(request));
        match response.status {
            200 if is_index => assert!(response.json()["links"].is_object()),
            200 => drop(response.success()),
            400 => drop(response.failure(400, "INVALID_REQUEST")),
            status => drop(response.failure(status, "NOT_FOUND")),
        }
        Ok(())
    });
    outcome.unwrap();
}
