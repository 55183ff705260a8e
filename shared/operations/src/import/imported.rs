//! The result of importing one run.

use assessments::{Issue, LeftOut, Run};
use model::{
    Baseline, Check, ControlId, ControlsRollup, Coverage, Grade, ReportBody, ReportId, ReportType, ServiceTenantId,
    Status, Timestamp,
};
use serde::Serialize;
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
    /// Baseline or follow-up.
    pub report_type: ReportType,
    /// The report that a follow-up compares with.
    pub baseline: Option<Baseline>,
    /// When the run ended.
    pub completed_at: Timestamp,
    /// 0 to 100.
    pub score: u8,
    /// Letter grade for the score.
    pub grade: Grade,
    /// Counts of controls by result.
    pub controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again; `None` for a baseline.
    pub coverage: Option<Coverage>,
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
            report_type: report.report_type,
            baseline: report.baseline.clone(),
            completed_at: report.completed_at,
            score: report.score,
            grade: report.grade,
            controls: report.controls,
            coverage: report.coverage.clone(),
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
