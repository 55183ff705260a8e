//! Every sample event gets its expected response.
//!
//! `UPDATE_EVENTS=1 cargo test -p local --test events` updates the responses; review the difference.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../examples/event_data/data.rs"]
mod data;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use api::{ApiError, App, Request, Response};
use axum::Router;
use axum::body::Body;
use dashboard::Pages;
use http_body_util::BodyExt;
use lambda_http::http::header::CONTENT_ENCODING;
use lambda_http::http::response::Parts;
use libflate::gzip;
use local::{Engine, Uploads};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower::ServiceExt;
use web::Dashboard;
use web::pdf::PDF;
use web::sign_in::Settings;

/// Replaces every tag.
const TAG: &str = "W/\"......................\"";

/// Replaces the cursors of events.
const CURSOR: &str = "...";

#[tokio::test]
async fn every_sample_event_gets_the_recorded_response() {
    let engine = Engine::memory(TcpListener::bind("127.0.0.1:0").await.unwrap()).await.unwrap();
    let app = App::new(data::write(&engine).await.unwrap(), "https://dashboard.example.com");
    let mut functions = BTreeSet::new();
    for path in sample_events() {
        let (function, event) = (function_of(&path), fs::read_to_string(&path).unwrap());
        let found = match function.as_str() {
            "authorizer" => authorize(&app, &event).await,
            "posture-reports" => respond(posture_reports::handle, &app, &event).await,
            "posture-report" => respond(posture_report::handle, &app, &event).await,
            "report-summaries" => respond(report_summaries::handle, &app, &event).await,
            "controls" => respond(controls::handle, &app, &event).await,
            "events" => respond(events::handle, &app, &event).await,
            "imports" => {
                let bucket = Uploads::new(None).unwrap().called("");
                let handler = |app, request| imports::handle(app, Some(Arc::clone(&bucket)), request);
                respond(handler, &app, &event).await
            }
            "mcp" => respond(mcp::handle, &app, &event).await,
            "tenants" => respond(tenants::handle, &app, &event).await,
            "trends" => respond(trends::handle, &app, &event).await,
            "usage" => respond(usage::handle, &app, &event).await,
            "billable-users" => respond(billable_users::handle, &app, &event).await,
            "dashboard" => show(&event, Pages::new(app.clone(), "", sign_in()).router()).await,
            "report-pdf" if event.contains("\"Records\"") => continue,
            "report-pdf" => {
                let dashboard = Dashboard::new(app.clone(), || sign_in().origins());
                show(&event, web::router(dashboard, &[PDF])).await
            }
            // These have no response, and tests of their own.
            "collect" | "deliver" | "dispatch" | "import-assessment" | "schedule" => continue,
            other => panic!("{other} is no function"),
        };
        compare(&path.with_extension("expected.json"), &found);
        functions.insert(function);
    }
    assert_eq!(functions.len(), 14, "{functions:?}");
}

/// Texts of earlier responses, before fields were added, by the names of their events.
const EARLIER: &str = include_str!("earlier_responses.json");

/// Returns a text without the fields that were added since.
fn without_additions(text: &str) -> String {
    let added = regex_lite::Regex::new(r#","nextCursor":(null|"[^"]*")|,"references":\[[^\]]*\]"#).unwrap();
    added.replace_all(text, "").into_owned()
}

#[tokio::test]
async fn a_client_of_earlier_responses_reads_the_same_bytes() {
    let engine = Engine::memory(TcpListener::bind("127.0.0.1:0").await.unwrap()).await.unwrap();
    let app = App::new(data::write(&engine).await.unwrap(), "https://dashboard.example.com");
    let earlier: BTreeMap<String, String> = serde_json::from_str(EARLIER).unwrap();
    for (name, expected) in &earlier {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../events/{name}.json"));
        let event = fs::read_to_string(&path).unwrap();
        let (_, text) = match function_of(&path).as_str() {
            "posture-reports" => ask(posture_reports::handle, &app, &event).await,
            "tenants" => ask(tenants::handle, &app, &event).await,
            "usage" => ask(usage::handle, &app, &event).await,
            "billable-users" => ask(billable_users::handle, &app, &event).await,
            other => panic!("{other} had no responses"),
        };
        let text = without_additions(str::from_utf8(&text).unwrap());
        assert!(text == *expected, "{name}: {text}");
    }
    assert!(earlier.len() > 30);
}

/// Returns all events, in order.
fn sample_events() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../events");
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut events: Vec<_> =
        files.filter(|path| !path.file_name().unwrap().to_str().unwrap().ends_with(".expected.json")).collect();
    events.sort();
    events
}

/// Returns the function of an event: the name of its folder.
fn function_of(path: &Path) -> String {
    path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap().to_owned()
}

/// Returns the authorizer's response, or its error as the runtime reports it.
async fn authorize(app: &App, event: &str) -> Value {
    match authorizer::handle(app.clone(), serde_json::from_str(event).unwrap()).await {
        Ok(response) => serde_json::to_value(response).unwrap(),
        Err(error) => json!({ "errorMessage": error.to_string() }),
    }
}

/// Returns an endpoint's status and headers, and its body decoded.
async fn ask<H, F>(handler: H, app: &App, event: &str) -> (Parts, Vec<u8>)
where
    H: Fn(App, Request) -> F,
    F: Future<Output = Result<Response, ApiError>>,
{
    let request = lambda_http::request::from_str(event).unwrap();
    let (parts, body) = api::respond(handler, app.clone(), request).await.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let text = match parts.headers.get(CONTENT_ENCODING) {
        Some(coding) if coding == "gzip" => inflate(&bytes),
        Some(coding) => panic!("{coding:?} was not requested"),
        None => bytes.to_vec(),
    };
    (parts, text)
}

/// Returns an endpoint's response as recorded.
async fn respond<H, F>(handler: H, app: &App, event: &str) -> Value
where
    H: Fn(App, Request) -> F,
    F: Future<Output = Result<Response, ApiError>>,
{
    let (parts, text) = ask(handler, app, event).await;
    let mut headers: BTreeMap<_, _> =
        parts.headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!(headers.len(), parts.headers.len(), "a header is repeated");
    // Recordings have random names, which determine the tags of their responses.
    if let Some(tag) = headers.get_mut("etag") {
        assert!(tag.starts_with("W/\"") && tag.len() == TAG.len(), "{tag}");
        *tag = TAG;
    }
    let mut body = (!text.is_empty()).then(|| serde_json::from_slice::<Value>(&text).unwrap());
    // A cursor of events contains the time.
    if let Some(body) = body.as_mut().filter(|body| body["events"].is_array()) {
        body["nextCursor"] = json!(CURSOR);
    }
    json!({ "statusCode": parts.status.as_u16(), "headers": headers, "body": body })
}

/// Headers that describe a response of the dashboard.
const TELLING: [&str; 4] = ["cache-control", "content-security-policy", "content-type", "location"];

/// Returns the dashboard's response without its body: pages change with every word.
async fn show(event: &str, router: Router) -> Value {
    let request = lambda_http::request::from_str(event).unwrap().map(Body::new);
    let response = router.oneshot(request).await.unwrap();
    let headers: BTreeMap<_, _> =
        TELLING.iter().filter_map(|name| Some((name, response.headers().get(*name)?.to_str().unwrap()))).collect();
    json!({ "statusCode": response.status().as_u16(), "headers": headers })
}

fn sign_in() -> Settings {
    Settings {
        issuer: "https://issuer.example.com".to_owned(),
        client_id: "dashboard".to_owned(),
        client_secret: None,
        pool_url: None,
        identities: None,
    }
}

fn inflate(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    gzip::Decoder::new(bytes).unwrap().read_to_end(&mut text).unwrap();
    text
}

#[track_caller]
fn compare(path: &Path, found: &Value) {
    if env::var_os("UPDATE_EVENTS").is_some() {
        fs::write(path, format!("{found:#}\n")).unwrap();
    }
    let recorded = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let recorded: Value = serde_json::from_str(&recorded).unwrap();
    assert!(*found == recorded, "{}: found {found:#}", path.display());
}
