//! Imports by the API: requested with a key of their own, sent with the request or to an address, and imported.

mod addresses;
mod contents;
mod many;
mod recorded;
mod requests;

use axum::body::Body;
use lambda_http::http::Request;
use lambda_http::http::header::CONTENT_LENGTH;
use serde_json::{Value, json};
use store::KeyRights;

use crate::support::{Client, IMPORTS, Received, TestApp, TestOrganization};

/// Media type of a file.
const OF_FILE: (&str, &str) = ("content-type", "application/octet-stream");
const OF_LIST: (&str, &str) = ("content-type", "application/json");

/// A service and a client whose key imports.
struct Importing {
    app: TestApp,
    client: Client,
}

impl Importing {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let client = client(&app, &app.org_a, None).await;
        Self { app, client }
    }

    /// Requests an import of a file that comes with the request.
    async fn send(&self, query: &str, content: impl Into<Body>) -> Received {
        self.client.post(&format!("{IMPORTS}?fileName=results.json{query}"), &[OF_FILE], content).await
    }

    /// Imports what has arrived, and returns an import.
    async fn result(&self, accepted: &Received) -> Value {
        assert!(!self.app.uploads.import_all(&self.app.app).await, "an import failed and is to be tried again");
        self.client.get(&path_of(accepted)).await.success()
    }

    /// Sends a file to an address.
    async fn put(&self, address: &str, content: impl Into<Vec<u8>>) -> Received {
        put(&self.app, address, content.into()).await
    }

    async fn reports(&self) -> Value {
        self.app.org_a().get("/v1/posture-reports?latestOnly=false&limit=500").await.success()
    }
}

/// Returns a client with a new key that imports for a tenant, or for all.
async fn client(app: &TestApp, organization: &TestOrganization, tenant: Option<&str>) -> Client {
    let rights = KeyRights::Import(tenant.map(|tenant| tenant.parse().unwrap()));
    let created = organization.writer().create_key_for(None, rights).await.unwrap();
    app.with_key(created.key.reveal())
}

async fn put(app: &TestApp, address: &str, content: Vec<u8>) -> Received {
    let request = Request::builder().method("PUT").uri(address);
    let request = request.header(CONTENT_LENGTH, content.len());
    app.anonymous().send(request.body(content.into()).unwrap()).await
}

/// Returns a list of files to be sent.
fn list(files: &[(&str, usize)]) -> String {
    let files: Vec<_> = files.iter().map(|(name, size)| json!({ "name": name, "size": size })).collect();
    json!({ "files": files }).to_string()
}

/// Returns the import that a response accepts.
#[track_caller]
fn accepted(response: &Received) -> Value {
    assert_eq!(response.status, 202, "{:?}", response.body);
    assert_eq!(response.header("cache-control"), Some("no-store"));
    response.json()
}

/// Returns the path of the import that a response accepts.
#[track_caller]
fn path_of(response: &Received) -> String {
    format!("{IMPORTS}/{}", accepted(response)["importId"].as_str().unwrap())
}
