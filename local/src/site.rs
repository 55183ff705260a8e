//! The API's documentation: `/docs`, where requests can be tried, and the OpenAPI document itself.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{map_request, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use lambda_http::http::header::{CONTENT_TYPE, HOST};
use lambda_http::http::{HeaderMap, Uri};
use serde_json::Value;
use swagger_ui_dist::{ApiDefinition, OpenApiSource, generate_routes};
use web::respond;

use crate::openapi_3_0;

const DOCUMENT: &str = include_str!("../../infra/openapi.yaml");
/// Where the viewer of the document has its files.
const VIEWER: &str = "/docs/ui";
/// The server in the document, unless another is chosen.
const DEFAULT_SERVER: &str = "http://127.0.0.1:9000";

static JSON: LazyLock<String> = LazyLock::new(|| parsed().to_string());
static JSON_3_0: LazyLock<String> = LazyLock::new(|| openapi_3_0::converted(parsed()).to_string());

/// Returns the document.
pub(crate) fn parsed() -> Value {
    serde_saphyr::from_str(DOCUMENT).expect("the document is part of the program and tested")
}

/// Returns the API with the documentation pages.
pub(crate) fn beside(api: Router) -> Router {
    // Of the viewer, only its files are used. Its own page repeats its address, which is therefore constant: a link
    // cannot add anything to it.
    let viewer = ApiDefinition {
        uri_prefix: VIEWER,
        api_definition: OpenApiSource::Uri("/openapi.yaml"),
        title: Some("Security Posture Reporting API"),
    };
    let fixed_address = map_request(async |mut request: Request| {
        *request.uri_mut() = Uri::from_static(VIEWER);
        request
    });
    let pages = Router::new()
        .merge(generate_routes(viewer).layer(fixed_address))
        .route("/docs", get(async || file("text/html; charset=utf-8", include_str!("site/page.html"))))
        .route("/docs/page.css", get(async || file("text/css; charset=utf-8", include_str!("site/page.css"))))
        .route("/docs/page.js", get(async || file("text/javascript; charset=utf-8", include_str!("site/page.js"))))
        .route("/openapi.yaml", get(async |headers: HeaderMap| document(&headers, "application/yaml", DOCUMENT)))
        .route("/openapi.json", get(async |headers: HeaderMap| document(&headers, "application/json", &JSON)))
        .route("/openapi-3.0.json", get(async |headers: HeaderMap| document(&headers, "application/json", &JSON_3_0)))
        .layer(map_response(async |response| respond::restricted(response, &[])));
    api.merge(pages)
}

fn file(media_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, media_type)], text).into_response()
}

/// Returns the document with this service as its server, so that requests can be tried.
fn document(headers: &HeaderMap, media_type: &'static str, text: &str) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let server = host.map_or(DEFAULT_SERVER.to_owned(), |host| format!("http://{host}"));
    ([(CONTENT_TYPE, media_type)], text.replace(DEFAULT_SERVER, &server)).into_response()
}
