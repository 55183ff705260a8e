//! The content of an event.

use chrono::NaiveDate;
use model::{
    ControlId, Event, EventControl, EventFailure, EventId, EventKind, EventReport, EventTenant, ServiceTenantId,
    Severity, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::Fix;
use crate::ReportSummary;
use crate::tenants::TenantRecord;

/// All that a change tells, as stored.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct EventContent {
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<EventTenant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<EventReport>,
    /// Controls that a person edited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edited: Vec<ControlId>,
    #[serde(flatten)]
    results: ResultChanges,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<EventFailure>,
    /// A control whose accepted risk ends soon.
    #[serde(skip_serializing_if = "Option::is_none")]
    expiring: Option<ControlChange>,
}

/// The differences between a report and the results that were known before.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ResultChanges {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) drifted: Vec<ControlChange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixed: Vec<ControlChange>,
    /// Controls that are no longer assessed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lost: Vec<ControlId>,
    /// Sign-in names of new administrators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) administrators: Vec<String>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ControlChange {
    pub(crate) control_id: ControlId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) severity: Option<Severity>,
    /// The drift that begins or ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drift_id: Option<EventId>,
    /// The day of the first report that found a fixed control open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) open_since: Option<NaiveDate>,
    /// The end of an accepted risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) accepted_until: Option<NaiveDate>,
}

impl EventContent {
    pub(crate) fn of_tenant(tenant: &TenantRecord) -> Self {
        let tenant = EventTenant {
            service_tenant_id: tenant.service_tenant_id.clone(),
            name: Some(tenant.name.clone()),
            provider_tenant_id: Some(tenant.provider_tenant_id.clone()),
        };
        Self { tenant: Some(tenant), ..Self::default() }
    }

    /// Returns the content of an event about a tenant of which only the identifier may be told.
    pub(crate) fn of_erased(tenant: &ServiceTenantId) -> Self {
        let tenant = EventTenant { service_tenant_id: tenant.clone(), name: None, provider_tenant_id: None };
        Self { tenant: Some(tenant), ..Self::default() }
    }

    /// Returns whether the event is about another tenant than the given one, and has no texts of others, which may name
    /// any tenant.
    pub(crate) fn is_about_another(&self, tenant: &ServiceTenantId) -> bool {
        let is_another = |of: &EventTenant| of.service_tenant_id != *tenant;
        self.tenant.as_ref().is_some_and(is_another) && self.failures.is_empty()
    }

    /// Adds a report as it is after the change, and the score before it.
    pub(crate) fn with_report(mut self, summary: &ReportSummary, score_before: Option<u8>) -> Self {
        self.report = Some(EventReport {
            id: summary.report_id.clone(),
            tool: summary.tool.clone(),
            completed_at: summary.figures.completed_at,
            score: summary.figures.score,
            grade: summary.figures.grade,
            score_before,
        });
        self
    }

    pub(crate) fn with_edited(self, edited: Vec<ControlId>) -> Self {
        Self { edited, ..self }
    }

    pub(crate) fn with_expiring(self, control: ControlChange) -> Self {
        Self { expiring: Some(control), ..self }
    }

    pub(crate) fn with_results(self, results: ResultChanges) -> Self {
        Self { results, ..self }
    }

    /// Adds files or runs without a report, at most a number of them.
    pub(crate) fn with_failures(self, failures: impl IntoIterator<Item = EventFailure>) -> Self {
        /// Most failures of an event: the first ones say enough.
        const MOST: usize = 100;
        Self { failures: failures.into_iter().take(MOST).collect(), ..self }
    }

    /// Returns the controls that were fixed, as far as it is known since when they were open.
    pub(super) fn fixes(&self) -> Vec<Fix> {
        let Some((tenant, report)) = self.tenant.as_ref().zip(self.report.as_ref()) else { return Vec::new() };
        let fix = |change: &ControlChange| {
            let days = (report.completed_at.date() - change.open_since?).num_days();
            Some(Fix {
                service_tenant_id: tenant.service_tenant_id.clone(),
                tool: report.tool.clone(),
                control_id: change.control_id.clone(),
                severity: change.severity,
                completed_at: report.completed_at,
                days: u32::try_from(days).unwrap_or_default(),
            })
        };
        self.results.fixed.iter().filter_map(fix).collect()
    }

    /// Returns the events of a change, always in the same order: the change itself, then its consequences.
    pub(super) fn events(self, id: &EventId, kind: EventKind, occurred_at: Timestamp) -> Vec<Event> {
        let Self { tenant, report, edited, results, failures, expiring } = self;
        let of = |id: EventId, kind| Event {
            id,
            kind,
            occurred_at,
            tenant: tenant.clone(),
            report: report.clone(),
            // The dashboard's address can change.
            url: None,
            control: None,
            controls: Vec::new(),
            administrators: Vec::new(),
            failures: Vec::new(),
        };
        let consequence = |kind| of(id.consequence(kind, ""), kind);
        let control = |kind, change: ControlChange| {
            let id = id.consequence(kind, change.control_id.as_str());
            Event { control: Some(change.into()), ..of(id, kind) }
        };
        let ResultChanges { drifted, fixed, lost, administrators } = results;
        let mut events = vec![Event {
            controls: edited,
            failures,
            control: expiring.map(EventControl::from),
            ..of(id.clone(), kind)
        }];
        events.extend(drifted.into_iter().map(|change| control(EventKind::ControlDrifted, change)));
        events.extend(fixed.into_iter().map(|change| control(EventKind::ControlFixed, change)));
        let dropped = |report: &EventReport| report.score_before.is_some_and(|before| report.score < before);
        if report.as_ref().is_some_and(dropped) {
            events.push(consequence(EventKind::ScoreDropped));
        }
        if !administrators.is_empty() {
            events.push(Event { administrators, ..consequence(EventKind::AdminAdded) });
        }
        if !lost.is_empty() {
            events.push(Event { controls: lost, ..consequence(EventKind::CoverageLost) });
        }
        events
    }
}

impl From<ControlChange> for EventControl {
    fn from(change: ControlChange) -> Self {
        let ControlChange { control_id: id, severity, drift_id, open_since, accepted_until } = change;
        Self { id, severity, drift_id, open_since, accepted_until }
    }
}
