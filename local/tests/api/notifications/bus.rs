//! The operator's bus: the queue receives the events of all organizations, as the API returns them.

use std::sync::{Arc, Mutex};

use aws_sdk_sqs::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_sqs::{Client, Config};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use dispatch::Dispatcher;
use local::stream_of;
use operations::Queue;
use operations::notifications::Bus;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::listed;
use crate::support::{DASHBOARD, TestApp, TestOrganization, by_operator, time};

/// A queue that keeps the messages that it receives, or refuses them.
#[derive(Clone, Default)]
struct Sqs {
    messages: Arc<Mutex<Vec<Value>>>,
    refuses: Arc<Mutex<bool>>,
}

async fn receive(State(queue): State<Sqs>, call: Bytes) -> Response {
    let call: Value = serde_json::from_slice(&call).unwrap();
    if *queue.refuses.lock().unwrap() {
        return StatusCode::FORBIDDEN.into_response();
    }
    let entries = call["Entries"].as_array().unwrap();
    queue.messages.lock().unwrap().extend(entries.iter().cloned());
    let of = |entry: &Value| json!({ "Id": entry["Id"], "MessageId": "1", "MD5OfMessageBody": "" });
    Json(json!({ "Successful": entries.iter().map(of).collect::<Vec<_>>(), "Failed": [] })).into_response()
}

impl Sqs {
    async fn start(&self) -> Bus {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(receive).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .region(Region::from_static("local"))
            .endpoint_url(&address);
        Bus { client: Client::from_conf(config.build()), url: address.into(), dashboard_url: DASHBOARD.into() }
    }
}

#[tokio::test]
async fn the_bus_receives_the_events_of_all_organizations_as_the_api_returns_them() {
    let app = TestApp::new().await;
    let queue = Sqs::default();
    let bus = Some(queue.start().await);
    let dispatcher = Dispatcher { store: app.app.store.clone(), queue: Queue::Table, bus };
    super::add_reports(&app).await;
    by_operator(&app.org_b.organization, time(super::NOW)).pause_tenant(&app.org_b.tenants[0], true).await.unwrap();
    let since = time("2026-07-01T00:00:00Z");
    let mut expected = Vec::new();
    for TestOrganization { organization, key, .. } in [&app.org_a, &app.org_b] {
        let changes = organization.changes_since(since).await.unwrap();
        *queue.refuses.lock().unwrap() = true;
        let failed = dispatcher.handle(stream_of(&changes), since).await.batch_item_failures;
        assert_eq!(failed[0].item_identifier.as_deref(), Some("0"), "it is dispatched again");
        *queue.refuses.lock().unwrap() = false;
        assert!(dispatcher.handle(stream_of(&changes), since).await.batch_item_failures.is_empty());
        for mut event in listed(&app, key).await {
            if event["occurredAt"].as_str() >= Some("2026-07-01") {
                event["organizationId"] = json!(organization.id());
                expected.push(event);
            }
        }
    }
    assert!(expected.iter().any(|event| event["url"].as_str().is_some_and(|url| url.starts_with(DASHBOARD))));
    let messages = queue.messages.lock().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let bodies: Vec<Value> =
        messages.iter().map(|message| serde_json::from_str(&text(&message["MessageBody"])).unwrap()).collect();
    assert_eq!(bodies, expected);
    for (message, event) in messages.iter().zip(&expected) {
        assert_eq!(message["MessageDeduplicationId"], event["id"]);
        assert_eq!(message["MessageGroupId"], event["tenant"]["serviceTenantId"]);
    }
    assert!(app.org_a.organization.queued().await.unwrap().is_empty(), "there is no target");
}
