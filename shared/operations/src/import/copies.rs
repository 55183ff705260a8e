//! Copies of a run that already has a report: a table that was cut off, a folder without its exports.

use std::collections::HashSet;

use assessments::Run;
use model::{GlobalAdmins, ReportBody};
use store::{EditMark, EditedField, EditedPart, FoundValues, RunContent, StoredReport};

use super::error::ImportError;

/// A copy of a run, in comparison with the run's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copy {
    /// The report has everything that the copy contains.
    Same,
    /// The copy contains more or other results, or exports that the report lacks.
    Replacing,
}

/// Returns the content of a run, as it is stored with its report.
pub(super) fn content_of(run: &Run) -> RunContent {
    let assessments::RunContent { rows, digest } = run.content();
    RunContent { rows, digest }
}

/// Compares a copy of a run with the run's report.
///
/// # Errors
/// If the copy is smaller: its report would hide controls that are known.
pub(super) fn compare(report: &StoredReport, body: &ReportBody, run: &Run) -> Result<Copy, ImportError> {
    let now = content_of(run);
    let controls = (run.findings.len(), body.checks.len());
    let (rows, is_other) = match &report.content {
        Some(then) => ((now.rows, then.rows), *then != now),
        // An earlier version of the service added the report, so only its controls are known.
        None => ((0, 0), controls.0 != controls.1),
    };
    if is_other && (rows.0, controls.0) < (rows.1, controls.1) {
        return Err(ImportError::SmallerCopy { report: report.summary.report_id.clone(), rows, controls });
    }
    let has_more = is_other || adds_exports(body, run);
    Ok(if has_more { Copy::Replacing } else { Copy::Same })
}

/// Returns whether the copy comes with exports of the directory that the report lacks.
fn adds_exports(body: &ReportBody, run: &Run) -> bool {
    let (known, admins) = (&body.global_admins, &run.admins);
    let adds_administrators =
        known.admins.is_empty() && !admins.admins.is_empty() || !known.data_complete && admins.complete;
    let observed = run.findings.iter().map(|finding| &finding.check).filter(|check| check.observed_usage.is_some());
    let observed: HashSet<_> = observed.map(|check| &check.control_id).collect();
    adds_administrators
        || body.checks.iter().any(|check| check.observed_usage.is_none() && observed.contains(&check.control_id))
}

/// Keeps what a report knows from exports of the directory if its replacement comes without them.
pub(super) fn keep_exports(before: &ReportBody, after: &mut ReportBody) {
    let known = |review: &GlobalAdmins| (review.data_complete, review.admins.len());
    if known(&before.global_admins) > known(&after.global_admins) {
        after.global_admins.clone_from(&before.global_admins);
    }
    for check in after.checks.iter_mut().filter(|check| check.observed_usage.is_none()) {
        let known = before.checks.iter().find(|known| known.control_id == check.control_id);
        check.observed_usage = known.and_then(|known| known.observed_usage.clone());
    }
}

/// Applies the edits of a report to its replacement, and returns the marks of those that still have their part.
pub(super) fn keep_edits(before: &ReportBody, marks: &[EditMark], after: &mut ReportBody) -> Vec<EditMark> {
    let kept = marks.iter().filter_map(|mark| keep_edit(before, mark, after)).collect();
    // An edit that leaves nothing to score was refused when it was made.
    let _ = assessments::rescore(after);
    kept
}

fn keep_edit(before: &ReportBody, mark: &EditMark, after: &mut ReportBody) -> Option<EditMark> {
    let mut kept = mark.clone();
    match &mark.part {
        EditedPart::Check(control) => {
            let edited = before.checks.iter().find(|check| check.control_id == *control)?;
            let check = after.checks.iter_mut().find(|check| check.control_id == *control)?;
            kept.found = FoundValues::of(check, &mark.fields);
            for field in &mark.fields {
                match field {
                    EditedField::Status => {
                        check.status = edited.status;
                        check.previous_state.clone_from(&edited.previous_state);
                    }
                    EditedField::Severity => check.severity = edited.severity,
                    EditedField::CurrentState => check.current_state.clone_from(&edited.current_state),
                    EditedField::Why => check.why.clone_from(&edited.why),
                    EditedField::SuggestedFix => check.suggested_fix.clone_from(&edited.suggested_fix),
                    EditedField::AcceptedRisk => {
                        check.accepted_risk = edited.accepted_risk.clone().filter(|_| check.status.is_failing());
                    }
                    // A later version of the service edited it.
                    EditedField::Unknown => return None,
                }
            }
        }
        EditedPart::Administrator(name) => {
            let edited = before.global_admins.admins.iter().find(|admin| admin.user_principal_name == *name)?;
            let admin = after.global_admins.admins.iter_mut().find(|admin| admin.user_principal_name == *name)?;
            admin.status = edited.status;
        }
        // A later version of the service wrote it.
        EditedPart::Unknown(_) => return None,
    }
    Some(kept)
}
