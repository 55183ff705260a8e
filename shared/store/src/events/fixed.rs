//! The controls that events tell to be fixed, for the trend.

use futures_util::TryStreamExt;
use model::{ControlId, ServiceTenantId, Severity, Timestamp};

use super::EventItem;
use crate::keys;
use crate::table::{Found, Order, page_items};
use crate::{Organization, StoreError};

/// A control that was found fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// Name of the tool.
    pub tool: String,
    /// The control.
    pub control_id: ControlId,
    /// Its severity.
    pub severity: Option<Severity>,
    /// When the report completed that found it fixed.
    pub completed_at: Timestamp,
    /// Days from the first report that found the control open to the one that found it fixed.
    pub days: u32,
}

impl Organization {
    /// Returns when the first event was written that is not deleted; `None` without events.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn first_event_at(&self) -> Result<Option<Timestamp>, StoreError> {
        let pages = self.store.query::<Found<EventItem>>(self.partition.events_from(None), Order::OldestFirst, &[1]);
        let first = std::pin::pin!(pages.map_ok(page_items).try_flatten()).try_next().await?;
        Ok(first.and_then(|Found { key, .. }| keys::event_of(&key)).map(|(_, written_at, _)| written_at))
    }

    /// Returns the controls that were found fixed from one moment to another, by when the events were written, as far
    /// as it is known since when they were open.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn fixes(&self, from: Timestamp, until: Timestamp) -> Result<Vec<Fix>, StoreError> {
        let range = self.partition.events_from(Some(&from.to_string()));
        let pages = self.store.query::<Found<EventItem>>(range, Order::OldestFirst, &[]);
        let mut items = std::pin::pin!(pages.map_ok(page_items).try_flatten());
        let mut fixes = Vec::new();
        while let Some(Found { key, value }) = items.try_next().await? {
            if keys::event_of(&key).is_none_or(|(_, written_at, _)| written_at >= until) {
                break;
            }
            fixes.extend(value.content(key)?.fixes());
        }
        Ok(fixes)
    }
}
