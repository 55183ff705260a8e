//! Reading events, in the order in which they were written.

use futures_util::TryStreamExt;
use model::{Event, EventId, EventKind, OrganizationId, ServiceTenantId, Timestamp};

use super::EventItem;
use crate::keys::{self, Key, Partition};
use crate::table::{Found, Order, page_items};
use crate::{Organization, StoreError};

/// Most items that are read for a page: those that a selection leaves out must not make it last for minutes.
const MOST_READ: usize = 5_000;

/// The events of a page.
#[derive(Debug, Clone, Default)]
pub struct EventSelection {
    /// The position after which the page begins; `None` for the oldest event.
    pub after: Option<EventPosition>,
    /// Only events that were written before this moment.
    pub until: Option<Timestamp>,
    /// Only events of this kind.
    pub kind: Option<EventKind>,
    /// Only events of this tenant.
    pub tenant: Option<ServiceTenantId>,
    /// Maximum number of events.
    pub limit: usize,
}

/// A position between two events.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPosition {
    /// Time and identifier of a change, or a time.
    pub place: String,
    /// Number of events of the change before the position.
    pub events: usize,
}

/// A page of events, oldest first.
#[derive(Debug)]
pub struct EventsPage {
    /// The events.
    pub events: Vec<Event>,
    /// The position after the page; `None` if no event exists up to there.
    pub next: Option<EventPosition>,
    /// Whether no event followed when the page was read.
    pub is_last: bool,
}

/// The change that events tell of: where they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChangeOf {
    /// The organization.
    pub organization: OrganizationId,
    /// When the events were written.
    pub written_at: Timestamp,
    /// Identifier of the first one.
    pub id: EventId,
}

impl ChangeOf {
    /// Returns the partition key and the sort key of the events.
    pub fn key(&self) -> (String, String) {
        let key = Partition::of(&self.organization).event(self.written_at, &self.id);
        (key.pk, key.sk)
    }

    /// Returns the change whose events have a key of the table, or `None` if the key is that of something else.
    pub fn at(pk: &str, sk: &str) -> Option<Self> {
        let (organization, written_at, id) = keys::event_of(&Key { pk: pk.to_owned(), sk: sk.to_owned() })?;
        Some(Self { organization, written_at, id })
    }
}

impl EventPosition {
    /// Returns the position before all events that are written at or after a moment.
    pub fn at(moment: Timestamp) -> Self {
        Self { place: moment.to_string(), events: 0 }
    }
}

impl EventSelection {
    fn has(&self, event: &Event) -> bool {
        let of = || event.tenant.as_ref().map(|tenant| &tenant.service_tenant_id);
        self.kind.is_none_or(|kind| event.kind == kind)
            && self.tenant.as_ref().is_none_or(|tenant| of() == Some(tenant))
    }
}

impl Organization {
    /// Returns a text that changes with every event.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn events_state(&self) -> Result<String, StoreError> {
        self.reports_state().await
    }

    /// Returns all events of a change, the change itself first; none if they have expired or were erased.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn events_of(&self, written_at: Timestamp, id: &EventId) -> Result<Vec<Event>, StoreError> {
        let key = self.partition.event(written_at, id);
        let item: Option<EventItem> = self.store.get(key.clone()).await?;
        item.map_or(Ok(Vec::new()), |item| item.open(key))
    }

    /// Returns the changes whose events were written at or after a moment, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn changes_since(&self, moment: Timestamp) -> Result<Vec<ChangeOf>, StoreError> {
        let keys = self.store.keys_of(self.partition.events_from(Some(&moment.to_string())));
        let keys: Vec<_> = keys.try_collect().await?;
        Ok(keys.iter().filter_map(|key| ChangeOf::at(&key.pk, &key.sk)).collect())
    }

    /// Returns the events of a page that have not expired.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn events(&self, selection: &EventSelection, now: Timestamp) -> Result<EventsPage, StoreError> {
        let after = selection.after.as_ref();
        let range = self.partition.events_from(after.map(|after| after.place.as_str()));
        let pages =
            self.store.query_unexpired::<Found<EventItem>>(range, Order::OldestFirst, &[selection.limit + 1], now);
        let mut items = std::pin::pin!(pages.map_ok(page_items).try_flatten());
        let mut page = EventsPage { events: Vec::new(), next: selection.after.clone(), is_last: false };
        let until = selection.until.map(|until| until.to_string());
        let mut read = 0;
        while let Some(Found { key, value }) = items.try_next().await? {
            let place = key.sk.split_once('#').map(|(_, place)| place.to_owned()).unwrap_or_default();
            if until.as_ref().is_some_and(|until| place >= *until) {
                break;
            }
            let before = after.filter(|after| after.place == place).map_or(0, |after| after.events);
            for (number, event) in value.open(key)?.into_iter().enumerate().skip(before) {
                if page.events.len() == selection.limit {
                    return Ok(page);
                }
                page.next = Some(EventPosition { place: place.clone(), events: number + 1 });
                page.events.extend(Some(event).filter(|event| selection.has(event)));
            }
            read += 1;
            if read == MOST_READ {
                return Ok(page);
            }
        }
        Ok(EventsPage { is_last: true, ..page })
    }
}
