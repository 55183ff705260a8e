//! Summaries of reports.

use std::fmt;

use model::{
    Baseline, ControlsRollup, Coverage, Grade, ProviderTenantId, ReportBody, ReportFigures, ReportId, ReportType,
    ServiceTenantId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::place::{Place, ReportPosition};
use super::shared::BodyDigest;

/// A report without its checks, risks and administrators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Flat", into = "Flat")]
pub struct ReportSummary {
    /// Identifier.
    pub report_id: ReportId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The tenant's identifier at the provider.
    pub provider_tenant_id: ProviderTenantId,
    /// The tool whose results the report contains.
    pub tool: String,
    /// Type, times, score and counts.
    pub figures: ReportFigures,
    /// When the report was imported or last edited.
    pub updated_at: Timestamp,
    /// 0 for a report as imported; incremented by every edit.
    pub revision: u64,
    /// The part of the body that equal reports share, if the report's own item has only the beginning.
    pub shared_body: Option<BodyDigest>,
}

/// A summary as stored: without absent values, and flat, because a flattened field takes longer to read, once for
/// each report of a list.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Flat {
    report_id: ReportId,
    service_tenant_id: ServiceTenantId,
    provider_tenant_id: ProviderTenantId,
    tool: String,
    report_type: ReportType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<Baseline>,
    created_at: Timestamp,
    completed_at: Timestamp,
    activity_lookback_days: u32,
    score: u8,
    grade: Grade,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous_score: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous_grade: Option<Grade>,
    controls: ControlsRollup,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
    updated_at: Timestamp,
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shared_body: Option<BodyDigest>,
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

impl ReportSummary {
    /// Returns the summary of the same report after an edit of its body.
    pub(crate) fn edited(&self, body: &ReportBody, updated_at: Timestamp) -> Self {
        // The position of a report depends on its completion, which an edit does not change.
        let figures = ReportFigures { completed_at: self.figures.completed_at, ..body.figures.clone() };
        Self { figures, updated_at, revision: self.revision + 1, shared_body: None, ..self.clone() }
    }

    /// Returns a text that changes whenever the report does: after an edit, and after a deletion and another import.
    pub fn state(&self) -> String {
        format!("{} {} {}", self.report_id, self.revision, self.updated_at)
    }

    /// Returns the values that change with every edit, and with a deletion that is followed by another import.
    pub(super) fn version(&self) -> (u64, Timestamp) {
        (self.revision, self.updated_at)
    }

    pub(crate) fn position(&self) -> ReportPosition {
        ReportPosition { completed_at: self.figures.completed_at, report_id: self.report_id.clone() }
    }

    pub(crate) fn place(&self) -> Place {
        Place {
            service_tenant_id: self.service_tenant_id.clone(),
            completed_at: self.figures.completed_at,
            report_id: self.report_id.clone(),
        }
    }
}

impl From<Flat> for ReportSummary {
    fn from(flat: Flat) -> Self {
        Self {
            report_id: flat.report_id,
            service_tenant_id: flat.service_tenant_id,
            provider_tenant_id: flat.provider_tenant_id,
            tool: flat.tool,
            figures: ReportFigures {
                report_type: flat.report_type,
                baseline: flat.baseline,
                created_at: flat.created_at,
                completed_at: flat.completed_at,
                activity_lookback_days: flat.activity_lookback_days,
                score: flat.score,
                grade: flat.grade,
                previous_score: flat.previous_score,
                previous_grade: flat.previous_grade,
                controls: flat.controls,
                coverage: flat.coverage,
            },
            updated_at: flat.updated_at,
            revision: flat.revision,
            shared_body: flat.shared_body,
        }
    }
}

impl From<ReportSummary> for Flat {
    fn from(summary: ReportSummary) -> Self {
        let figures = summary.figures;
        Self {
            report_id: summary.report_id,
            service_tenant_id: summary.service_tenant_id,
            provider_tenant_id: summary.provider_tenant_id,
            tool: summary.tool,
            report_type: figures.report_type,
            baseline: figures.baseline,
            created_at: figures.created_at,
            completed_at: figures.completed_at,
            activity_lookback_days: figures.activity_lookback_days,
            score: figures.score,
            grade: figures.grade,
            previous_score: figures.previous_score,
            previous_grade: figures.previous_grade,
            controls: figures.controls,
            coverage: figures.coverage,
            updated_at: summary.updated_at,
            revision: summary.revision,
            shared_body: summary.shared_body,
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
