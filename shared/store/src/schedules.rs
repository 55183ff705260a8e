//! Schedules of reports: that of an organization, those of labels, and those of tenants that have their own.
//!
//! A look-up outside of the partitions names each organization with a schedule, under the time at which its next report
//! is due. Every change of a schedule lets the organization be looked at at once, and whoever looks writes the next time.
//! Both are written over the version that was read, so neither can miss the other. The same look finds tenants that are
//! stale (`stale.rs`).
//!
//! A request names the moment that it was made for (`requests.rs`), so what is due is requested once, however often it
//! is looked for.

use backon::Retryable;
use futures_util::TryStreamExt;
use model::{Label, OrganizationId, Schedule, ServiceTenantId, StaleAfter, Timestamp, Week};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::results::ControlsItem;
use super::table::{Action, CONTENDERS, Transaction, backoff};
use super::{AdminWriter, DocumentSchedule, Organization, Store, StoreError, TenantError, TenantRecord, Writer, keys};

/// Most labels with schedules: they are in one item, which each round reads.
pub(super) const MOST_LABELS: usize = 100;

/// The schedules of an organization, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedules {
    /// The schedule of its tenants, except for those that have their own or one of their labels.
    pub schedule: Option<Schedule>,
    /// The schedules of tenants with labels, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelSchedule>,
    /// The sets of documents that are requested unasked, in the order of their labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<DocumentSchedule>,
    /// The days without a report after which a tenant is stale; `None` for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_after: Option<StaleAfter>,
    /// The time up to which every report that was due is requested, and every stale tenant is told of.
    pub requested_until: Timestamp,
    /// The first week whose trend is not written; `None` before the first look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trends_from: Option<Week>,
    /// When the organization is looked at again: when the next report is due, a tenant may be stale, or the week ends.
    pub next_at: Option<Timestamp>,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
}

/// The schedule of tenants with a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelSchedule {
    /// The label.
    pub label: Label,
    /// The schedule.
    pub schedule: Schedule,
}

/// The reason why a schedule was not set.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// As many labels have schedules as may have one.
    #[error("{MOST_LABELS} labels have schedules already: remove one first")]
    TooMany,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// The look-up of an organization by the time at which its next report is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Due {
    pub(super) organization_id: OrganizationId,
}

impl Schedules {
    /// Returns the schedule that applies to a tenant: its own, or the inherited one. For a paused tenant, nothing is due
    /// nevertheless.
    pub fn of(schedules: Option<&Self>, tenant: &TenantRecord) -> Option<Schedule> {
        tenant.schedule.or_else(|| Some(schedules?.inherited(tenant)?.1))
    }

    /// Returns the schedule of a tenant without its own: that of its labels, of which the first by name wins, with the
    /// label; or that of the organization.
    pub fn inherited(&self, tenant: &TenantRecord) -> Option<(Option<&Label>, Schedule)> {
        let of_label = self.labels.iter().find(|of| tenant.labels.contains(&of.label));
        let of_label = of_label.map(|of| (Some(&of.label), of.schedule));
        of_label.or_else(|| Some((None, self.schedule?)))
    }

    /// Returns the first time after another at which a window of the organization or of a label begins, or documents are
    /// due.
    pub fn opens(&self, now: Timestamp) -> Option<Timestamp> {
        let documents = self.documents.iter().map(|of| &of.schedule);
        self.all().chain(documents).filter_map(|schedule| schedule.opens(now)).min()
    }

    fn all(&self) -> impl Iterator<Item = &Schedule> {
        self.schedule.iter().chain(self.labels.iter().map(|of| &of.schedule))
    }

    /// Sets the schedule of a label, or that of the organization, and returns the one before.
    fn set(&mut self, label: Option<&Label>, schedule: Option<Schedule>) -> Result<Option<Schedule>, ScheduleError> {
        let Some(label) = label else { return Ok(std::mem::replace(&mut self.schedule, schedule)) };
        let place = self.labels.binary_search_by(|of| of.label.cmp(label));
        match (place, schedule) {
            (Ok(place), Some(schedule)) => Ok(Some(std::mem::replace(&mut self.labels[place].schedule, schedule))),
            (Ok(place), None) => Ok(Some(self.labels.remove(place).schedule)),
            (Err(_), Some(_)) if self.labels.len() >= MOST_LABELS => Err(ScheduleError::TooMany),
            (Err(place), Some(schedule)) => {
                self.labels.insert(place, LabelSchedule { label: label.clone(), schedule });
                Ok(None)
            }
            (Err(_), None) => Ok(None),
        }
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

    /// Returns the action that writes the look-up of schedules, if they say when to look.
    pub(super) fn lead_to(&self, schedules: Option<&Schedules>) -> Result<Option<Action>, StoreError> {
        let next_at = schedules.and_then(|schedules| schedules.next_at);
        let due = Due { organization_id: self.id.clone() };
        next_at.map(|at| self.store.write_lookup(keys::due(at, &self.id), &due)).transpose()
    }
}

impl Writer {
    /// Gives a tenant a schedule of its own, or with `None` the inherited one, and returns the tenant.
    ///
    /// # Errors
    /// If there is no such tenant or the store fails.
    pub async fn schedule_tenant(
        &self,
        id: &ServiceTenantId,
        schedule: Option<Schedule>,
    ) -> Result<TenantRecord, TenantError> {
        let deed = |before: &TenantRecord, _: &TenantRecord| deed(id, None, before.schedule, schedule);
        self.edit_tenant(id, |tenant| tenant.schedule = schedule, deed).await
    }

    /// Writes that all reports that were due up to now are requested, and when to look again. Returns whether it was
    /// written: not if a schedule has changed since it was read.
    ///
    /// It changes nothing for people, so it is not in the audit trail.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn settle_schedules(&self, seen: &Schedules, next_at: Timestamp) -> Result<bool, StoreError> {
        let next_at = Some(next_at);
        let settled = Schedules { requested_until: self.at, next_at, version: seen.version + 1, ..seen.clone() };
        let actions = self.write_schedules(Some(seen), &settled)?;
        Ok(self.store.transact(actions).await? == Transaction::Done)
    }

    /// Returns the actions that let the organization be looked at at once, if another schedule applies to a changed tenant.
    pub(super) async fn reschedule_tenant(
        &self,
        before: &TenantRecord,
        after: &TenantRecord,
    ) -> Result<Vec<Action>, StoreError> {
        if after.schedule == before.schedule && after.labels == before.labels {
            return Ok(Vec::new());
        }
        let seen = self.schedules().await?;
        let [old, new] = [before, after].map(|tenant| Schedules::of(seen.as_ref(), tenant));
        if old == new { Ok(Vec::new()) } else { self.reschedule(seen.as_ref(), self.changing(seen.as_ref())) }
    }

    /// Returns the actions that let the organization be looked at, at the latest at a time. None if it is looked at before:
    /// whoever looks finds when to look again.
    pub(super) async fn look_by(&self, at: Timestamp) -> Result<Vec<Action>, StoreError> {
        let seen = self.schedules().await?;
        let next_at = seen.as_ref().and_then(|seen| seen.next_at);
        match next_at.is_some_and(|next_at| self.at <= next_at && next_at <= at) {
            true => Ok(Vec::new()),
            false => self.reschedule(seen.as_ref(), self.changing(seen.as_ref())),
        }
    }

    /// Returns the schedules that a change begins with.
    pub(super) fn changing(&self, seen: Option<&Schedules>) -> Schedules {
        seen.cloned().unwrap_or_else(|| Schedules {
            schedule: None,
            labels: Vec::new(),
            documents: Vec::new(),
            stale_after: None,
            requested_until: self.at,
            trends_from: None,
            next_at: None,
            version: 0,
        })
    }

    /// Returns the actions that write changed schedules, and let the organization be looked at at once.
    pub(super) fn reschedule(&self, seen: Option<&Schedules>, changed: Schedules) -> Result<Vec<Action>, StoreError> {
        let next_at = Some(changed.next_at.map_or(self.at, |next_at| next_at.min(self.at)));
        self.write_schedules(seen, &Schedules { next_at, version: changed.version + 1, ..changed })
    }

    pub(super) fn write_schedules(
        &self,
        seen: Option<&Schedules>,
        changed: &Schedules,
    ) -> Result<Vec<Action>, StoreError> {
        let version = seen.map(|seen| seen.version);
        let mut actions = vec![self.store.succeed(self.partition.schedules(), changed, version)?];
        let before = seen.and_then(|seen| seen.next_at);
        if before != changed.next_at {
            actions.extend(before.map(|at| self.store.erase(keys::due(at, &self.id))));
            actions.extend(self.lead_to(Some(changed))?);
        }
        Ok(actions)
    }
}

impl AdminWriter {
    /// Sets the schedule of the tenants with a label, or without one that of all tenants, or with `None` removes it. A
    /// tenant's own schedule comes before that of a label, and that before the one of all tenants.
    ///
    /// # Errors
    /// If too many labels have one, or the store fails.
    pub async fn set_schedule(&self, label: Option<&Label>, schedule: Option<Schedule>) -> Result<(), ScheduleError> {
        self.change_schedules(|changed| {
            let before = changed.set(label, schedule)?;
            Ok(deed(self.id(), label, before, schedule))
        })
        .await
    }

    /// Changes the schedules, and returns the deed that the change is.
    pub(super) async fn change_schedules(
        &self,
        change: impl Fn(&mut Schedules) -> Result<Deed, ScheduleError>,
    ) -> Result<(), ScheduleError> {
        let attempt = || async {
            let seen = self.schedules().await?;
            let mut changed = self.changing(seen.as_ref());
            let deed = change(&mut changed)?;
            let actions = self.reschedule(seen.as_ref(), changed)?;
            match self.commit(actions, || deed).await? {
                Transaction::Done => Ok(()),
                Transaction::Refused(_) => Err(StoreError::Contended("changing a schedule").into()),
            }
        };
        let came_between = |error: &ScheduleError| matches!(error, ScheduleError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}

/// Returns whether an organization has to be looked at: it has a tenant, whose weeks are followed, or schedules. One of
/// an earlier release is followed once it was upgraded: its results are complete then.
pub(super) fn is_followed<'a>(
    schedules: Option<&Schedules>,
    controls: Option<&ControlsItem>,
    mut tenants: impl Iterator<Item = &'a TenantRecord>,
) -> bool {
    let is_on = |schedule: &Schedule| schedule.opens(schedule.since).is_some();
    let is_upgraded = controls.is_some_and(|controls| controls.is_complete);
    schedules.is_some_and(|of| of.all().any(is_on))
        || tenants.any(|tenant| is_upgraded || tenant.schedule.as_ref().is_some_and(is_on))
}

fn deed(subject: impl ToString, label: Option<&Label>, before: Option<Schedule>, after: Option<Schedule>) -> Deed {
    let [before, after] = [before, after].map(|schedule| schedule.map(|schedule| schedule.to_string()));
    let field = label.map_or_else(|| "schedule".to_owned(), |label| format!("schedule of label {label}"));
    Deed::new(AuditAction::ScheduleChanged, subject).with(&field, before, after)
}
