//! The stand-in for Microsoft Graph over HTTP, below the dashboard's address.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use lambda_http::http::StatusCode;
use lambda_http::http::header::AUTHORIZATION;
use stand_in::StandIn;

/// Path of the stand-in below the dashboard's address.
pub(crate) const PATH: &str = "/local-graph";
/// Largest body of a request, in bytes.
const LARGEST: usize = 1024 * 1024;

/// Returns the stand-in's service, below [`PATH`].
pub(crate) fn router(stand_in: Arc<StandIn>) -> Router {
    Router::new().fallback(respond).with_state(stand_in)
}

async fn respond(State(stand_in): State<Arc<StandIn>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let authorization = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    stand_in.respond(target, authorization, &body).await.map(Body::new)
}
