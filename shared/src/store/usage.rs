//! Usage of a day: one item per tenant, one record of the day.

use chrono::NaiveDate;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};

use super::recording::{self, whole};
use super::table::{Consistency, Order};
use super::{Organization, StoreError};
use crate::model::{Timestamp, UsageTenant};

/// The usage recorded for a day.
pub struct Usage {
    /// The day (UTC).
    pub as_of: NaiveDate,
    /// When it was recorded.
    pub generated_at: Timestamp,
    /// The tenants, in the order of their service identifiers, a page at a time.
    pub tenants: BoxStream<'static, Result<Vec<UsageTenant>, StoreError>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageDay {
    pub(super) as_of: NaiveDate,
    generated_at: Timestamp,
    pub(super) recording: String,
    pub(super) tenants: usize,
}

impl Organization {
    /// The newest usage recorded for a day at or before the given one.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn usage(&self, until: NaiveDate) -> Result<Option<Usage>, StoreError> {
        let range = self.partition.usage_days(until);
        let days = self.store.query::<UsageDay>(range, Order::NewestFirst, Consistency::Strong, Some(1));
        let newest = std::pin::pin!(days).try_next().await?.and_then(|page| page.into_iter().next());
        Ok(newest.map(|day| {
            let rows = self.partition.usage_rows(day.as_of, &day.recording);
            let pages = self.store.query(rows, Order::OldestFirst, Consistency::Strong, None);
            Usage { as_of: day.as_of, generated_at: day.generated_at, tenants: whole(pages, day.tenants).boxed() }
        }))
    }

    /// Records the usage of a day, in place of what was recorded for it.
    ///
    /// # Errors
    /// When the store fails; what was recorded before then still stands.
    pub async fn record_usage(
        &self,
        as_of: NaiveDate,
        generated_at: Timestamp,
        tenants: Vec<UsageTenant>,
    ) -> Result<(), StoreError> {
        let recording = recording::name();
        let day = UsageDay { as_of, generated_at, recording: recording.clone(), tenants: tenants.len() };
        let key = |tenant: &UsageTenant| self.partition.usage(as_of, &recording, &tenant.service_tenant_id);
        let items = tenants.into_iter().map(|tenant| (key(&tenant), tenant)).collect();
        let current = self.partition.usage_rows(as_of, &recording);
        let record = (self.partition.usage_day(as_of), &day);
        self.store.record(items, record, (self.partition.usage_recordings(as_of), &current)).await
    }
}
