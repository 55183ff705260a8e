//! Events: what changed in an organization, for clients that keep a copy and for people who want to be told.

use std::fmt;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{ControlId, EventId, Grade, ProviderTenantId, ReportId, ServiceTenantId, Severity, Timestamp, Wire};

/// A change of the organization's data, or one of its consequences.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Identifier: the same event has the same one, however often it is read.
    pub id: EventId,
    /// What happened.
    pub kind: EventKind,
    /// Time of the change.
    pub occurred_at: Timestamp,
    /// The tenant; null if the change is about the whole organization, or the tenant is not known.
    pub tenant: Option<EventTenant>,
    /// The report, the last one of a stale tenant; null if the event is about none.
    pub report: Option<EventReport>,
    /// Link that opens the report in the dashboard; null without a report, and for a deleted one.
    pub url: Option<String>,
    /// The control that drifted or was fixed, or whose accepted risk ends soon; null for other kinds.
    pub control: Option<EventControl>,
    /// The controls that were edited or are no longer assessed; empty for other kinds.
    pub controls: Vec<ControlId>,
    /// Sign-in names of the added administrators; empty for other kinds.
    pub administrators: Vec<String>,
    /// Reasons why something was not imported or assessed, or why a target was switched off; empty for other kinds.
    pub failures: Vec<EventFailure>,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum EventKind {
    /// A tenant was added.
    #[serde(rename = "tenant.added")]
    TenantAdded,
    /// A tenant has a new name, which its reports have, too.
    #[serde(rename = "tenant.renamed")]
    TenantRenamed,
    /// A tenant was paused.
    #[serde(rename = "tenant.paused")]
    TenantPaused,
    /// A tenant was resumed.
    #[serde(rename = "tenant.resumed")]
    TenantResumed,
    /// A tenant has had no report for the days after which it is stale. Its next report ends that.
    #[serde(rename = "tenant.stale")]
    TenantStale,
    /// A tenant was removed: it is no longer listed, and its reports are no longer returned.
    #[serde(rename = "tenant.removed")]
    TenantRemoved,
    /// A removed tenant was erased, with its earlier events.
    #[serde(rename = "tenant.erased")]
    TenantErased,
    /// A report was added.
    #[serde(rename = "report.completed")]
    ReportCompleted,
    /// A person edited a report.
    #[serde(rename = "report.edited")]
    ReportEdited,
    /// Another copy of the same run replaced a report.
    #[serde(rename = "report.replaced")]
    ReportReplaced,
    /// A report was deleted.
    #[serde(rename = "report.deleted")]
    ReportDeleted,
    /// A control that met best practice no longer does.
    #[serde(rename = "control.drifted")]
    ControlDrifted,
    /// A control that did not meet best practice does.
    #[serde(rename = "control.fixed")]
    ControlFixed,
    /// The accepted risk of a control ends in 14 days.
    #[serde(rename = "risk.expiring")]
    RiskExpiring,
    /// The score of a tenant is lower than before.
    #[serde(rename = "score.dropped")]
    ScoreDropped,
    /// A tenant has new administrators.
    #[serde(rename = "admin.added")]
    AdminAdded,
    /// Controls that were assessed before are no longer assessed.
    #[serde(rename = "coverage.lost")]
    CoverageLost,
    /// Files or runs were not imported.
    #[serde(rename = "import.failed")]
    ImportFailed,
    /// A report that was requested could not be made.
    #[serde(rename = "assessment.failed")]
    AssessmentFailed,
    /// A target of notifications was switched off, because it no longer accepts any.
    #[serde(rename = "target.disabled")]
    TargetDisabled,
    /// The operator repaired damaged data: a client that keeps a copy reads everything again.
    #[serde(rename = "data.repaired")]
    DataRepaired,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// The tenant that an event is about, as it was then.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTenant {
    /// Identifier issued by this service.
    pub service_tenant_id: ServiceTenantId,
    /// Display name; null if it was erased.
    pub name: Option<String>,
    /// Identifier issued by the suite's provider; null if it was erased.
    pub provider_tenant_id: Option<ProviderTenantId>,
}

/// The report that an event is about, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventReport {
    /// Report identifier.
    pub id: ReportId,
    /// The tool whose results the report contains.
    pub tool: String,
    /// When generation finished.
    pub completed_at: Timestamp,
    /// 0 to 100.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub score: u8,
    /// Letter grade for the score.
    pub grade: Grade,
    /// Last known score by the same tool before the change; null if there was none, or the report is not the newest.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub score_before: Option<u8>,
}

/// A control that drifted or was fixed, or whose accepted risk ends soon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventControl {
    /// The control.
    pub id: ControlId,
    /// Its severity.
    pub severity: Option<Severity>,
    /// Identifier of the drift: the same in the event that opens it and in the one that closes it. Null for a fix of a
    /// control that had never met best practice, and for an accepted risk.
    pub drift_id: Option<EventId>,
    /// Day (UTC) of the first report that found a fixed control open; absent for other kinds, and if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_since: Option<NaiveDate>,
    /// Day (UTC) on which the accepted risk ends; absent for other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_until: Option<NaiveDate>,
}

/// A file or a run without a report, or a target that was switched off.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventFailure {
    /// The file, the run by its tool, time and files, or the name of the target.
    pub of: String,
    /// What happened, and what to do.
    pub reason: String,
}

impl EventKind {
    /// Returns the kind in words, such as `Control drifted`.
    pub fn words(self) -> String {
        let mut words = Wire(self).to_string().replace('.', " ");
        words[..1].make_ascii_uppercase();
        words
    }
}

impl Event {
    /// Adds the link to the report in the dashboard, whose address can change.
    #[must_use]
    pub fn linked(self, dashboard_url: &str) -> Self {
        let is_deleted = self.kind == EventKind::ReportDeleted;
        let url = match (&self.tenant, &self.report) {
            (Some(tenant), Some(report)) if !is_deleted => {
                Some(format!("{dashboard_url}/tenants/{}/reports/{}", tenant.service_tenant_id, report.id))
            }
            _ => None,
        };
        Self { url, ..self }
    }
}

impl fmt::Debug for Event {
    /// Leaves out names, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl fmt::Debug for EventTenant {
    /// Leaves out the name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventTenant").field("service_tenant_id", &self.service_tenant_id).finish_non_exhaustive()
    }
}

impl fmt::Debug for EventFailure {
    /// Leaves out names of files, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventFailure").finish_non_exhaustive()
    }
}
