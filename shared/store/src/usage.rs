//! Usage of a day: one item per tenant, and one record of the day that names them.

use backon::Retryable;
use chrono::NaiveDate;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::recording::{self, RecordedItem, between_others, whole};
use super::table::{CONTENDERS, Order, Transaction, backoff, first_items};
use super::tenant_changes::came_between;
use super::{Organization, StoreError, TenantError, Writer};
use model::{BillableStatus, ProviderTenantId, Service, ServiceTenantId, Timestamp, UsageHead, UsageTenant};

/// The usage recorded for a day.
pub struct Usage {
    /// The day (UTC).
    pub as_of: NaiveDate,
    /// When it was recorded.
    pub generated_at: Timestamp,
    /// Name of the recording, unique.
    pub recording: String,
    /// Version of the recording: it changes if a tenant is erased from it, or its row is written again.
    pub version: u64,
    /// The tenants, ordered by service identifier, a page at a time.
    pub tenants: BoxStream<'static, Result<Vec<UsageTenant>, StoreError>>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageDay {
    pub(super) as_of: NaiveDate,
    generated_at: Timestamp,
    pub(super) version: u64,
    pub(super) recording: String,
    pub(super) tenants: usize,
}

/// Usage of one tenant on one day, as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredUsage {
    pub(super) service_tenant_id: ServiceTenantId,
    provider_tenant_id: ProviderTenantId,
    onboarding_date: NaiveDate,
    display_name: String,
    service: Service,
    is_paused: bool,
    first_billable_date: NaiveDate,
    billable_status: BillableStatus,
    total_licensed_users: u32,
    billable_users_this_month: u32,
    prorating_percentage_this_month: f64,
}

impl UsageDay {
    /// Returns the next version of the day, with one tenant less.
    pub(super) fn without_one(&self) -> Self {
        Self { version: self.version + 1, tenants: self.tenants.saturating_sub(1), ..self.clone() }
    }

    /// Returns the next version of the day, with a row that is written now: a new one unless the tenant has one.
    fn with_row(&self, is_new: bool, generated_at: Timestamp) -> Self {
        let tenants = self.tenants + usize::from(is_new);
        Self { version: self.version + 1, tenants, generated_at, ..self.clone() }
    }
}

impl From<&UsageTenant> for StoredUsage {
    fn from(usage: &UsageTenant) -> Self {
        Self {
            service_tenant_id: usage.service_tenant_id.clone(),
            provider_tenant_id: usage.provider_tenant_id.clone(),
            onboarding_date: usage.onboarding_date,
            display_name: usage.display_name.clone(),
            service: usage.service,
            is_paused: usage.is_paused,
            first_billable_date: usage.first_billable_date,
            billable_status: usage.billable_status,
            total_licensed_users: usage.total_licensed_users,
            billable_users_this_month: usage.billable_users_this_month,
            prorating_percentage_this_month: usage.prorating_percentage_this_month,
        }
    }
}

impl From<StoredUsage> for UsageTenant {
    fn from(stored: StoredUsage) -> Self {
        Self {
            service_tenant_id: stored.service_tenant_id,
            provider_tenant_id: stored.provider_tenant_id,
            onboarding_date: stored.onboarding_date,
            display_name: stored.display_name,
            service: stored.service,
            is_paused: stored.is_paused,
            first_billable_date: stored.first_billable_date,
            billable_status: stored.billable_status,
            total_licensed_users: stored.total_licensed_users,
            billable_users_this_month: stored.billable_users_this_month,
            prorating_percentage_this_month: stored.prorating_percentage_this_month,
        }
    }
}

impl Usage {
    /// Returns the part of a response that precedes the tenants.
    pub fn head(&self, organization_name: String) -> UsageHead {
        UsageHead { as_of: self.as_of, report_generated_at: self.generated_at, organization_name }
    }
}

impl Organization {
    /// Returns the newest usage recorded for a day at or before `until`, or `None` if there is none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn usage(&self, until: NaiveDate) -> Result<Option<Usage>, StoreError> {
        Ok(self.newest_usage(until).await?.map(|day| self.usage_of(&day)))
    }

    /// Returns a tenant's usage in the newest recording for a day at or before `until`, or `None` if it is not in it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn usage_of_tenant(
        &self,
        until: NaiveDate,
        tenant: &ServiceTenantId,
    ) -> Result<Option<UsageTenant>, StoreError> {
        between_others(|| async {
            let Some(day) = self.newest_usage(until).await? else { return Ok(None) };
            let key = self.partition.usage(day.as_of, &day.recording, tenant);
            let row: Option<StoredUsage> = self.store.get(key).await?;
            let is_replaced =
                row.is_none() && self.newest_usage(until).await?.is_none_or(|newest| newest.recording != day.recording);
            match is_replaced {
                true => Err(StoreError::Contended("reading a recording")),
                false => Ok(row.map(UsageTenant::from)),
            }
        })
        .await
    }

    async fn newest_usage(&self, until: NaiveDate) -> Result<Option<UsageDay>, StoreError> {
        let range = self.partition.usage_days(until);
        let days = self.store.query::<UsageDay>(range, Order::NewestFirst, &[1]);
        let newest = first_items(days, 1).try_concat().await?;
        Ok(newest.into_iter().next())
    }

    fn usage_of(&self, day: &UsageDay) -> Usage {
        let rows = self.partition.usage_rows(day.as_of, &day.recording);
        let pages = self.store.query::<StoredUsage>(rows, Order::OldestFirst, &[]);
        let tenants = whole(pages, day.tenants).map_ok(|page| page.into_iter().map(UsageTenant::from).collect());
        let as_of = day.as_of;
        let generated_at = day.generated_at;
        let recording = day.recording.clone();
        Usage { as_of, generated_at, recording, version: day.version, tenants: tenants.boxed() }
    }
}

impl Writer {
    /// Records the usage of a day and replaces an earlier recording of it.
    ///
    /// # Errors
    /// If the store fails. The earlier recording then remains.
    pub async fn record_usage(&self, as_of: NaiveDate, tenants: &[UsageTenant]) -> Result<(), StoreError> {
        between_others(|| async {
            let seen: Option<UsageDay> = self.store.get(self.partition.usage_day(as_of)).await?;
            self.replace_usage(seen.as_ref(), as_of, tenants).await
        })
        .await
    }

    /// Records the usage of a day and returns it.
    ///
    /// `make` creates it from the newest usage recorded for a day at or
    /// before `as_of`. If another recording was faster, `make` is called again, so no recording is lost.
    ///
    /// # Errors
    /// If the store fails. The earlier recording then remains.
    pub async fn continue_usage(
        &self,
        as_of: NaiveDate,
        make: impl Fn(NaiveDate, Vec<UsageTenant>) -> Vec<UsageTenant>,
    ) -> Result<Vec<UsageTenant>, StoreError> {
        between_others(|| async {
            let newest = self.newest_usage(as_of).await?;
            let tenants = match &newest {
                Some(day) => make(day.as_of, self.usage_of(day).tenants.try_concat().await?),
                None => make(as_of, Vec::new()),
            };
            let seen = newest.filter(|day| day.as_of == as_of);
            self.replace_usage(seen.as_ref(), as_of, &tenants).await?;
            Ok(tenants)
        })
        .await
    }

    /// Records the usage of one tenant in the recording of a day, in place of the tenant's earlier row. Returns whether
    /// there is such a recording. Its cost does not depend on the number of tenants.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant, also if it is removed meanwhile, or the store fails.
    pub async fn record_usage_of_tenant(&self, as_of: NaiveDate, usage: &UsageTenant) -> Result<bool, TenantError> {
        let tenant = &usage.service_tenant_id;
        let attempt = || async {
            let day: Option<UsageDay> = self.store.get(self.partition.usage_day(as_of)).await?;
            let Some(day) = day else { return Ok(false) };
            let key = self.partition.usage(as_of, &day.recording, tenant);
            let earlier: Option<StoredUsage> = self.store.get(key.clone()).await?;
            let next = day.with_row(earlier.is_none(), self.at);
            let actions = vec![
                self.store.write(key, &StoredUsage::from(usage))?,
                self.store.replace(self.partition.usage_day(as_of), &next, day.version)?,
                // An erasure that has begun since would not find what is recorded now.
                self.store.require(self.partition.tenant(tenant)),
            ];
            match self.commit(actions, || Deed::new(AuditAction::UsageRecorded, as_of)).await? {
                Transaction::Done => Ok(true),
                Transaction::Refused(refused) if refused[2] => Err(TenantError::NotFound(tenant.to_string())),
                Transaction::Refused(_) => Err(StoreError::Contended("recording usage").into()),
            }
        };
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }

    /// Records the usage of a day over the recording that was seen.
    async fn replace_usage(
        &self,
        seen: Option<&UsageDay>,
        as_of: NaiveDate,
        tenants: &[UsageTenant],
    ) -> Result<(), StoreError> {
        let (version, recording) = recording::after(seen.map(|day| day.version), self.at);
        let key = |recording: &str, id: &ServiceTenantId| self.partition.usage(as_of, recording, id);
        let item = |tenant: &UsageTenant| RecordedItem {
            key: key(&recording, &tenant.service_tenant_id),
            earlier: seen.map(|day| key(&day.recording, &tenant.service_tenant_id)),
            value: StoredUsage::from(tenant),
        };
        let items = tenants.iter().map(item).collect();
        let ranges = (self.partition.usage_recordings(as_of), self.partition.usage_rows(as_of, &recording));
        let day = UsageDay { as_of, generated_at: self.at, version, tenants: tenants.len(), recording };
        let record = vec![self.store.succeed(self.partition.usage_day(as_of), &day, seen.map(|day| day.version))?];
        self.record_items(items, record, ranges, Deed::new(AuditAction::UsageRecorded, as_of)).await
    }
}
