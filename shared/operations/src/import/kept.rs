//! Applies kept edits and the organization's texts to a new report.

use std::collections::BTreeMap;

use model::{AcceptedRisk, Check, Choice, ControlId, ReportBody, ReportFigures, ReportType, Status};
use store::{
    AppliedEdits, AppliedText, ControlText, EditMark, EditedField, EditedPart, EndedEdit, FoundValues, KeptEdit,
    KeptValues,
};

use crate::edits::is_comparison;

/// Applies kept edits to a new report, then the organization's texts for its tool, and returns the effect of both.
pub(super) fn apply(
    body: &mut ReportBody,
    revisions: &BTreeMap<ControlId, u32>,
    kept: Vec<KeptEdit>,
    texts: Vec<ControlText>,
) -> AppliedEdits {
    let mut applied = apply_kept(body, revisions, kept);
    for text in texts {
        if let Some(check) = body.checks.iter_mut().find(|check| check.control_id == text.control_id) {
            apply_text(check, text, &mut applied.marks);
        }
    }
    applied
}

/// Applies kept edits to the report of a later run, and returns their effect.
///
/// A kept status and an accepted risk apply only while the run finds the control failing. Once a run finds it secure, they
/// end, so a later failure is not hidden; an accepted risk also ends on its day. If no control would remain to score, no edit is applied.
fn apply_kept(body: &mut ReportBody, revisions: &BTreeMap<ControlId, u32>, kept: Vec<KeptEdit>) -> AppliedEdits {
    let mut edited = body.clone();
    let mut applied = AppliedEdits::default();
    for kept in kept.into_iter().filter(|kept| kept.since < body.figures.completed_at) {
        let revision = |check: &Check| revisions.get(&check.control_id).copied().unwrap_or(1);
        let mut checks = edited.checks.iter_mut();
        let check = checks.find(|check| check.control_id == kept.control_id && revision(check) == kept.revision);
        let Some(check) = check else { continue };
        let rest = rest(check, &kept.values, &body.figures);
        let found = check.clone();
        let fields = apply_to(check, &kept, &body.figures);
        if !fields.is_empty() {
            let part = EditedPart::Check(kept.control_id.clone());
            let found = FoundValues::of(&found, &fields);
            let (by, at) = (kept.by.clone(), kept.at);
            applied.marks.push(EditMark { part, fields, by, at, kept: true, text: None, found });
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

/// Sets the fields of a check to the organization's text that no kept edit has set, and marks them. A field with the
/// same text already does not change.
fn apply_text(check: &mut Check, text: ControlText, marks: &mut Vec<EditMark>) {
    let ControlText { control_id, texts, by, at, .. } = text;
    let part = EditedPart::Check(control_id);
    let earlier = marks.iter().position(|mark| mark.part == part).map(|place| marks.remove(place));
    let is_kept = |field| earlier.as_ref().is_some_and(|mark| mark.fields.contains(&field));
    let (before, mut fields) = (check.clone(), Vec::new());
    for (field, value, text) in [
        (EditedField::Why, &mut check.why, texts.why),
        (EditedField::SuggestedFix, &mut check.suggested_fix, texts.suggested_fix),
    ] {
        if text.is_some() && text != *value && !is_kept(field) {
            *value = text;
            fields.push(field);
        }
    }
    if fields.is_empty() {
        marks.extend(earlier);
        return;
    }
    let (found, new_by) = (FoundValues::default(), by.clone());
    let new = || EditMark { part, fields: Vec::new(), by: new_by, at, kept: true, text: None, found };
    let mut mark = earlier.unwrap_or_else(new);
    fields.iter().for_each(|field| mark.found.add(&before, *field));
    mark.fields.extend(&fields);
    mark.text = Some(AppliedText { fields, by, at });
    marks.push(mark);
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
