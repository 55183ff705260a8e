//! Usage of a day: one item per tenant, one record of the day.

use chrono::NaiveDate;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};

use super::recording::{self, between_others, whole};
use super::table::{Consistency, Order};
use super::{Organization, StoreError};
use model::{Timestamp, UsageTenant};

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
    version: u64,
    pub(super) recording: String,
    pub(super) tenants: usize,
}

impl Organization {
    /// The newest usage recorded for a day at or before the given one.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn usage(&self, until: NaiveDate) -> Result<Option<Usage>, StoreError> {
        Ok(self.newest_usage(until).await?.map(|day| self.usage_of(&day)))
    }

    /// Records the usage of a day, in place of what was recorded for it.
    ///
    /// # Errors
    /// When the store fails; what was recorded before then still stands.
    pub async fn record_usage(
        &self,
        as_of: NaiveDate,
        generated_at: Timestamp,
        tenants: &[UsageTenant],
    ) -> Result<(), StoreError> {
        between_others(|| async {
            let seen: Option<UsageDay> = self.store.get(self.partition.usage_day(as_of), Consistency::Strong).await?;
            self.replace_usage(seen.as_ref(), as_of, generated_at, tenants).await
        })
        .await
    }

    /// Records the usage of a day, made of the newest that is recorded for a day at or before it, and gives what is
    /// recorded. It is made again where another recording came between, so that nobody's is lost.
    ///
    /// # Errors
    /// When the store fails; what was recorded before then still stands.
    pub async fn continue_usage(
        &self,
        as_of: NaiveDate,
        generated_at: Timestamp,
        make: impl Fn(NaiveDate, Vec<UsageTenant>) -> Vec<UsageTenant>,
    ) -> Result<Vec<UsageTenant>, StoreError> {
        between_others(|| async {
            let newest = self.newest_usage(as_of).await?;
            let tenants = match &newest {
                Some(day) => make(day.as_of, self.usage_of(day).tenants.try_concat().await?),
                None => make(as_of, Vec::new()),
            };
            let seen = newest.filter(|day| day.as_of == as_of);
            self.replace_usage(seen.as_ref(), as_of, generated_at, &tenants).await?;
            Ok(tenants)
        })
        .await
    }

    async fn newest_usage(&self, until: NaiveDate) -> Result<Option<UsageDay>, StoreError> {
        let range = self.partition.usage_days(until);
        let days = self.store.query::<UsageDay>(range, Order::NewestFirst, Consistency::Strong, Some(1));
        Ok(std::pin::pin!(days).try_next().await?.and_then(|page| page.into_iter().next()))
    }

    fn usage_of(&self, day: &UsageDay) -> Usage {
        let rows = self.partition.usage_rows(day.as_of, &day.recording);
        let pages = self.store.query(rows, Order::OldestFirst, Consistency::Strong, None);
        Usage { as_of: day.as_of, generated_at: day.generated_at, tenants: whole(pages, day.tenants).boxed() }
    }

    /// Records the usage of a day in place of what was seen of it.
    async fn replace_usage(
        &self,
        seen: Option<&UsageDay>,
        as_of: NaiveDate,
        generated_at: Timestamp,
        tenants: &[UsageTenant],
    ) -> Result<(), StoreError> {
        let seen = seen.map(|day| day.version);
        let (version, recording) = recording::after(seen);
        let key = |tenant: &UsageTenant| self.partition.usage(as_of, &recording, &tenant.service_tenant_id);
        let items = tenants.iter().map(|tenant| (key(tenant), tenant)).collect();
        let ranges = (self.partition.usage_recordings(as_of), self.partition.usage_rows(as_of, &recording));
        let day = UsageDay { as_of, generated_at, version, tenants: tenants.len(), recording };
        let record = self.store.succeed(self.partition.usage_day(as_of), &day, seen)?;
        self.store.record(items, record, ranges).await
    }
}
