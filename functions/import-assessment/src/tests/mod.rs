//! Failures: a refused import is reported next to the file, a transient failure is left to the next attempt.

use std::sync::{Arc, Mutex};

use aws_lambda_events::s3::S3EventRecord;
use aws_sdk_s3::config::{Credentials, Region};
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::routing::get;
use local::Engine;
use model::OrganizationId;
use serde_json::Value;
use store::OrganizationRecord;
use tokio::net::TcpListener;

use super::*;

mod cases;
#[path = "../../../../assessments/tests/intake/mod.rs"]
mod intake_cases;
mod jobs;
#[path = "../../../../assessments/tests/intake_2/mod.rs"]
mod second_cases;

/// A bucket with the same response to every read and every write, which records the paths and bodies that were written.
struct Responses {
    client: Client,
    written: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Responses {
    async fn new(reads: (StatusCode, &'static str), writes: (StatusCode, &'static str)) -> Self {
        let written = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&written);
        let put = async move |uri: Uri, body: String| {
            log.lock().unwrap().push((uri.path().to_owned(), serde_json::from_str(&body).unwrap()));
            told(writes)
        };
        let listener = listener().await;
        let client = client_of(&listener);
        let router = Router::new().fallback(get(async move || told(reads)).put(put));
        tokio::spawn(async { axum::serve(listener, router).await.unwrap() });
        Self { client, written }
    }

    fn written(&self) -> Vec<(String, Value)> {
        self.written.lock().unwrap().clone()
    }
}

/// Returns a client of the bucket behind a listener.
fn client_of(listener: &TcpListener) -> Client {
    let settings = aws_sdk_s3::config::Builder::from(&function_settings(Timeouts::REGIONAL))
        .endpoint_url(format!("http://{}", listener.local_addr().unwrap()))
        .region(Region::from_static("local"))
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .force_path_style(true);
    Client::from_conf(settings.build())
}

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

/// Returns a response with an error code.
fn told((status, code): (StatusCode, &str)) -> (StatusCode, String) {
    (status, format!("<Error><Code>{code}</Code></Error>"))
}

const DONE: (StatusCode, &str) = (StatusCode::OK, "");
const FORBIDDEN: (StatusCode, &str) = (StatusCode::FORBIDDEN, "AccessDenied");
const SLOW_DOWN: (StatusCode, &str) = (StatusCode::SERVICE_UNAVAILABLE, "SlowDown");

/// Returns how the import of a folder ends, with the organization in a table of that name.
async fn kind(responses: &Responses, table: &str) -> String {
    let engine = Engine::memory(listener().await).await.unwrap();
    let organization = OrganizationRecord {
        organization_id: OrganizationId::generate("2026-01-01T00:00:00Z".parse().unwrap()),
        name: "Northwind Managed Services".into(),
        usage_plan_key: "u".repeat(40),
        created_at: "2026-01-01T00:00:00Z".parse().unwrap(),
    };
    engine.store("posture").await.unwrap().as_operator().create_organization(&organization).await.unwrap();
    let event = event(&format!("assessments/{}/ten_1/june/_COMPLETE", organization.organization_id));
    let importer = Importer::new(Store::new(engine.client().clone(), table), responses.client.clone());
    Diagnostic::from(importer.handle(event).await.unwrap_err()).error_type
}

/// Returns the event of an object that was put into the bucket.
fn event(key: &str) -> S3Event {
    let mut record = S3EventRecord::default();
    record.s3.bucket.name = Some("bucket".into());
    record.s3.object.key = Some(key.replace(' ', "+"));
    let mut event = S3Event::default();
    event.records.push(record);
    event
}

/// Returns the one failure of the one result.
fn failure(responses: &Responses) -> Value {
    let written = responses.written();
    assert_eq!(written.len(), 1);
    let (path, result) = &written[0];
    assert!(path.ends_with("/june/_COMPLETE.import.json"), "{path}");
    assert_eq!((&result["status"], result["failures"].as_array().unwrap().len()), (&"FAILED".into(), 1));
    result["failures"][0].clone()
}

#[tokio::test]
async fn a_refused_list_of_files_is_reported_in_the_result() {
    let responses = Responses::new(FORBIDDEN, DONE).await;
    assert_eq!(kind(&responses, "posture").await, "NotImported");
    let failure = failure(&responses);
    assert_eq!(failure["of"], "_COMPLETE");
    assert_eq!(failure["error"], "ListObjectsV2 was refused (AccessDenied)");
}

#[tokio::test]
async fn a_refusal_of_the_table_is_reported_in_the_result() {
    let responses = Responses::new(DONE, DONE).await;
    assert_eq!(kind(&responses, "no-such-table").await, "NotImported");
    assert_eq!(failure(&responses)["error"], "GetItem was refused: the table does not exist");
}

#[tokio::test]
async fn a_transient_failure_leaves_no_result() {
    let responses = Responses::new(SLOW_DOWN, DONE).await;
    assert_eq!(kind(&responses, "posture").await, "Unavailable");
    assert_eq!(responses.written(), []);
}

#[tokio::test]
async fn a_result_that_may_not_be_written_is_not_waited_for() {
    let responses = Responses::new(FORBIDDEN, FORBIDDEN).await;
    assert_eq!(kind(&responses, "posture").await, "NotImported");
}
