//! Schedules of reports: that of an organization, and those of tenants that have their own.
//!
//! A look-up outside of the partitions names each organization with a schedule, under the time at which its next report
//! is due. Every change of a schedule lets the organization be looked at at once, and whoever looks writes the next time.
//! Both are written over the version that was read, so neither can miss the other.
//!
//! A request names the moment that it was made for (`requests.rs`), so what is due is requested once, however often it
//! is looked for.

use backon::Retryable;
use futures_util::TryStreamExt;
use model::{OrganizationId, Schedule, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::{Action, CONTENDERS, Transaction, backoff};
use super::{AdminWriter, Organization, Store, StoreError, TenantError, TenantRecord, Writer, keys};

/// The schedules of an organization, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedules {
    /// The schedule of its tenants, except for those that have their own.
    pub schedule: Option<Schedule>,
    /// The time up to which every report that was due is requested.
    pub requested_until: Timestamp,
    /// When the next report is due. `None` if there is no schedule, neither its own nor one of a tenant.
    pub next_at: Option<Timestamp>,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
}

/// The look-up of an organization by the time at which its next report is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Due {
    pub(super) organization_id: OrganizationId,
}

impl Schedules {
    /// Returns the schedule that applies to a tenant: its own, or that of the organization. For a paused tenant, nothing
    /// is due nevertheless.
    pub fn of(schedules: Option<&Self>, tenant: &TenantRecord) -> Option<Schedule> {
        tenant.schedule.or_else(|| schedules?.schedule)
    }
}

impl Store {
    /// Returns the organizations with reports that are due, the longest waiting ones first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn due(&self, now: Timestamp) -> Result<Vec<OrganizationId>, StoreError> {
        let keys: Vec<_> = self.keys_of(keys::due_until(now)).try_collect().await?;
        Ok(keys.iter().filter_map(keys::organization_of).collect())
    }
}

impl Organization {
    /// Returns what is scheduled, or `None` if nothing ever was.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn schedules(&self) -> Result<Option<Schedules>, StoreError> {
        self.store.get(self.partition.schedules()).await
    }
}

impl Writer {
    /// Gives a tenant a schedule of its own, or with `None` that of the organization, and returns the tenant.
    ///
    /// # Errors
    /// If there is no such tenant or the store fails.
    pub async fn schedule_tenant(
        &self,
        id: &ServiceTenantId,
        schedule: Option<Schedule>,
    ) -> Result<TenantRecord, TenantError> {
        let deed = |before: &TenantRecord, _: &TenantRecord| deed(id, before.schedule, schedule);
        self.edit_tenant(id, |tenant| tenant.schedule = schedule, deed).await
    }

    /// Writes that all reports that were due up to now are requested, and when the next is due. Returns whether it was
    /// written: not if a schedule has changed since it was read.
    ///
    /// It changes nothing for people, so it is not in the audit trail.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn settle_schedules(&self, seen: &Schedules, next_at: Option<Timestamp>) -> Result<bool, StoreError> {
        let settled = Schedules { requested_until: self.at, next_at, version: seen.version + 1, ..seen.clone() };
        let actions = self.write_schedules(Some(seen), &settled)?;
        Ok(self.store.transact(actions).await? == Transaction::Done)
    }

    /// Returns the actions that let the organization be looked at at once, with a change of what is scheduled.
    pub(super) async fn reschedule(
        &self,
        change: impl FnOnce(&mut Schedules),
    ) -> Result<(Vec<Action>, Option<Schedules>), StoreError> {
        let seen = self.schedules().await?;
        let first = || Schedules { schedule: None, requested_until: self.at, next_at: None, version: 0 };
        let mut changed = seen.clone().unwrap_or_else(first);
        changed.next_at = Some(changed.next_at.map_or(self.at, |next_at| next_at.min(self.at)));
        changed.version += 1;
        change(&mut changed);
        Ok((self.write_schedules(seen.as_ref(), &changed)?, seen))
    }

    fn write_schedules(&self, seen: Option<&Schedules>, changed: &Schedules) -> Result<Vec<Action>, StoreError> {
        let version = seen.map(|seen| seen.version);
        let mut actions = vec![self.store.succeed(self.partition.schedules(), changed, version)?];
        let lookup = |schedules: &Schedules| schedules.next_at.map(|at| keys::due(at, &self.id));
        let (before, after) = (seen.and_then(lookup), lookup(changed));
        if before != after {
            actions.extend(before.map(|key| self.store.erase(key)));
            if let Some(key) = after {
                actions.push(self.store.write_lookup(key, &Due { organization_id: self.id.clone() })?);
            }
        }
        Ok(actions)
    }
}

impl AdminWriter {
    /// Sets the schedule of the tenants that have none of their own, or with `None` removes it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn set_schedule(&self, schedule: Option<Schedule>) -> Result<(), StoreError> {
        let attempt = || async {
            let (actions, seen) = self.reschedule(|changed| changed.schedule = schedule).await?;
            let before = seen.and_then(|seen| seen.schedule);
            match self.commit(actions, || deed(self.id(), before, schedule)).await? {
                Transaction::Done => Ok(()),
                Transaction::Refused(_) => Err(StoreError::Contended("changing a schedule")),
            }
        };
        attempt.retry(backoff(CONTENDERS)).when(|error| matches!(error, StoreError::Contended(_))).await
    }
}

/// Returns whether reports of any tenant are scheduled.
pub(super) fn is_scheduled<'a>(
    schedules: Option<&Schedules>,
    mut tenants: impl Iterator<Item = &'a TenantRecord>,
) -> bool {
    let is_on = |schedule: Option<Schedule>| schedule.is_some_and(|schedule| schedule.opens(schedule.since).is_some());
    is_on(schedules.and_then(|schedules| schedules.schedule)) || tenants.any(|tenant| is_on(tenant.schedule))
}

fn deed(subject: impl ToString, before: Option<Schedule>, after: Option<Schedule>) -> Deed {
    let [before, after] = [before, after].map(|schedule| schedule.map(|schedule| schedule.to_string()));
    Deed::new(AuditAction::ScheduleChanged, subject).with("schedule", before, after)
}
