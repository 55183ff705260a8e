//! The resources of an endpoint, and the conversion of its result into a response.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use lambda_http::RequestExt;
use lambda_http::http::response::Builder;
use lambda_http::http::{HeaderValue, Method, StatusCode, header};
use lambda_http::request::RequestContext;

use crate::error::ApiError;
use crate::response::{Body, Encoding, List, RATE_LIMIT_POLICY, Response, Row, SIXTY_A_MINUTE, json_head, tagged_head};
use crate::tag::Tag;
use model::OrganizationId;
use store::{Store, StoreError};

/// Routes with a limit of 60 requests in 60 seconds, by method and path in the template.
const FASTER: [(Method, &str); 3] =
    [(Method::POST, "/mcp"), (Method::POST, "/v1/imports"), (Method::GET, "/v1/imports/{importId}")];

/// A request, as forwarded by the gateway.
pub type Request = lambda_http::Request;

/// The resources of every endpoint; created once and cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The data.
    pub store: Store,
    /// Address of the dashboard, without a trailing slash.
    pub dashboard_url: Arc<str>,
    /// The clock.
    pub clock: Clock,
}

/// Returns the current time.
pub type Clock = fn() -> DateTime<Utc>;

impl App {
    /// Returns an application on a store, with the system's clock.
    pub fn new(store: Store, dashboard_url: &str) -> Self {
        Self { store, dashboard_url: dashboard_url.trim_end_matches('/').into(), clock: Utc::now }
    }

    /// Begins the tag of an endpoint's response to an organization.
    pub fn tag(&self, endpoint: &'static str, organization: &OrganizationId) -> Tag {
        Tag::of(endpoint, organization, &self.dashboard_url)
    }

    /// Returns the application for one invocation, whose waits for capacity end at a given time.
    #[must_use]
    pub fn until(&self, moment: SystemTime) -> Self {
        Self { store: self.store.until(moment), ..self.clone() }
    }
}

/// Runs an endpoint's handler. Converts a failure into its response and logs it, once. The response to a HEAD has no body.
pub async fn respond<H, F>(handler: H, app: App, request: Request) -> Response
where
    H: Fn(App, Request) -> F,
    F: Future<Output = Result<Response, ApiError>>,
{
    let is_head = request.method() == Method::HEAD;
    let is_faster = is_faster(&request);
    let mut response = handler(app, request).await.unwrap_or_else(|error| {
        if matches!(error, ApiError::Unavailable(_) | ApiError::Internal(_)) {
            tracing::error!(error = %error, "a request failed");
        }
        error.into_response()
    });
    if is_faster {
        response.headers_mut().insert(RATE_LIMIT_POLICY, SIXTY_A_MINUTE);
    }
    if is_head { response.map(|_| Body::default()) } else { response }
}

/// Returns a success whose list streams, in a coding that the client accepts. For a HEAD, nothing of the list is read.
///
/// # Errors
/// If reading the first rows fails.
pub async fn list(request: &Request, tag: &Tag, list: List<StoreError>) -> Result<Response, ApiError> {
    let encoding = accepted(request);
    let body = if request.method() == Method::HEAD { Body::default() } else { list.send(encoding).await? };
    Ok(success(tag, encoding, body))
}

/// Returns a success with a single row, in a coding that the client accepts.
///
/// # Errors
/// If the row is damaged.
pub fn one(request: &Request, tag: &Tag, row: Row) -> Result<Response, ApiError> {
    let encoding = accepted(request);
    Ok(success(tag, encoding, row.send(encoding).map_err(StoreError::from)?))
}

/// Returns a success with a single row that must not be cached, in a coding that the client accepts.
///
/// # Errors
/// If the row is damaged.
pub fn uncached(status: StatusCode, request: &Request, row: Row) -> Result<Response, ApiError> {
    let encoding = accepted(request);
    Ok(encoded(json_head(status, "no-store"), encoding, row.send(encoding).map_err(StoreError::from)?))
}

/// Returns a response without a body, which must not be cached.
pub fn empty(status: StatusCode) -> Response {
    json_head(status, "no-store").body(Body::default()).expect("headers are valid")
}

fn is_faster(request: &Request) -> bool {
    let path = match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV1(context)) => context.resource_path.as_deref(),
        _ => None,
    };
    FASTER.iter().any(|(method, of)| request.method() == method && path == Some(*of))
}

fn accepted(request: &Request) -> Encoding {
    Encoding::accepted(request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()))
}

fn success(tag: &Tag, encoding: Encoding, body: Body) -> Response {
    encoded(tagged_head(StatusCode::OK, tag.header()), encoding, body)
}

fn encoded(mut response: Builder, encoding: Encoding, body: Body) -> Response {
    if encoding == Encoding::Gzip {
        response = response.header(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response.body(body).expect("headers are valid")
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("dashboard_url", &self.dashboard_url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;
    use futures_util::stream;
    use http_body_util::BodyExt;
    use lambda_http::http::request;
    use store::Timeouts;

    use super::*;

    fn request(head: impl FnOnce(request::Builder) -> request::Builder) -> Request {
        head(request::Builder::new()).body(lambda_http::Body::Empty).unwrap()
    }

    fn tag() -> Tag {
        Tag::of("tenants", &"org_a".parse().unwrap(), "https://dashboard.example.com")
    }

    /// Returns the text of a success, after a check of its head.
    async fn text(response: Response, coding: Option<&str>) -> String {
        assert_eq!(response.status(), StatusCode::OK);
        let header = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(header(header::CONTENT_ENCODING).as_deref(), coding);
        assert_eq!(header(header::ETAG).as_deref(), tag().header().to_str().ok());
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let mut text = String::new();
        match coding {
            Some(_) => GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap(),
            None => (&*bytes).read_to_string(&mut text).unwrap(),
        };
        text
    }

    #[tokio::test]
    async fn a_success_is_complete_in_the_coding_that_the_client_accepts() {
        for coding in [Some("gzip"), None] {
            let request = request(|head| match coding {
                Some(coding) => head.header(header::ACCEPT_ENCODING, coding),
                None => head,
            });
            let row = one(&request, &tag(), Row::element(&7)).unwrap();
            assert_eq!(text(row, coding).await, "7");
            let rows = List::new("rows", "total", stream::iter([Ok(vec![Row::element(&7)])]));
            let rows = list(&request, &tag(), rows).await.unwrap();
            assert_eq!(text(rows, coding).await, r#"{"rows":[7],"total":1}"#);
        }
    }

    #[tokio::test]
    async fn a_handler_decides_the_response() {
        let store = Store::connect(&store::function_settings(Timeouts::REGIONAL), "none");
        let app = App::new(store, "https://dashboard.example.com/");
        let found = respond(
            |_, request| async move { one(&request, &tag(), Row::element(&7)) },
            app.clone(),
            request(|head| head),
        );
        assert_eq!(text(found.await, None).await, "7");
        let refused = respond(|_, _| async { Err(crate::TENANT_NOT_FOUND) }, app, request(|head| head)).await;
        assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    }
}
