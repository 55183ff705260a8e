//! The last known results of a tool for a tenant: what a new report is compared with, so that a drift is told once.
//!
//! A report says what drifted since its baseline, in each report again. What is known here changes with the newest report
//! of the tool, and also has what a later report did not assess. A deletion leaves it as it is: what was told was told,
//! and the next report closes what is fixed.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use model::{Check, ControlId, EventId, EventKind, ReportBody, ServiceTenantId};
use serde::{Deserialize, Serialize};

use super::content::{ControlChange, ResultChanges};
use super::{EventContent, NewEvent};
use crate::kept_edits::FIRST_REVISION;
use crate::keys::Key;
use crate::table::Action;
use crate::{Fragment, ReportSummary, StoreError, StoredReport, TenantRecord, Writer};

/// The last known results, as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownItem {
    pub(crate) service_tenant_id: ServiceTenantId,
    pub(crate) tool: String,
    /// CRC-32 of the results' JSON.
    crc32: u32,
    /// Length of the results' JSON, in bytes.
    length: u64,
    /// The results' JSON, deflated.
    #[serde(with = "serde_bytes")]
    results: Vec<u8>,
}

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct KnownResults {
    controls: BTreeMap<ControlId, KnownControl>,
    /// Score of the newest report.
    score: Option<u8>,
    /// Sign-in names; `None` as long as no list was complete.
    administrators: Option<BTreeSet<String>>,
}

/// The last known result of a control.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KnownControl {
    revision: u32,
    /// Whether it met best practice when it was last assessed.
    secure: bool,
    /// Whether the newest report assesses it.
    assessed: bool,
    /// The drift that is not fixed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drift: Option<EventId>,
    /// The day of the first report that found it open, while it is; `None` if an earlier release may have known that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_since: Option<NaiveDate>,
}

impl Writer {
    /// Compares a report, the newest of its tool, with the last known results. Returns what its event tells, and the
    /// action that makes its results the last known ones, if they differ.
    ///
    /// `newest` is the newest report of the tool before the change. It is read if no results are known, as an earlier
    /// release wrote it.
    pub(crate) async fn learn(
        &self,
        (tenant, of): (&TenantRecord, &ReportSummary),
        (body, revisions): (&ReportBody, &BTreeMap<ControlId, u32>),
        newest: Option<&ReportSummary>,
        event: &NewEvent,
    ) -> Result<(EventContent, Option<Action>), StoreError> {
        let key = self.partition.known_results(&of.service_tenant_id, &of.tool);
        let item: Option<KnownItem> = self.store.get(key.clone()).await?;
        let is_stored = item.is_some();
        let mut known = match (item, newest) {
            (Some(item), _) => item.open(key.clone())?,
            (None, Some(newest)) => {
                let report = self.report(&newest.report_id).await?.map(StoredReport::open).transpose()?;
                report.map(|report| KnownResults::of(&report.body, &report.revisions)).unwrap_or_default()
            }
            (None, None) => KnownResults::default(),
        };
        let before = known.clone();
        let changes = known.update(body, revisions, &event.id);
        let action = if is_stored && known == before {
            None
        } else {
            Some(self.store.write(key, &KnownItem::new(of, &known)?)?)
        };
        Ok((EventContent::of_tenant(tenant).with_report(of, before.score).with_results(changes), action))
    }
}

impl KnownItem {
    fn new(of: &ReportSummary, known: &KnownResults) -> Result<Self, StoreError> {
        let text = serde_json::to_vec(known).map_err(|_| StoreError::Corrupt("known results cannot be written"))?;
        let Fragment { deflated, crc32, length, .. } = Fragment::stored(&text);
        let (service_tenant_id, tool) = (of.service_tenant_id.clone(), of.tool.clone());
        Ok(Self { service_tenant_id, tool, crc32, length, results: deflated.into() })
    }

    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        self.open(key).map(drop)
    }

    fn open(self, key: Key) -> Result<KnownResults, StoreError> {
        let fragment = Fragment::of_item(key, self.results, self.crc32, self.length);
        let known = serde_json::from_slice(&fragment.inflate()?);
        known.map_err(|_| fragment.unexpected("known results have an unexpected shape"))
    }
}

impl KnownResults {
    fn of(body: &ReportBody, revisions: &BTreeMap<ControlId, u32>) -> Self {
        let mut known = Self { score: Some(body.figures.score), ..Self::default() };
        for check in body.checks.iter().filter(|check| check.status.is_assessed()) {
            known.controls.insert(check.control_id.clone(), KnownControl::of(check, revisions));
        }
        known.learn_administrators(body);
        known
    }

    /// Takes over the results of a report, and returns the differences that an event tells.
    fn update(&mut self, body: &ReportBody, revisions: &BTreeMap<ControlId, u32>, event: &EventId) -> ResultChanges {
        self.score = Some(body.figures.score);
        let mut changes = ResultChanges::default();
        let mut unassessed: BTreeSet<_> =
            self.controls.iter().filter(|(_, known)| known.assessed).map(|(id, _)| id.clone()).collect();
        for check in body.checks.iter().filter(|check| check.status.is_assessed()) {
            let id = &check.control_id;
            unassessed.remove(id);
            let mut now = KnownControl::of(check, revisions);
            now.open_since = Some(body.figures.completed_at.date()).filter(|_| !now.secure);
            let Some(known) = self.controls.get_mut(id) else {
                self.controls.insert(id.clone(), now);
                continue;
            };
            let is_comparable = known.revision == now.revision;
            if check.accepted_risk.is_some() && known.secure && is_comparable {
                // Nobody is told of the drift as long as its risk is accepted.
                known.assessed = true;
                continue;
            }
            let change = |drift_id, open_since| {
                let (control_id, severity) = (id.clone(), check.severity);
                ControlChange { control_id, severity, drift_id, open_since, accepted_until: None }
            };
            if is_comparable && !known.secure && !now.secure {
                now.open_since = known.open_since;
            }
            let mut drift = known.drift.take();
            if !now.secure && known.secure && is_comparable {
                drift = Some(event.consequence(EventKind::ControlDrifted, id.as_str()));
                changes.drifted.push(change(drift.clone(), None));
            } else if now.secure && (drift.is_some() || !known.secure && is_comparable) {
                changes.fixed.push(change(drift.take(), known.open_since));
            }
            *known = KnownControl { drift, ..now };
        }
        for id in &unassessed {
            self.controls.get_mut(id).expect("it is known").assessed = false;
        }
        changes.lost = unassessed.into_iter().collect();
        changes.administrators = self.learn_administrators(body);
        changes
    }

    /// Takes over a complete list of administrators, and returns the new ones if there was an earlier list.
    fn learn_administrators(&mut self, body: &ReportBody) -> Vec<String> {
        if !body.global_admins.data_complete {
            return Vec::new();
        }
        let now: BTreeSet<_> =
            body.global_admins.admins.iter().map(|admin| admin.user_principal_name.clone()).collect();
        let before = self.administrators.replace(now.clone());
        before.map(|before| now.difference(&before).cloned().collect()).unwrap_or_default()
    }
}

impl KnownControl {
    fn of(check: &Check, revisions: &BTreeMap<ControlId, u32>) -> Self {
        let revision = revisions.get(&check.control_id).copied().unwrap_or(FIRST_REVISION);
        Self { revision, secure: check.status.is_secure(), assessed: true, drift: None, open_since: None }
    }
}
