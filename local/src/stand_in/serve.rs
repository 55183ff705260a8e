//! The stand-in in the process of its caller, and over HTTP.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body as AxumBody, to_bytes};
use axum::extract::{Request as AxumRequest, State};
use axum::response::{IntoResponse, Response as AxumResponse};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{Body, Broken, Transport};
use lambda_http::http::header::AUTHORIZATION;
use lambda_http::http::{Request, Response, StatusCode};
use tokio::time::sleep;

use super::StandIn;
use super::names;
use super::query::Query;
use super::reply::{Reply, cut_off};
use super::respond::Ask;
use super::tenant::Tenant;

/// Path of the stand-in below the dashboard's address.
pub(crate) const PATH: &str = "/local-graph";
/// Largest body of a request, in bytes.
const LARGEST: usize = 1024 * 1024;

/// A failure of the server or the network.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Status(u16),
    CutOff,
    /// A success whose body is an error.
    Contradiction,
    Silence,
}

const FAULTS: [Fault; 7] = [
    Fault::Status(500),
    Fault::Status(502),
    Fault::Status(503),
    Fault::Status(504),
    Fault::CutOff,
    Fault::Contradiction,
    Fault::Silence,
];

impl StandIn {
    /// Responds to a request to a path below its address.
    pub(crate) async fn respond(&self, target: &str, authorization: Option<&str>, body: &[u8]) -> Response<Body> {
        self.budgets().counts.calls += 1;
        let path = target.split('?').next().unwrap_or(target);
        if let Some(tenant) = path.strip_prefix('/').and_then(|rest| rest.strip_suffix("/oauth2/v2.0/token")) {
            return self.sent(self.token(tenant, body));
        }
        if path == "/dns" {
            let query = Query::parse(target.split_once('?').map_or("", |(_, query)| query));
            return self.sent(names::respond(self.tenants.values(), &query));
        }
        if let Some(name) = path.strip_prefix("/v1.0/local-download/") {
            return self.sent(self.download(name));
        }
        let Some(tenant) = self.tenant_of(authorization) else {
            let message = "Access token has expired or is not yet valid.";
            return self.sent(Reply::error(401, "InvalidAuthenticationToken", message));
        };
        match self.fault(tenant) {
            None => self.sent(self.reply(Ask { tenant, target, body })),
            Some(Fault::Status(status)) => self.sent(Reply::error(status, "UnknownError", "")),
            Some(Fault::Contradiction) => {
                let error = Reply::error(200, "UnknownError", "");
                self.sent(error)
            }
            Some(Fault::CutOff) => cut_off(self.clock.now()),
            Some(Fault::Silence) => {
                sleep(Duration::from_secs(300)).await;
                self.sent(Reply::error(504, "UnknownError", ""))
            }
        }
    }

    /// Returns the failure of the next request, if it is to fail.
    fn fault(&self, tenant: &Tenant) -> Option<Fault> {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let place = requests.entry(tenant.id.clone()).or_default();
        *place += 1;
        let fails = tenant.number("fault", *place, 1_000) < u64::from(tenant.quirks.failures_per_mille);
        let kind = usize::try_from(tenant.number("kind of fault", *place, FAULTS.len() as u64)).unwrap_or_default();
        fails.then(|| FAULTS[kind])
    }

    fn sent(&self, reply: Reply) -> Response<Body> {
        reply.into_response(self.clock.now())
    }
}

impl Transport for StandIn {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Body>, Broken>> {
        async move {
            let address = request.uri().to_string();
            let Some(target) = address.strip_prefix(&self.address) else {
                self.budgets().counts.elsewhere += 1;
                return Err(Broken("the host is unknown".to_owned()));
            };
            let authorization = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            Ok(self.respond(target, authorization, request.body()).await)
        }
        .boxed()
    }
}

/// Returns the stand-in's service, below [`PATH`].
pub(crate) fn router(stand_in: Arc<StandIn>) -> Router {
    Router::new().fallback(over_http).with_state(stand_in)
}

async fn over_http(State(stand_in): State<Arc<StandIn>>, request: AxumRequest) -> AxumResponse {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let authorization = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    stand_in.respond(target, authorization, &body).await.map(AxumBody::new)
}
