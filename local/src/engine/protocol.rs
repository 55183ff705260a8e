//! DynamoDB's protocol: a `POST` whose `X-Amz-Target` names the operation, with JSON in both directions.
//!
//! The engine has its own HTTP server, which would respond to every web page. Here, requests pass the guard of
//! [`loopback`](crate::loopback) first.
//!
//! The command knows the address of the data alone. `GET /addresses` tells it the others.

use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use dynoxide::{Database, DynoxideError};
use lambda_http::http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use store::DISK_FULL;
use uuid::Uuid;

use super::Addresses;

/// The prefix of the operation in the target header.
const TARGET_PREFIX: &str = "DynamoDB_20120810.";

/// The header that names the operation.
pub(super) const TARGET: &str = "x-amz-target";

/// Returns the engine as a service, which also gives the addresses of the service around it once they are set.
pub(super) fn router(database: Arc<Database>, addresses: Arc<OnceLock<Addresses>>) -> Router {
    let known = async move || match addresses.get() {
        Some(addresses) => Json(addresses).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    };
    let router = Router::new().route(Addresses::PATH, get(known)).fallback(serve);
    // The listener limits the body.
    router.layer(DefaultBodyLimit::disable()).with_state(database)
}

async fn serve(State(database): State<Arc<Database>>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get(TARGET).and_then(|target| target.to_str().ok());
    let output = run(&database, target, &body);
    let mut response = Response::builder().status(output.status);
    for (name, value) in output.headers() {
        response = response.header(name, value);
    }
    response.body(Body::from(output.json)).expect("the headers are plain text")
}

/// Runs a request, given by its target and its body.
pub(super) fn run(database: &Database, target: Option<&str>, body: &[u8]) -> Output {
    // A request without a target names no operation.
    let operation = target.and_then(|target| target.strip_prefix(TARGET_PREFIX)).unwrap_or_default();
    match operate(database, operation, body) {
        Ok(json) => Output { status: StatusCode::OK, json },
        Err(error) => error.into(),
    }
}

/// Status and body of a response.
pub(super) struct Output {
    pub(super) status: StatusCode,
    pub(super) json: String,
}

impl Output {
    pub(super) fn headers(&self) -> [(&'static str, String); 3] {
        [
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("x-amzn-requestid", Uuid::now_v7().to_string()),
            ("x-amz-crc32", crc32fast::hash(self.json.as_bytes()).to_string()),
        ]
    }
}

impl From<DynoxideError> for Output {
    fn from(error: DynoxideError) -> Self {
        // The engine reports SQLite's error as an internal one.
        if error.to_string().contains("disk is full") {
            let json = json!({ "__type": DISK_FULL, "message": "The disk is full." }).to_string();
            return Self { status: StatusCode::INSUFFICIENT_STORAGE, json };
        }
        let status = StatusCode::from_u16(error.status_code()).unwrap_or(StatusCode::BAD_REQUEST);
        Self { status, json: error.to_json() }
    }
}

/// Runs an operation and returns its response as JSON.
fn operate(database: &Database, operation: &str, body: &[u8]) -> Result<String, DynoxideError> {
    let call = Call { body };
    match operation {
        "BatchGetItem" => call.run(|request| database.batch_get_item(request)),
        "BatchWriteItem" => call.run(|request| database.batch_write_item(request)),
        "CreateTable" => call.run(|request| database.create_table(request)),
        "DeleteItem" => call.run(|request| database.delete_item(request)),
        "DeleteTable" => call.run(|request| database.delete_table(request)),
        "DescribeTable" => call.run(|request| database.describe_table(request)),
        "GetItem" => call.run(|request| database.get_item(request)),
        "ListTables" => call.run(|request| database.list_tables(request)),
        "PutItem" => call.run(|request| database.put_item(request)),
        "Query" => call.run(|request| database.query(request)),
        "Scan" => call.run(|request| database.scan(request)),
        "TransactGetItems" => call.run(|request| database.transact_get_items(request)),
        "TransactWriteItems" => call.run(|request| database.transact_write_items(request)),
        "UpdateItem" => call.run(|request| database.update_item(request)),
        _ => Err(DynoxideError::UnsupportedCapability(format!(
            "The local table does not know the operation '{operation}'."
        ))),
    }
}

/// The body of a request, to be read as the operation's input.
struct Call<'a> {
    body: &'a [u8],
}

impl Call<'_> {
    fn run<I: DeserializeOwned, O: Serialize>(
        &self,
        operate: impl FnOnce(I) -> Result<O, DynoxideError>,
    ) -> Result<String, DynoxideError> {
        let request =
            serde_json::from_slice(self.body).map_err(|error| DynoxideError::ValidationException(error.to_string()))?;
        let output = operate(request)?;
        serde_json::to_string(&output).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_has_a_code_of_its_own() {
        for (text, status) in [("database or disk is full", 507), ("database is locked", 500)] {
            let output = Output::from(DynoxideError::InternalServerError(text.to_owned()));
            assert_eq!(output.status, status);
            assert_eq!(output.json.contains(DISK_FULL), status == 507, "{}", output.json);
        }
    }
}
