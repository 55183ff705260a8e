//! Applies kept edits to a new report.

use std::collections::BTreeMap;

use model::{AcceptedRisk, Check, Choice, ControlId, ReportBody, ReportFigures, ReportType, Status};
use store::{AppliedEdits, EditMark, EditedField, EditedPart, EndedEdit, KeptEdit, KeptValues};

use crate::edits::is_comparison;

/// Applies kept edits to the report of a later run, and returns their effect.
///
/// A kept status and an accepted risk apply only while the run finds the control failing. Once a run finds it secure, they
/// end, so a later failure is not hidden; an accepted risk also ends on its day. If no control would remain to score, no edit is applied.
pub(super) fn apply(body: &mut ReportBody, revisions: &BTreeMap<ControlId, u32>, kept: Vec<KeptEdit>) -> AppliedEdits {
    let mut edited = body.clone();
    let mut applied = AppliedEdits::default();
    for kept in kept.into_iter().filter(|kept| kept.since < body.figures.completed_at) {
        let revision = |check: &Check| revisions.get(&check.control_id).copied().unwrap_or(1);
        let mut checks = edited.checks.iter_mut();
        let check = checks.find(|check| check.control_id == kept.control_id && revision(check) == kept.revision);
        let Some(check) = check else { continue };
        let rest = rest(check, &kept.values, &body.figures);
        let fields = apply_to(check, &kept, &body.figures);
        if !fields.is_empty() {
            let part = EditedPart::Check(kept.control_id.clone());
            let by = kept.by.clone();
            let at = kept.at;
            applied.marks.push(EditMark { part, fields, by, at, kept: true });
        }
        if rest != kept.values {
            applied.ended.push(EndedEdit { kept, rest });
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

/// Returns the values that are still kept after a run with this result.
fn rest(found: &Check, kept: &KeptValues, figures: &ReportFigures) -> KeptValues {
    let is_secure = found.status.is_secure();
    let stays = |risk: &AcceptedRisk| !is_secure && !risk.is_over(figures.completed_at);
    KeptValues {
        status: kept.status.filter(|status| !(is_secure && status.is_known())),
        accepted_risk: kept.accepted_risk.clone().filter(stays),
        ..kept.clone()
    }
}

/// Applies a kept edit to its check, and returns the fields that it sets.
fn apply_to(check: &mut Check, kept: &KeptEdit, figures: &ReportFigures) -> Vec<EditedField> {
    let mut fields = Vec::new();
    let is_follow_up = figures.report_type == ReportType::FollowUp;
    let fits = |status: Status| status.is_known() && (is_follow_up || !is_comparison(status));
    if let Some(status) = kept.values.status.filter(|status| check.status.is_failing() && fits(*status)) {
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
    let accepted = kept.values.accepted_risk.as_ref();
    if let Some(risk) = accepted.filter(|risk| check.status.is_failing() && !risk.is_over(figures.completed_at)) {
        check.accepted_risk = Some(risk.clone());
        fields.push(EditedField::AcceptedRisk);
    }
    fields
}
