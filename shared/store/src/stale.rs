//! Stale tenants: those without a report for days, told of once until the next report.
//!
//! Whoever looks at an organization for reports that are due also finds its stale tenants, and looks again after as many
//! days at the latest. So an import has nothing to write for it: a tenant is stale that many days after its report at the
//! earliest.

use backon::Retryable;
use model::{StaleAfter, Timestamp};

use super::audit::{AuditAction, Deed};
use super::events::EventContent;
use super::reports::ListedReport;
use super::table::{CONTENDERS, Transaction, backoff};
use super::tenants::TenantRecord;
use super::{AdminWriter, ScheduleError, Schedules, StoreError, Writer};

impl TenantRecord {
    /// Returns the last sign of life: the newest report, or that the tenant was resumed or added.
    pub fn heard_at(&self) -> Timestamp {
        let latest = self.latest.as_ref().map(|latest| latest.completed_at);
        latest.max(self.resumed_at).unwrap_or(self.onboarding_date)
    }

    /// Returns whether it was told to be stale, and no report has come since.
    pub fn is_told_stale(&self) -> bool {
        self.stale_since.is_some_and(|told| self.heard_at() <= told)
    }
}

impl Schedules {
    /// Returns when a tenant is stale, unless a report comes before: after the days without one, and not before one is
    /// missing that was due. `None` for a paused tenant, and for one without a schedule that never had a report.
    pub fn stale_at(&self, tenant: &TenantRecord) -> Option<Timestamp> {
        let heard_at = tenant.heard_at();
        let schedule = Self::of(Some(self), tenant);
        let missing_at = schedule.and_then(|schedule| schedule.missing_at(&tenant.service_tenant_id, heard_at));
        let is_expected = !tenant.is_paused && (missing_at.is_some() || tenant.latest.is_some());
        // A schedule expects nothing of the time before it, and without a report nothing else does.
        let expects_since = schedule.filter(|_| tenant.latest.is_none()).map(|schedule| schedule.since);
        let silent_at = self.in_days(expects_since.map_or(heard_at, |since| since.max(heard_at)));
        let silent_at = silent_at.filter(|_| is_expected)?;
        Some(missing_at.map_or(silent_at, |missing_at| missing_at.max(silent_at)))
    }

    /// Returns the time as many days after another as a tenant may be without a report.
    pub fn in_days(&self, after: Timestamp) -> Option<Timestamp> {
        (after.to_datetime() + self.stale_after.unwrap_or_default().time()).try_into().ok()
    }
}

impl Writer {
    /// Tells that a tenant is stale, unless it was told, or a report came since it was read. Returns whether it was told
    /// now.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tell_stale(&self, seen: &TenantRecord) -> Result<bool, StoreError> {
        let heard_at = seen.heard_at();
        let attempt = || async {
            let tenant = self.tenant(&seen.service_tenant_id).await?.filter(|tenant| !tenant.is_paused);
            let Some(before) = tenant.filter(|tenant| tenant.heard_at() == heard_at && !tenant.is_told_stale()) else {
                return Ok(false);
            };
            let version = before.version + 1;
            let after = TenantRecord { stale_since: Some(heard_at), version, ..before.clone() };
            let mut content = EventContent::of_tenant(&after);
            if let Some(latest) = &after.latest {
                let key = self.partition.latest(latest.completed_at, &latest.report_id);
                if let Some(ListedReport { summary, .. }) = self.store.get(key).await? {
                    content = content.with_report(&summary, None);
                }
            }
            let key = self.partition.tenant(&after.service_tenant_id);
            let actions = vec![self.store.replace(key, &after, before.version)?];
            let deed = || {
                let deed = Deed::new(AuditAction::TenantStale, &after.service_tenant_id);
                deed.with("without a report since", None, Some(heard_at.to_string())).telling(content)
            };
            match self.commit(actions, deed).await? {
                Transaction::Done => Ok(true),
                Transaction::Refused(_) => Err(StoreError::Contended("telling of a stale tenant")),
            }
        };
        attempt.retry(backoff(CONTENDERS)).when(|error| matches!(error, StoreError::Contended(_))).await
    }
}

impl AdminWriter {
    /// Sets the days without a report after which a tenant is stale.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn set_stale_after(&self, days: StaleAfter) -> Result<(), ScheduleError> {
        self.change_schedules(|changed| {
            let before = changed.stale_after.replace(days).map(|before| before.to_string());
            let deed = Deed::new(AuditAction::ScheduleChanged, self.id());
            Ok(deed.with("days without a report", before, Some(days.to_string())))
        })
        .await
    }
}

impl Writer {
    /// Lets the organization be looked at, if it is not yet. It changes nothing for people, so it is not in the audit
    /// trail.
    pub(super) async fn watch(&self) -> Result<(), StoreError> {
        if self.schedules().await?.is_some() {
            return Ok(());
        }
        // Refused if another writer was faster, which had the same effect.
        self.store.transact(self.reschedule(None, self.changing(None))?).await.map(drop)
    }
}
