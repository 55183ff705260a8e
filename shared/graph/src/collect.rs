//! A run: one exchange after the other, each of which leaves a position to go on from.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use model::Timestamp;
use model::snapshot::{RequestFailure, Response};
use serde_json::Value;

use crate::call::{Call, LARGEST_COLLECTION};
use crate::client::Client;
use crate::clock::Clock;
use crate::exchange::Reply;
use crate::hosts::Hosts;
use crate::pace::{Pace, Service};
use crate::plan::{STEPS, VERSION};
use crate::position::Position;
use crate::token::{TokenError, Tokens};
use crate::transport::Transport;

/// Most calls in a batch.
const BATCH: usize = 20;
/// Most bytes of a snapshot.
const LARGEST_SNAPSHOT: u64 = 1024 * 1024 * 1024;
/// Longest time of a run. Calls after it are not made, and the snapshot says so.
const LONGEST_RUN: TimeDelta = TimeDelta::hours(2);

/// Why a run cannot go on now. Its position is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CollectError {
    /// There is no access token for the tenant.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The run began under another plan of calls.
    #[error("the run began with another version of the service: begin again")]
    OtherPlan,
}

/// Collects snapshots with one application. All its runs share a pace.
#[derive(Clone)]
pub struct Collector {
    /// How requests leave.
    pub transport: Arc<dyn Transport>,
    /// Who issues tokens.
    pub tokens: Arc<dyn Tokens>,
    /// The pace of the application.
    pub pace: Arc<Pace>,
    /// The interfaces.
    pub hosts: Hosts,
    /// The time.
    pub clock: Clock,
}

impl Collector {
    /// Makes the next exchange of a run and returns its responses, or `None` if the run is complete. The position
    /// changes only once they are here, so a run that is dropped meanwhile goes on from where it was.
    ///
    /// # Errors
    /// If the run cannot go on now. A call that fails is a response, and no error.
    pub async fn advance(&self, position: &mut Position) -> Result<Option<Vec<Response<Value>>>, CollectError> {
        if position.plan != VERSION {
            return Err(CollectError::OtherPlan);
        }
        let mut next = position.clone();
        if !self.enter(&mut next) {
            *position = next;
            return Ok(None);
        }
        let calls = take(&mut next);
        let replies = match self.refusal(&next) {
            Some(failure) => calls.iter().map(|_| Reply::failed(failure)).collect(),
            None => self.exchange(&next, &calls).await?,
        };
        let mut responses = Vec::new();
        for (call, reply) in calls.iter().zip(replies) {
            self.take_in(&mut next, call, reply, &mut responses);
        }
        next.responses += responses.len();
        next.advanced();
        *position = next;
        Ok(Some(responses))
    }

    /// Enters the next part of the plan that has calls left. Returns whether there is one.
    fn enter(&self, position: &mut Position) -> bool {
        while let Some(step) = STEPS.get(position.step) {
            if !position.entered {
                position.calls = step.calls(&position.facts, &position.facts.span(self.clock.now())).into();
                position.entered = true;
            }
            if !position.calls.is_empty() {
                return true;
            }
            position.step += 1;
            position.entered = false;
        }
        false
    }

    /// Returns why no further calls are made in a run, if it is so.
    fn refusal(&self, position: &Position) -> Option<RequestFailure> {
        let started = position.header().started_at.to_datetime();
        if self.clock.now() - started > LONGEST_RUN {
            return Some(RequestFailure::OutOfTime);
        }
        (position.bytes > LARGEST_SNAPSHOT).then_some(RequestFailure::TooLarge)
    }

    async fn exchange(&self, position: &Position, calls: &[Call]) -> Result<Vec<Reply>, TokenError> {
        let client = self.client(position);
        match calls {
            [call] => Ok(vec![client.call(call).await?]),
            calls => client.batch(calls).await,
        }
    }

    pub(crate) fn client(&self, position: &Position) -> Client {
        Client {
            tenant: position.tenant().clone(),
            transport: Arc::clone(&self.transport),
            tokens: Arc::clone(&self.tokens),
            pace: Arc::clone(&self.pace),
            hosts: self.hosts.clone(),
        }
    }

    /// Adds the response to a call, and the calls that follow from it.
    fn take_in(&self, position: &mut Position, call: &Call, mut reply: Reply, responses: &mut Vec<Response<Value>>) {
        let at = reply.date.or_else(|| self.clock.now().try_into().ok()).unwrap_or(position.header().started_at);
        position.facts.began.get_or_insert(at.to_datetime());
        position.bytes += reply.bytes;
        if has_expired(call, &reply) {
            position.calls.push_front(call.again());
            return;
        }
        let link = reply.succeeded().then(|| take_link(&mut reply.body)).flatten();
        if reply.succeeded() {
            let names = position.facts.learn(&call.endpoint, &call.query, &reply.body);
            position.calls.extend(names.iter().map(|name| Call::new(&call.endpoint, name, Service::Names, 1)));
        }
        let next = self.following(position, call, &reply, link, at.to_datetime());
        responses.push(response(call, at, reply.status, next.is_some(), reply.failure, reply.body));
        match next {
            Some(Ok(next)) => position.calls.push_front(next),
            Some(Err(failure)) => responses.push(response(call, at, None, false, Some(failure), Value::Null)),
            None => {}
        }
    }

    /// Returns the call of the next page, or the reason why a next page is not read. `None` after the last page.
    fn following(
        &self,
        position: &mut Position,
        call: &Call,
        reply: &Reply,
        link: Option<String>,
        now: DateTime<Utc>,
    ) -> Option<Result<Call, RequestFailure>> {
        // The registered methods are no log.
        let is_log = call.service == Service::Logs && call.most_pages < crate::call::MOST_PAGES;
        let Some(link) = link else {
            if is_log && reply.succeeded() {
                position.facts.learn_log(None, now);
            }
            return None;
        };
        if !self.hosts.may_follow(&link) {
            return Some(Err(RequestFailure::OtherHost));
        }
        if call.bytes() + reply.bytes > LARGEST_COLLECTION {
            return Some(Err(RequestFailure::TooLarge));
        }
        if is_log && call.pages() + 1 >= call.most_pages {
            // Rows come newest first, so the log is complete back to its oldest row.
            let oldest = reply.body["value"].as_array().and_then(|rows| rows.last()).unwrap_or(&Value::Null);
            position.facts.learn_log(Some(oldest), now);
            return None;
        }
        let next = call.next(link, reply.bytes).filter(|next| next.pages() < call.most_pages);
        Some(next.ok_or(RequestFailure::EndlessPages))
    }
}

/// Takes the calls of the next exchange: one, or the first pages that fit into a batch.
fn take(position: &mut Position) -> Vec<Call> {
    let first_pages = position.calls.iter().take(BATCH).take_while(|call| call.page.is_none()).count();
    let in_batches = STEPS.get(position.step).is_some_and(|step| step.in_batches());
    let number = if in_batches { first_pages.max(1) } else { 1 };
    position.calls.drain(..number.min(position.calls.len())).collect()
}

/// Whether the link to a page is not accepted any more, so that its collection is to be read again.
fn has_expired(call: &Call, reply: &Reply) -> bool {
    call.page.is_some() && !call.restarted && matches!(reply.status, Some(400 | 410))
}

/// Removes the link to the next page.
fn take_link(body: &mut Value) -> Option<String> {
    match body.as_object_mut()?.remove("@odata.nextLink") {
        None | Some(Value::Null) => None,
        Some(Value::String(link)) => Some(link),
        // Not followed, since it is no address.
        Some(_) => Some(String::new()),
    }
}

fn response(
    call: &Call,
    at: Timestamp,
    status: Option<u16>,
    more: bool,
    failure: Option<RequestFailure>,
    body: Value,
) -> Response<Value> {
    Response { endpoint: call.endpoint.clone(), query: call.query.clone(), at, status, more, failure, body }
}
