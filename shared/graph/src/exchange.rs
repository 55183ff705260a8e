//! One request and its response, within bounds of time and size.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::DateTime;
use flate2::read::MultiGzDecoder;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, DATE, HeaderMap, LOCATION, RETRY_AFTER};
use hyper::{Request, Response};
use model::Timestamp;
use model::snapshot::RequestFailure;
use serde_json::Value;
use tokio::time::timeout;

use crate::transport::{Body, Transport};

/// Largest response that is read, in bytes, compressed or not. A page of 999 users has half a megabyte.
pub(crate) const LARGEST: usize = 16 * 1024 * 1024;
/// Largest error that is kept, in bytes.
const LARGEST_ERROR: usize = 16 * 1024;
/// Time for a request and its whole response.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

/// The form that a successful body has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    /// Text, as the list of its lines.
    Lines,
}

/// A response that was read, or the reason why there is none.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: Option<u16>,
    pub(crate) failure: Option<RequestFailure>,
    /// When it was sent, by the other side's clock.
    pub(crate) date: Option<Timestamp>,
    pub(crate) retry_after: Option<Duration>,
    /// Whether a refusal for too many requests concerns the application in all tenants.
    pub(crate) everywhere: bool,
    /// Address that the response redirects to.
    pub(crate) location: Option<String>,
    /// Size of the body in bytes.
    pub(crate) bytes: u64,
    pub(crate) body: Value,
}

impl Reply {
    pub(crate) fn failed(failure: RequestFailure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    pub(crate) fn succeeded(&self) -> bool {
        self.failure.is_none() && self.status == Some(200)
    }

    /// Reads the headers that say who throttles, and for how long.
    pub(crate) fn with_headers<'a>(mut self, header: impl Fn(&str) -> Option<&'a str>) -> Self {
        let date = header(DATE.as_str()).and_then(|text| DateTime::parse_from_rfc2822(text).ok());
        self.date = date.and_then(|date| date.to_utc().try_into().ok());
        let seconds = header(RETRY_AFTER.as_str()).and_then(|text| text.trim().parse().ok());
        self.retry_after = seconds.map(Duration::from_secs);
        // `Application/...`, `Tenant_Application/...` or `Tenant/...`.
        self.everywhere = header("x-ms-throttle-scope").is_some_and(|scope| scope.starts_with("Application"));
        self.location = header(LOCATION.as_str()).map(str::to_owned);
        self
    }
}

/// Sends a request and reads the response.
pub(crate) async fn exchange(transport: &Arc<dyn Transport>, request: Request<Bytes>, form: Form) -> Reply {
    let exchange = async {
        match transport.send(request).await {
            Ok(response) => read(response, form).await,
            Err(_) => Reply::failed(RequestFailure::Unreachable),
        }
    };
    timeout(LONGEST, exchange).await.unwrap_or_else(|_| Reply::failed(RequestFailure::TimedOut))
}

async fn read(response: Response<Body>, form: Form) -> Reply {
    let (head, body) = response.into_parts();
    let status = head.status.as_u16();
    let headers = head.headers;
    let reply = Reply::default().with_headers(|name| text(&headers, name));
    let read = match content(&headers, body).await {
        Ok(bytes) if status == 200 => successful(&bytes, form).map(|body| (bytes.len(), body)),
        Ok(bytes) => Ok((bytes.len(), error(&bytes))),
        Err(failure) => Err(failure),
    };
    match read {
        Ok((bytes, body)) => Reply { status: Some(status), bytes: bytes as u64, body, ..reply },
        // A refusal is one, whatever its text is.
        Err(_) if status >= 400 => Reply { status: Some(status), ..reply },
        Err(failure) => Reply { failure: Some(failure), ..reply },
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the body, decompressed.
async fn content(headers: &HeaderMap, body: Body) -> Result<Bytes, RequestFailure> {
    let announced = text(headers, CONTENT_LENGTH.as_str()).and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > LARGEST as u64) {
        return Err(RequestFailure::TooLarge);
    }
    let collected = Limited::new(body, LARGEST).collect().await;
    let bytes = collected.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
        Some(_) => RequestFailure::TooLarge,
        None => RequestFailure::Unreachable,
    })?;
    match text(headers, CONTENT_ENCODING.as_str()) {
        None | Some("identity") => Ok(bytes.to_bytes()),
        Some("gzip") => inflate(&bytes.to_bytes()),
        Some(_) => Err(RequestFailure::Malformed),
    }
}

fn inflate(bytes: &[u8]) -> Result<Bytes, RequestFailure> {
    let mut inflated = Vec::new();
    let mut bounded = MultiGzDecoder::new(bytes).take(LARGEST as u64 + 1);
    bounded.read_to_end(&mut inflated).map_err(|_| RequestFailure::Malformed)?;
    if inflated.len() > LARGEST { Err(RequestFailure::TooLarge) } else { Ok(inflated.into()) }
}

fn successful(bytes: &[u8], form: Form) -> Result<Value, RequestFailure> {
    match form {
        Form::Json => match serde_json::from_slice(bytes) {
            Ok(body @ Value::Object(_)) if body.get("error").is_none() => Ok(body),
            _ => Err(RequestFailure::Malformed),
        },
        Form::Lines => {
            let text = std::str::from_utf8(bytes).map_err(|_| RequestFailure::Malformed)?;
            let lines = text.trim_start_matches('\u{feff}').lines();
            Ok(lines.map(Value::from).collect())
        }
    }
}

/// Returns the JSON of an error, or null if it has none.
fn error(bytes: &[u8]) -> Value {
    let short = (bytes.len() <= LARGEST_ERROR).then_some(bytes);
    short.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default()
}
