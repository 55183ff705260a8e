//! Calls with a token, in pace, and again where that is of use.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::Request as HttpRequest;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Builder;
use model::ProviderTenantId;
use model::snapshot::RequestFailure;
use serde_json::json;
use tokio::time::sleep;

use crate::call::Call;
use crate::exchange::{Form, Reply, exchange};
use crate::hosts::Hosts;
use crate::pace::{Pace, Service};
use crate::token::{AccessToken, TokenError, Tokens};
use crate::transport::Transport;

/// Attempts at a call that fails.
const ATTEMPTS: u32 = 3;
/// Attempts at a call that is throttled.
const THROTTLED_ATTEMPTS: u32 = 8;
/// Longest wait that a service may ask for. Whoever asks for more is not asked again in this run.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// Longest wait if the service does not say how long.
const LONGEST_BACKOFF: Duration = Duration::from_secs(60);

/// A client for one tenant.
pub(crate) struct Client {
    pub(crate) tenant: ProviderTenantId,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) tokens: Arc<dyn Tokens>,
    pub(crate) pace: Arc<Pace>,
    pub(crate) hosts: Hosts,
}

/// A request that is made, once or again.
#[derive(Clone, Copy)]
enum Request<'a> {
    Call(&'a Call),
    Batch(&'a [Call]),
}

impl Request<'_> {
    fn service(self) -> Service {
        match self {
            Self::Call(call) => call.service,
            Self::Batch(_) => Service::Directory,
        }
    }

    fn units(self) -> u32 {
        match self {
            Self::Call(call) => call.units,
            Self::Batch(calls) => calls.iter().map(|call| call.units).sum(),
        }
    }

    fn form(self) -> Form {
        match self {
            Self::Call(call) => call.form(),
            Self::Batch(_) => Form::Json,
        }
    }
}

/// The attempts at one call.
#[derive(Default)]
struct Attempts {
    failed: u32,
    throttled: u32,
    renewed: bool,
}

enum Again {
    /// Once the service may be asked again.
    InTurn,
    After(Duration),
    WithNewToken,
}

impl Client {
    /// Makes a call, and again until it succeeds or further attempts are of no use.
    pub(crate) async fn call(&self, call: &Call) -> Result<Reply, TokenError> {
        let reply = self.insist(Request::Call(call)).await?;
        match &reply.location {
            Some(location) if call.service == Service::UsageReports => Ok(self.download(location).await),
            _ => Ok(reply),
        }
    }

    /// Makes several calls as one batch of at most 20. A part that is throttled or fails is made again alone.
    pub(crate) async fn batch(&self, calls: &[Call]) -> Result<Vec<Reply>, TokenError> {
        let whole = self.insist(Request::Batch(calls)).await?;
        let mut parts = parts(&whole, calls.len());
        let mut replies = Vec::with_capacity(calls.len());
        for (call, part) in calls.iter().zip(&mut parts) {
            let reply = match part.take() {
                Some(part) if self.again(&part, call.service, &mut Attempts::default()).is_none() => part,
                // Alone, each part would wait in vain for what the batch has waited for.
                None if is_lost(&whole) => {
                    Reply { status: whole.status, failure: whole.failure, date: whole.date, ..Reply::default() }
                }
                _ => self.call(call).await?,
            };
            replies.push(reply);
        }
        Ok(replies)
    }

    async fn insist(&self, request: Request<'_>) -> Result<Reply, TokenError> {
        let service = request.service();
        let mut attempts = Attempts::default();
        let mut refused = None;
        loop {
            // DNS is somebody else's.
            let token = match service {
                Service::Names => None,
                _ => Some(self.tokens.token(&self.tenant, refused.take()).await?),
            };
            self.pace.turn(&self.tenant, service, request.units()).await;
            let Some(http) = self.http(request, token.as_ref()) else {
                return Ok(Reply::failed(RequestFailure::Malformed));
            };
            let reply = exchange(&self.transport, http, request.form()).await;
            match self.again(&reply, service, &mut attempts) {
                None => return Ok(reply),
                Some(Again::InTurn) => {}
                Some(Again::After(wait)) => sleep(wait).await,
                Some(Again::WithNewToken) => refused = token,
            }
        }
    }

    /// Decides whether another attempt is of use. A service that throttles is not asked by anybody meanwhile.
    fn again(&self, reply: &Reply, service: Service, attempts: &mut Attempts) -> Option<Again> {
        match (reply.status, reply.failure) {
            (Some(429), _) => {
                attempts.throttled += 1;
                let wait = reply.retry_after.unwrap_or_else(|| backoff(attempts.throttled));
                self.pace.hold(&self.tenant, service, wait.min(LONGEST_WAIT), reply.everywhere);
                let of_use = wait <= LONGEST_WAIT && attempts.throttled < THROTTLED_ATTEMPTS;
                of_use.then_some(Again::InTurn)
            }
            (Some(401), _) if !attempts.renewed => {
                attempts.renewed = true;
                Some(Again::WithNewToken)
            }
            (Some(500..), _)
            | (_, Some(RequestFailure::Unreachable | RequestFailure::TimedOut | RequestFailure::Malformed)) => {
                attempts.failed += 1;
                let wait = reply.retry_after.unwrap_or_else(|| backoff(attempts.failed));
                (wait <= LONGEST_WAIT && attempts.failed < ATTEMPTS).then_some(Again::After(wait))
            }
            _ => None,
        }
    }

    fn http(&self, request: Request<'_>, token: Option<&AccessToken>) -> Option<HttpRequest<Bytes>> {
        match request {
            Request::Call(call) => self.call_request(call, token),
            Request::Batch(calls) => self.batch_request(calls, token),
        }
    }

    fn call_request(&self, call: &Call, token: Option<&AccessToken>) -> Option<HttpRequest<Bytes>> {
        let base = if call.service == Service::Names { &self.hosts.names } else { &self.hosts.graph };
        let address = match &call.page {
            Some(page) => page.link.clone(),
            None if call.service == Service::Names => format!("{base}?{}", call.query),
            None => format!("{base}{}", call.target()),
        };
        if call.ids.is_empty() {
            return head(HttpRequest::get(address), token)?.body(Bytes::new()).ok();
        }
        let body = json!({ "ids": call.ids, "types": ["user", "group"] });
        posted(address, token, body.to_string())
    }

    fn batch_request(&self, calls: &[Call], token: Option<&AccessToken>) -> Option<HttpRequest<Bytes>> {
        let part = |(place, call): (usize, &Call)| {
            let target = call.target();
            let url = target.strip_prefix("/v1.0").unwrap_or(&target);
            json!({ "id": place.to_string(), "method": "GET", "url": url })
        };
        let requests: Vec<_> = calls.iter().enumerate().map(part).collect();
        posted(format!("{}/v1.0/$batch", self.hosts.graph), token, json!({ "requests": requests }).to_string())
    }

    /// Downloads a usage report from the address that Graph named. That is another host, so it is sent no token.
    async fn download(&self, location: &str) -> Reply {
        if !self.hosts.may_download(location) {
            return Reply::failed(RequestFailure::OtherHost);
        }
        let mut attempts = Attempts::default();
        loop {
            let request = HttpRequest::get(location).header(ACCEPT_ENCODING, "gzip").body(Bytes::new());
            let Ok(request) = request else { return Reply::failed(RequestFailure::Malformed) };
            let reply = exchange(&self.transport, request, Form::Lines).await;
            match self.again(&reply, Service::UsageReports, &mut attempts) {
                Some(Again::After(wait)) => sleep(wait).await,
                _ => return reply,
            }
        }
    }
}

fn posted(address: String, token: Option<&AccessToken>, body: String) -> Option<HttpRequest<Bytes>> {
    head(HttpRequest::post(address), token)?.header(CONTENT_TYPE, "application/json").body(body.into()).ok()
}

/// Adds the headers that every request has. The token's is hidden from `Debug`.
fn head(request: Builder, token: Option<&AccessToken>) -> Option<Builder> {
    let request = request.header(ACCEPT, "application/json").header(ACCEPT_ENCODING, "gzip");
    let Some(token) = token else { return Some(request) };
    let mut value = HeaderValue::try_from(format!("Bearer {}", token.reveal())).ok()?;
    value.set_sensitive(true);
    Some(request.header(AUTHORIZATION, value))
}

/// Returns the wait before another attempt: 2, 4, 8 seconds and so on, and up to a quarter more, so that callers who
/// were refused together do not return together.
fn backoff(attempt: u32) -> Duration {
    let wait = Duration::from_secs(1 << attempt.min(6)).min(LONGEST_BACKOFF);
    wait + wait.mul_f64(fastrand::f64() / 4.0)
}

/// Whether all attempts at a request were without a response that is one to it.
fn is_lost(reply: &Reply) -> bool {
    reply.failure.is_some() || matches!(reply.status, Some(401 | 429 | 500..))
}

/// Returns the parts of a batch by the place of their calls. `None` where it has none, or several.
fn parts(whole: &Reply, calls: usize) -> Vec<Option<Reply>> {
    let mut parts: Vec<Vec<Reply>> = Vec::new();
    parts.resize_with(calls, Vec::new);
    for part in whole.body["responses"].as_array().into_iter().flatten() {
        let place = part["id"].as_str().and_then(|id| id.parse::<usize>().ok());
        if let Some(of_call) = place.and_then(|place| parts.get_mut(place)) {
            of_call.push(part_reply(part, whole));
        }
    }
    parts.into_iter().map(|mut found| if found.len() == 1 { found.pop() } else { None }).collect()
}

fn part_reply(part: &serde_json::Value, whole: &Reply) -> Reply {
    let status = part["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    let Some(status) = status else { return Reply::failed(RequestFailure::Malformed) };
    let headers = part["headers"].as_object();
    let header = |name: &str| {
        let found = headers?.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        found.1.as_str()
    };
    let body = part["body"].clone();
    let is_read = status != 200 || (body.is_object() && body.get("error").is_none());
    let reply = match is_read {
        true => Reply { status: Some(status), bytes: body.to_string().len() as u64, body, ..Reply::default() },
        false => Reply::failed(RequestFailure::Malformed),
    };
    let reply = reply.with_headers(header);
    Reply { date: reply.date.or(whole.date), ..reply }
}
