//! Applies kept edits to a new report.

use std::collections::BTreeMap;

use model::{Check, Choice, ControlId, ReportBody, ReportType, Status};
use store::{AppliedEdits, EditMark, EditedField, EditedPart, KeptEdit};

use crate::edits::is_comparison;

/// Applies kept edits to the report of a later run, and returns their effect.
///
/// A kept status applies only while the run finds the control failing. Once a run finds it secure, the status ends, so
/// a later failure is not hidden. If no control would remain to score, no edit is applied.
pub(super) fn apply(body: &mut ReportBody, revisions: &BTreeMap<ControlId, u32>, kept: Vec<KeptEdit>) -> AppliedEdits {
    let mut edited = body.clone();
    let mut applied = AppliedEdits::default();
    for kept in kept.into_iter().filter(|kept| kept.since < body.figures.completed_at) {
        let revision = |check: &Check| revisions.get(&check.control_id).copied().unwrap_or(1);
        let mut checks = edited.checks.iter_mut();
        let check = checks.find(|check| check.control_id == kept.control_id && revision(check) == kept.revision);
        let Some(check) = check else { continue };
        let is_over = kept.values.status.is_some_and(Choice::is_known) && check.status.is_secure();
        let fields = apply_to(check, &kept, body.figures.report_type);
        if !fields.is_empty() {
            let part = EditedPart::Check(kept.control_id.clone());
            let by = kept.by.clone();
            let at = kept.at;
            applied.marks.push(EditMark { part, fields, by, at, kept: true });
        }
        if is_over {
            applied.ended.push(kept);
        }
    }
    if applied.marks.is_empty() {
        return applied;
    }
    match assessments::rescore(&mut edited) {
        Ok(()) => {
            *body = edited;
            applied
        }
        Err(_) => AppliedEdits::default(),
    }
}

/// Applies a kept edit to its check, and returns the fields that it sets.
fn apply_to(check: &mut Check, kept: &KeptEdit, kind: ReportType) -> Vec<EditedField> {
    let mut fields = Vec::new();
    let is_failing = check.status.is_assessed() && !check.status.is_secure();
    let fits = |status: Status| status.is_known() && (kind == ReportType::FollowUp || !is_comparison(status));
    if let Some(status) = kept.values.status.filter(|status| is_failing && fits(*status)) {
        check.status = status;
        check.previous_state = check.previous_state.take().filter(|_| is_comparison(status));
        fields.push(EditedField::Status);
    }
    // A value that this release does not know is left to the release that does.
    if let Some(severity) = kept.values.severity.filter(|severity| severity.is_none_or(Choice::is_known)) {
        check.severity = severity;
        fields.push(EditedField::Severity);
    }
    if let Some(why) = &kept.values.why {
        check.why.clone_from(why);
        fields.push(EditedField::Why);
    }
    if let Some(fix) = &kept.values.suggested_fix {
        check.suggested_fix.clone_from(fix);
        fields.push(EditedField::SuggestedFix);
    }
    fields
}
