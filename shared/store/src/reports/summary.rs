//! Summaries of reports.

use std::fmt;

use model::{
    Baseline, ControlsRollup, Coverage, Grade, ProviderTenantId, ReportBody, ReportId, ReportType, ServiceTenantId,
    Timestamp,
};
use serde::{Deserialize, Serialize};

use super::place::{Place, ReportPosition};

/// A report without its checks, risks and administrators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportSummary {
    /// Identifier.
    pub report_id: ReportId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The tenant's identifier at the provider.
    pub provider_tenant_id: ProviderTenantId,
    /// The tool whose results the report contains.
    pub tool: String,
    /// Baseline or follow-up.
    pub report_type: ReportType,
    /// The report that a follow-up compares with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// When the report was requested.
    pub created_at: Timestamp,
    /// When the report was completed.
    pub completed_at: Timestamp,
    /// Window of activity, in days.
    pub activity_lookback_days: u32,
    /// 0 to 100.
    pub score: u8,
    /// Letter grade for the score.
    pub grade: Grade,
    /// Score at the baseline; `None` for a baseline report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_score: Option<u8>,
    /// Grade at the baseline; `None` for a baseline report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_grade: Option<Grade>,
    /// Counts of controls by result.
    pub controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// When the report was imported or last edited.
    pub updated_at: Timestamp,
    /// 0 for a report as imported; incremented by every edit.
    pub revision: u64,
}

/// A report as listed: the content of a pointer.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedReport {
    /// Name of the tenant: the current one in lists, and in a stored pointer the one when it was written.
    pub tenant_name: String,
    /// The report.
    #[serde(flatten)]
    pub summary: ReportSummary,
}

/// The part of a summary that is not in the report's body.
pub(crate) struct ReportIdentity<'a> {
    pub(crate) report_id: &'a ReportId,
    pub(crate) service_tenant_id: &'a ServiceTenantId,
    pub(crate) provider_tenant_id: &'a ProviderTenantId,
    pub(crate) tool: &'a str,
}

impl ReportSummary {
    /// Returns the summary of a new report.
    pub(crate) fn new(identity: &ReportIdentity<'_>, body: &ReportBody, added_at: Timestamp) -> Self {
        Self {
            report_id: identity.report_id.clone(),
            service_tenant_id: identity.service_tenant_id.clone(),
            provider_tenant_id: identity.provider_tenant_id.clone(),
            tool: identity.tool.to_owned(),
            report_type: body.report_type,
            baseline: body.baseline.clone(),
            created_at: body.created_at,
            completed_at: body.completed_at,
            activity_lookback_days: body.activity_lookback_days,
            score: body.score,
            grade: body.grade,
            previous_score: body.previous_score,
            previous_grade: body.previous_grade,
            controls: body.controls,
            coverage: body.coverage.clone(),
            updated_at: added_at,
            revision: 0,
        }
    }

    /// Returns the summary with all values of a body.
    fn of_body(&self, body: &ReportBody) -> Self {
        let identity = ReportIdentity {
            report_id: &self.report_id,
            service_tenant_id: &self.service_tenant_id,
            provider_tenant_id: &self.provider_tenant_id,
            tool: &self.tool,
        };
        Self { revision: self.revision, ..Self::new(&identity, body, self.updated_at) }
    }

    /// Returns the summary of the same report after an edit of its body.
    pub(crate) fn edited(&self, body: &ReportBody, updated_at: Timestamp) -> Self {
        // The position of a report depends on its completion, which an edit does not change.
        let completed_at = self.completed_at;
        Self { completed_at, updated_at, revision: self.revision + 1, ..self.of_body(body) }
    }

    /// Returns whether the summary belongs to this body.
    pub(crate) fn agrees_with(&self, body: &ReportBody) -> bool {
        *self == self.of_body(body)
    }

    /// Returns a text that changes whenever the report does: after an edit, and after a deletion and another import.
    pub fn state(&self) -> String {
        format!("{} {} {}", self.report_id, self.revision, self.updated_at)
    }

    /// Returns the values that change with every edit, and with a deletion that is followed by another import.
    pub(super) fn version(&self) -> (u64, Timestamp) {
        (self.revision, self.updated_at)
    }

    pub(super) fn position(&self) -> ReportPosition {
        ReportPosition { completed_at: self.completed_at, report_id: self.report_id.clone() }
    }

    pub(crate) fn place(&self) -> Place {
        Place {
            service_tenant_id: self.service_tenant_id.clone(),
            completed_at: self.completed_at,
            report_id: self.report_id.clone(),
        }
    }
}

impl fmt::Debug for ListedReport {
    /// Leaves out the tenant's name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListedReport").field("summary", &self.summary).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn assert_kept(stored: Value) {
        let listed: ListedReport = serde_json::from_value(stored.clone()).unwrap();
        let item: serde_dynamo::Item = serde_dynamo::to_item(&listed).unwrap();
        assert_eq!(serde_json::to_value(&listed).unwrap(), stored);
        assert_eq!(serde_dynamo::from_item::<_, Value>(item).unwrap(), stored);
    }

    #[test]
    fn a_pointer_is_stored_as_earlier_releases_stored_it_without_absent_values() {
        let mut stored = json!({
            "tenantName": "Contoso", "reportId": "rpt_2", "serviceTenantId": "ten_1",
            "providerTenantId": "01234567-89ab-cdef-0123-456789abcdef", "tool": "ScubaGear", "reportType": "BASELINE",
            "createdAt": "2026-07-01T07:00:00.000Z", "completedAt": "2026-07-01T08:00:00.000Z",
            "activityLookbackDays": 30, "score": 50, "grade": "F", "controls": {
                "assessed": 6, "secure": 1, "fixed": 2, "inProgress": 3, "open": 0, "drifted": 0, "notAssessed": 4,
            },
            "updatedAt": "2026-07-01T09:00:00.000Z", "revision": 3,
        });
        assert_kept(stored.clone());
        let follow_up = json!({
            "reportType": "FOLLOW_UP", "previousScore": 0, "previousGrade": "D",
            "baseline": { "id": "rpt_1", "score": 0, "completedAt": null },
            "coverage": { "previouslyAssessed": 3, "lost": 1, "reasons": [{ "reason": "MISSING", "controls": 1 }] },
        });
        stored.as_object_mut().unwrap().extend(follow_up.as_object().unwrap().clone());
        assert_kept(stored);
    }
}
