//! How requests arrive, some of which are to fail.

use std::sync::PoisonError;
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{Body, Broken, Transport};
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use tokio::time::sleep;

use super::StandIn;
use super::names;
use super::query::Query;
use super::reply::{Reply, cut_off};
use super::respond::Ask;
use super::tenant::Tenant;

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
    pub async fn respond(&self, target: &str, authorization: Option<&str>, body: &[u8]) -> Response<Body> {
        let number = {
            let counts = &mut self.budgets().counts;
            counts.calls += 1;
            counts.calls
        };
        let response = self.outcome(target, authorization, body).await;
        let delay = Duration::from_millis(Rng::with_seed(number).u64(self.delays.clone()));
        if !delay.is_zero() {
            sleep(delay).await;
        }
        response
    }

    async fn outcome(&self, target: &str, authorization: Option<&str>, body: &[u8]) -> Response<Body> {
        let path = target.split('?').next().unwrap_or(target);
        if let Some(tenant) = path.strip_prefix('/').and_then(|rest| rest.strip_suffix("/oauth2/v2.0/token")) {
            return self.sent(self.token(tenant, body));
        }
        if path.ends_with("/discovery/v2.0/keys") {
            return self.sent(self.keys());
        }
        if path == "/dns" {
            let query = Query::parse(target.split_once('?').map_or("", |(_, query)| query));
            return self.sent(names::respond(&self.names, &query));
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
