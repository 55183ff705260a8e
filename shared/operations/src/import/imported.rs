//! The result of importing one run.

use assessments::{Issue, LeftOut, Run};
use model::{
    Baseline, Check, ControlId, ControlsRollup, Coverage, Grade, ReportBody, ReportFigures, ReportId, ReportType,
    ServiceTenantId, Status, Timestamp,
};
use serde::{Serialize, Serializer};
use store::TenantRecord;

/// A run that has a report, or would have one without the dry run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// The outcome.
    pub outcome: Outcome,
    /// Its identifier.
    pub report_id: ReportId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// Name of the tool.
    pub tool: String,
    /// Version of the tool, if the file has it.
    pub tool_version: Option<String>,
    /// Type, times, score and counts.
    #[serde(flatten, serialize_with = "main_figures")]
    pub figures: ReportFigures,
    /// Controls that were insecure at the baseline and are secure now.
    pub fixed: Vec<ControlId>,
    /// Controls that were secure at the baseline and are insecure now.
    pub drifted: Vec<ControlId>,
    /// Parts of the file that could not be used.
    pub issues: Vec<Issue>,
    /// Controls that fit no section of a report.
    pub left_out: Vec<LeftOut>,
}

/// The outcome of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// It was added.
    Added,
    /// It already existed and did not change. The figures are those of the existing report.
    AlreadyThere,
    /// It replaced the report of another copy of the same run.
    Replaced,
    /// It would be added; a dry run changes nothing.
    WouldBeAdded,
    /// It would replace a report.
    WouldBeReplaced,
}

impl Imported {
    pub(crate) fn new(outcome: Outcome, tenant: &TenantRecord, id: ReportId, report: &ReportBody, run: &Run) -> Self {
        Self {
            outcome,
            report_id: id,
            service_tenant_id: tenant.service_tenant_id.clone(),
            tool: run.tool.to_string(),
            tool_version: run.tool_version.clone(),
            figures: report.figures.clone(),
            fixed: with_status(&report.checks, Status::Fixed),
            drifted: with_status(&report.checks, Status::Drifted),
            issues: run.issues.clone(),
            left_out: run.left_out.clone(),
        }
    }
}

fn with_status(checks: &[Check], status: Status) -> Vec<ControlId> {
    checks.iter().filter(|check| check.status == status).map(|check| check.control_id.clone()).collect()
}

/// Writes the figures that the result of an import contains.
fn main_figures<S: Serializer>(figures: &ReportFigures, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Written<'a> {
        report_type: ReportType,
        baseline: &'a Option<Baseline>,
        completed_at: Timestamp,
        score: u8,
        grade: Grade,
        controls: ControlsRollup,
        coverage: &'a Option<Coverage>,
    }
    let ReportFigures { report_type, baseline, completed_at, score, grade, controls, coverage, .. } = figures;
    let written = Written {
        report_type: *report_type,
        baseline,
        completed_at: *completed_at,
        score: *score,
        grade: *grade,
        controls: *controls,
        coverage,
    };
    written.serialize(serializer)
}
