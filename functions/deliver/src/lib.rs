//! Sends events to the targets that are told of them.
//!
//! A message in the queue is one event for one target. It waits there until the target accepts it: for longer after each
//! failure, and three days at most, or until a quiet time ends. Messages about a tenant are sent one after the other. A
//! delivery that was recorded is not repeated; one that ended before it could be recorded is, with the same identifier.

mod chat;
mod client;
mod confirm;
mod letter;
mod mail;
mod message;
mod notice;
mod reach;
mod retries;
mod subject;

use std::collections::BTreeMap;
use std::sync::Arc;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use chrono::TimeDelta;
use futures_util::future::join_all;
use hyper::StatusCode;
use model::{Actor, Period, SigningSecret, TargetAddress, Timestamp};
use operations::Queue;
use operations::notifications::{Message, Queued, SendError, selected};
use store::{Delivery, DeliveryState, Organization, Store, StoreError, Target, TargetState};
use tokio::time::Instant;

pub use client::{Client, Internet, Network, Unsent};
pub use mail::{Mail, Outlet, Ses};
pub use reach::Reach;

use letter::Letter;
use subject::Subject;

/// Time after which a target that accepts nothing is switched off.
const PATIENCE: TimeDelta = TimeDelta::days(5);

/// Sends messages of the queue.
#[derive(Debug, Clone)]
pub struct Deliverer {
    /// The table.
    pub store: Store,
    /// The queue in which a message waits.
    pub queue: Queue,
    /// The network.
    pub client: Client,
    /// The mail that it sends, if any.
    pub mail: Option<Mail>,
    /// Address of the dashboard, without a slash at the end.
    pub dashboard_url: Arc<str>,
    /// Address of the API, without a slash at the end.
    pub api_url: Arc<str>,
}

/// The reason to deliver a message again without an attempt that counts.
#[derive(Debug, thiserror::Error)]
enum DeliverError {
    #[error("the message names no delivery")]
    Malformed,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] SendError),
}

/// The time of an invocation.
#[derive(Clone, Copy)]
struct Clock(Timestamp, Instant);

impl Clock {
    fn now(self) -> Timestamp {
        let elapsed = TimeDelta::from_std(self.1.elapsed()).unwrap_or_default();
        Timestamp::try_from(self.0.to_datetime() + elapsed).unwrap_or(self.0)
    }
}

impl Deliverer {
    /// Sends the messages of a batch, those of a group one after the other, and returns the messages that are to be
    /// delivered again.
    pub async fn handle(&self, event: SqsEvent, now: Timestamp) -> SqsBatchResponse {
        let clock = Clock(now, Instant::now());
        let mut groups: BTreeMap<String, Vec<SqsMessage>> = BTreeMap::new();
        for record in event.records {
            let group = record.attributes.get("MessageGroupId").cloned().unwrap_or_default();
            groups.entry(group).or_default().push(record);
        }
        let unsent = join_all(groups.into_values().map(|group| self.deliver_group(group, clock))).await;
        let mut response = SqsBatchResponse::default();
        response.batch_item_failures = unsent.into_iter().flatten().collect();
        response
    }

    /// Sends the messages of a group up to the first that is to be delivered again. It and those after it are returned.
    async fn deliver_group(&self, group: Vec<SqsMessage>, clock: Clock) -> Vec<BatchItemFailure> {
        for (number, record) in group.iter().enumerate() {
            let is_done = self.deliver(record, clock).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "a notification is tried again");
                false
            });
            if !is_done {
                return group[number..].iter().map(failure).collect();
            }
        }
        Vec::new()
    }

    /// Sends a message, and returns whether it is done: accepted, given up, or no longer wanted.
    async fn deliver(&self, record: &SqsMessage, clock: Clock) -> Result<bool, DeliverError> {
        let body = record.body.as_deref().unwrap_or_default();
        let message = match serde_json::from_str(body).map_err(|_| DeliverError::Malformed)? {
            Queued::Delivery(message) => message,
            Queued::Confirmation(asked) => return self.confirm(&asked, record, clock.now()).await,
        };
        let organization = self.store.organization(&message.organization_id);
        let now = clock.now();
        let Some((target, secrets)) = organization.signing_target(&message.target_id, now).await? else {
            return Ok(true);
        };
        let is_test = message.change_id.is_none();
        // A message about one tenant is from before its target collected events: it stays one of its own, because only
        // those without a tenant are sent one after the other.
        let is_alone = is_test || message.service_tenant_id.is_some();
        let period = target.pace.period(message.written_at).filter(|_| !is_alone);
        let message = period.map_or(message.clone(), |period| of_period(message, period));
        let earlier = organization.delivery(&message.target_id, message.written_at, &message.event_id, now).await?;
        // A test is for finding out whether a paused target can be resumed, too.
        let is_wanted = is_test || target.state == TargetState::Active;
        if !is_wanted || earlier.as_ref().is_some_and(|earlier| is_over(earlier, &message)) {
            return Ok(true);
        }
        let end_of_quiet = |at| target.rules.quiet.end(at).filter(|_| !is_test);
        let end_of_period = period.map(Period::complete_at).filter(|end| now < *end);
        if let Some(end) = end_of_period.or_else(|| end_of_quiet(now)) {
            return self.hold(&organization, record, end, now).await;
        }
        let Some(subject) = subject(&organization, &target, &message, period, now).await? else { return Ok(true) };
        let begun = begun(&message, &subject, earlier, now);
        let outcome = self.attempt(&organization, &target, &secrets, subject, now).await?;
        let withheld = matches!(&outcome, Err(unsent) if unsent.is_withheld());
        let delivery = concluded(begun, outcome, |wait| {
            let next = Timestamp::try_from(clock.now().to_datetime() + wait).ok()?;
            Some(end_of_quiet(next).unwrap_or(next))
        });
        let failing_since = match delivery.state {
            DeliveryState::Delivered => None,
            _ if withheld => target.failing_since,
            _ => Some(target.failing_since.unwrap_or(now)),
        };
        self.note(&organization, &target, &delivery, failing_since, now).await?;
        let Some(next) = delivery.next_at else { return Ok(true) };
        self.hold(&organization, record, next, clock.now()).await
    }

    /// Sends a message to the address of a target, or by mail to its member as the member is now.
    async fn attempt(
        &self,
        organization: &Organization,
        target: &Target,
        secrets: &[SigningSecret],
        subject: Subject,
        now: Timestamp,
    ) -> Result<Result<StatusCode, Unsent>, DeliverError> {
        let id = match &target.address {
            TargetAddress::Member(id) => id,
            TargetAddress::Url(url) => {
                let id = subject.id();
                return Ok(match message::body(subject, target.shape, &self.dashboard_url, &self.api_url, now) {
                    Some(body) => self.client.post(url, message::request(url, secrets, &id, now, body)).await,
                    None => Err(Unsent::UnknownShape),
                });
            }
        };
        let Some(mail) = &self.mail else { return Ok(Err(Unsent::NoMail)) };
        let Some(member) = organization.member(id).await? else { return Ok(Err(Unsent::Left)) };
        let Some(to) = member.confirmed_address() else { return Ok(Err(Unsent::Unconfirmed)) };
        let letter = Letter::of(subject, target, &self.dashboard_url);
        Ok(mail.send(&self.client, &letter, &to, now).await)
    }

    /// Lets a message wait in the queue until a moment. It is not done.
    async fn hold(
        &self,
        organization: &Organization,
        record: &SqsMessage,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, DeliverError> {
        let receipt = record.receipt_handle.as_deref().unwrap_or_default();
        self.queue.delay(organization, receipt, until, now).await?;
        Ok(false)
    }

    /// Keeps what became of an attempt, and what it says about the target.
    async fn note(
        &self,
        organization: &Organization,
        target: &Target,
        delivery: &Delivery,
        failing_since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), DeliverError> {
        let writer = organization.by(&Actor::service(), now);
        writer.record_delivery(delivery.clone()).await?;
        if delivery.status == Some(410) {
            writer.disable_target(target, "It responded with status 410: it accepts nothing any more.").await?;
        } else if failing_since.is_some_and(|since| now.to_datetime() - since.to_datetime() >= PATIENCE) {
            writer.disable_target(target, "It has accepted nothing for five days.").await?;
        } else if failing_since != target.failing_since {
            writer.note_target(target, failing_since).await?;
        }
        let (id, target, status) = (&delivery.event_id, &target.target_id, delivery.status.unwrap_or_default());
        let (id, target, organization) = (id.as_str(), target.as_str(), organization.id().as_str());
        let state = delivery.state;
        tracing::info!(organization, target, event = id, status, ?state, "sent a notification");
        Ok(())
    }
}

/// Returns whether a message was accepted or given up before, after the last time that a person asked for it.
fn is_over(earlier: &Delivery, message: &Message) -> bool {
    earlier.state != DeliveryState::Waiting && message.again_at.is_none_or(|again| again <= earlier.attempted_at)
}

/// Returns the message as one of the mail about a period, which all messages of the period share.
fn of_period(message: Message, period: Period) -> Message {
    Message { written_at: period.end, event_id: subject::id_of(period), ..message }
}

/// Returns what a message is about; `None` if the event is gone, or no event of the period is wanted any more.
async fn subject(
    organization: &Organization,
    target: &Target,
    message: &Message,
    period: Option<Period>,
    now: Timestamp,
) -> Result<Option<Subject>, StoreError> {
    let Some(change) = &message.change_id else { return Ok(Some(Subject::Test(message.event_id.clone()))) };
    if let Some(period) = period {
        // From the table, where also those are whose own messages are still on their way. As their messages, they are of
        // the period in which they were written, so that each is in one mail.
        let since = if message.again_at.is_some() { period.start } else { period.start.max(target.since) };
        let events = selected(organization, &target.rules, since, Some(period.end), now).await?;
        return Ok((!events.is_empty()).then_some(Subject::Period(period, events)));
    }
    let events = organization.events_of(message.written_at, change).await?;
    let event = events.into_iter().find(|event| event.id == message.event_id);
    Ok(event.map(|event| Subject::Event(Box::new(event))))
}

/// Returns a delivery of which an attempt begins. A person who asks for it again begins it anew.
fn begun(message: &Message, subject: &Subject, earlier: Option<Delivery>, now: Timestamp) -> Delivery {
    let earlier = earlier.filter(|earlier| earlier.state == DeliveryState::Waiting);
    Delivery {
        target_id: message.target_id.clone(),
        event_id: message.event_id.clone(),
        kind: subject.kind(),
        written_at: message.written_at,
        state: DeliveryState::Failed,
        attempts: earlier.map_or(0, |earlier| earlier.attempts) + 1,
        attempted_at: now,
        status: None,
        problem: None,
        next_at: None,
        events: subject.events(),
    }
}

/// Returns a delivery after its attempt. `next` says when another attempt is made that waits for some time.
fn concluded(
    begun: Delivery,
    outcome: Result<StatusCode, Unsent>,
    next: impl FnOnce(TimeDelta) -> Option<Timestamp>,
) -> Delivery {
    let status = outcome.as_ref().map_or_else(Unsent::status, |status| Some(*status)).map(|status| status.as_u16());
    if matches!(&outcome, Ok(status) if status.is_success()) {
        return Delivery { state: DeliveryState::Delivered, status, problem: None, ..begun };
    }
    let is_final = status == Some(410) || matches!(&outcome, Err(unsent) if unsent.is_withheld());
    let failed = Delivery { status, problem: Some(problem(outcome)), ..begun };
    match retries::wait_after(failed.attempts).filter(|_| !is_final) {
        Some(wait) => Delivery { state: DeliveryState::Waiting, next_at: next(wait), ..failed },
        None => failed,
    }
}

/// Returns why a message was not accepted, and what to do.
fn problem(outcome: Result<StatusCode, Unsent>) -> String {
    match outcome {
        Ok(status) if status.is_redirection() => {
            format!("the target responded with status {}: name the address that it redirects to", status.as_u16())
        }
        Ok(status) => format!("the target responded with status {}", status.as_u16()),
        Err(unsent) => unsent.to_string(),
    }
}

fn failure(record: &SqsMessage) -> BatchItemFailure {
    let mut failure = BatchItemFailure::default();
    failure.item_identifier = record.message_id.clone().unwrap_or_default();
    failure
}
