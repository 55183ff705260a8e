//! Notifications: which targets are told of an event, and the queue of what is sent to them.
//!
//! A message names the event and does not contain it, so that nothing of an organization's data is outside of its table.
//! Only what is on its way to the operator's bus does.

mod bus;
mod labels;
mod queue;

use std::collections::HashMap;

use model::{Event, EventId, EventRules, MemberId, OrganizationId, Pace, ServiceTenantId, TargetId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{
    AdminWriter, ChangeOf, EventSelection, MailError, Organization, Store, StoreError, Target, TargetError,
    TargetState, Writer,
};

use crate::{Queue, QueueError};
use labels::Labels;

pub use bus::Bus;

/// Events that are read at once.
const PAGE: usize = 1_000;

/// A message in the queue: one event for one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The target.
    pub target_id: TargetId,
    /// When the event was written.
    pub written_at: Timestamp,
    /// The change that the event tells of; `None` for a test, which nothing in the table tells of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_id: Option<EventId>,
    /// The event, or the test.
    pub event_id: EventId,
    /// When a person asked to send it again; `None` if it is sent for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_at: Option<Timestamp>,
    /// The tenant: its events are delivered one after the other. `None` also if they become one mail with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tenant_id: Option<ServiceTenantId>,
}

/// A message in the queue: a member asked for a mail that confirms the member's address. The mail's secret is made when it
/// is sent, so that it is nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationMessage {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The member.
    pub member_id: MemberId,
    /// When the member asked.
    pub asked_at: Timestamp,
}

/// Any message in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Queued {
    /// An event for a target.
    Delivery(Message),
    /// A mail that confirms an address.
    Confirmation(ConfirmationMessage),
}

/// The reason why something was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// There is no such target, or the table failed.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The queue failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The member has no address, or asked a moment ago.
    #[error(transparent)]
    Mail(#[from] MailError),
}

impl From<StoreError> for SendError {
    fn from(error: StoreError) -> Self {
        Self::Target(error.into())
    }
}

/// The targets of organizations, each read once, with the labels that their rules ask for.
#[derive(Debug, Default)]
pub struct Targets(HashMap<OrganizationId, (Vec<Target>, Labels)>);

impl Targets {
    async fn of(&mut self, organization: &Organization) -> Result<&mut (Vec<Target>, Labels), StoreError> {
        let id = organization.id();
        if !self.0.contains_key(id) {
            self.0.insert(id.clone(), (organization.targets().await?, Labels::default()));
        }
        Ok(self.0.get_mut(id).expect("they were read"))
    }
}

/// Puts the events of a change onto the bus, if there is one, and into the queue, once for each target that is told of
/// them. Returns the number of messages to targets.
///
/// A change may be dispatched again after a failure: its messages have the same identifiers then.
///
/// # Errors
/// If the table or the queue fails.
pub async fn dispatch(
    store: &Store,
    queue: &Queue,
    bus: Option<&Bus>,
    targets: &mut Targets,
    change: &ChangeOf,
    now: Timestamp,
) -> Result<usize, SendError> {
    let organization = store.organization(&change.organization);
    let told = |target: &&Target| target.state == TargetState::Active && target.since <= change.written_at;
    let (targets, labels) = targets.of(&organization).await?;
    let told: Vec<_> = targets.iter().filter(told).collect();
    if told.is_empty() && bus.is_none() {
        return Ok(0);
    }
    let events = organization.events_of(change.written_at, &change.id).await?;
    if let Some(bus) = bus {
        bus.put(change, &events).await?;
    }
    let mut messages = Vec::new();
    for event in &events {
        for target in &told {
            if labels.select(&organization, &target.rules, event).await? {
                messages.push(Message::of(change, event, target));
            }
        }
    }
    let number = messages.len();
    queue.notify(&organization, messages, now).await?;
    Ok(number)
}

/// Sends a test to a target, and returns its identifier.
///
/// # Errors
/// If there is no such target, or the table or the queue fails.
pub async fn test(writer: &AdminWriter, queue: &Queue, id: &TargetId, now: Timestamp) -> Result<EventId, SendError> {
    writer.record_test(id).await?;
    let event_id = EventId::generate(now);
    let message = Message {
        organization_id: writer.id().clone(),
        target_id: id.clone(),
        written_at: now,
        change_id: None,
        event_id: event_id.clone(),
        again_at: None,
        service_tenant_id: None,
    };
    queue.notify(writer, vec![message], now).await?;
    Ok(event_id)
}

/// Sends the acting member a mail that confirms the member's address.
///
/// # Errors
/// If the member has no address or asked a moment ago, or the table or the queue fails.
pub async fn ask_confirmation(writer: &Writer, queue: &Queue, now: Timestamp) -> Result<(), SendError> {
    let member_id = writer.ask_confirmation().await?.member_id;
    queue.confirm(writer, ConfirmationMessage { organization_id: writer.id().clone(), member_id, asked_at: now }).await
}

/// Sends a target again the events that it is told of by its rules and that were written at or after a moment: all, or
/// one. Returns their number.
///
/// # Errors
/// If there is no such target, it is not active, or the table or the queue fails.
pub async fn send_again(
    writer: &AdminWriter,
    queue: &Queue,
    id: &TargetId,
    since: Timestamp,
    only: Option<&EventId>,
    now: Timestamp,
) -> Result<usize, SendError> {
    let target = writer.record_sending_again(id, since).await?;
    let mut labels = Labels::default();
    let mut sent = 0;
    for change in writer.changes_since(since).await? {
        let mut messages = Vec::new();
        for event in writer.events_of(change.written_at, &change.id).await? {
            let is_wanted = match only {
                Some(only) => event.id == *only,
                None => labels.select(writer, &target.rules, &event).await?,
            };
            if is_wanted {
                messages.push(Message { again_at: Some(now), ..Message::of(&change, &event, &target) });
            }
        }
        sent += messages.len();
        queue.notify(writer, messages, now).await?;
        if only.is_some() && sent > 0 {
            break;
        }
    }
    Ok(sent)
}

/// Returns the events that rules select, of those that were written at or after a moment and before another, oldest
/// first: what a target with these rules would have been told of.
///
/// # Errors
/// If the store fails.
pub async fn selected(
    organization: &Organization,
    rules: &EventRules,
    since: Timestamp,
    until: Option<Timestamp>,
    now: Timestamp,
) -> Result<Vec<Event>, StoreError> {
    let mut labels = Labels::ahead(organization, rules).await?;
    let after = Some(store::EventPosition::at(since));
    let mut selection = EventSelection { after, until, kind: None, tenant: None, limit: PAGE };
    let mut selected = Vec::new();
    loop {
        let page = organization.events(&selection, now).await?;
        for event in page.events {
            if labels.select(organization, rules, &event).await? {
                selected.push(event);
            }
        }
        if page.is_last {
            return Ok(selected);
        }
        selection.after = page.next;
    }
}

impl Message {
    /// Returns the message of an event to a target. Those that become one mail are delivered one after the other, so that
    /// it is sent once.
    fn of(change: &ChangeOf, event: &Event, target: &Target) -> Self {
        let is_alone = matches!(target.pace, Pace::Event | Pace::Unknown);
        let tenant = event.tenant.as_ref().filter(|_| is_alone);
        Self {
            organization_id: change.organization.clone(),
            target_id: target.target_id.clone(),
            written_at: change.written_at,
            change_id: Some(change.id.clone()),
            event_id: event.id.clone(),
            again_at: None,
            service_tenant_id: tenant.map(|tenant| tenant.service_tenant_id.clone()),
        }
    }
}
