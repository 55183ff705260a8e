//! DynamoDB's protocol: a `POST` whose `X-Amz-Target` names the operation, with JSON in both directions.
//!
//! The engine has its own HTTP server, which would answer every web page. Here, requests pass the guard of
//! [`loopback`](crate::loopback) first.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use dynoxide::{Database, DynoxideError};
use lambda_http::http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// The prefix of the operation in the target header.
const TARGET_PREFIX: &str = "DynamoDB_20120810.";
/// Maximum size of a request in bytes, as in DynamoDB.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// Returns the engine as a service.
pub(super) fn router(database: Database) -> Router {
    Router::new().fallback(answer).with_state(database)
}

async fn answer(State(database): State<Database>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let outcome = match to_bytes(body, BODY_LIMIT).await {
        Ok(body) => operate(&database, operation(&parts.headers), &body),
        Err(_) => Err(DynoxideError::SerializationException("The request is larger than 16 MB.".into())),
    };
    match outcome {
        Ok(json) => response(StatusCode::OK, json),
        Err(error) => {
            let status = StatusCode::from_u16(error.status_code()).unwrap_or(StatusCode::BAD_REQUEST);
            response(status, error.to_json())
        }
    }
}

/// Returns the operation that a request asks for; empty if it names none.
fn operation(headers: &HeaderMap) -> &str {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    target.and_then(|target| target.strip_prefix(TARGET_PREFIX)).unwrap_or_default()
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
        let answer = operate(request)?;
        serde_json::to_string(&answer).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
    }
}

fn response(status: StatusCode, json: String) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", "application/x-amz-json-1.0")
        .header("x-amzn-requestid", Uuid::now_v7().to_string())
        .header("x-amz-crc32", crc32fast::hash(json.as_bytes()))
        .body(Body::from(json))
        .expect("the headers are plain text")
}
