//! Marks of edits in a report: stored with it, shown in the dashboard, and never part of the API's responses.

use std::fmt;

use model::{Check, ControlId, ReportBody, Timestamp};
use serde::{Deserialize, Serialize};

use super::FoundValues;

/// The last edit of a check or an administrator of a report.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditMark {
    /// The part of the report.
    pub part: EditedPart,
    /// The fields that differ from the tool's results, or differed after an earlier edit.
    pub fields: Vec<EditedField>,
    /// Name of the last editor.
    pub by: String,
    /// When it was edited.
    pub at: Timestamp,
    /// Whether the import applied an edit that was kept from an earlier report, or a text of the organization.
    pub kept: bool,
    /// The text of the organization that the import applied; `None` if no field has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<AppliedText>,
    /// The tool's values of the fields, as far as they are known: release 1.0 did not store them.
    #[serde(default, skip_serializing_if = "FoundValues::is_empty")]
    pub found: FoundValues,
}

/// A text of the organization in a report.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedText {
    /// The fields that have it, among those of the mark.
    pub fields: Vec<EditedField>,
    /// Name of the member who set it.
    pub by: String,
    /// When it was set.
    pub at: Timestamp,
}

/// A part of a report that can be edited.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EditedPart {
    /// The check of a control.
    Check(ControlId),
    /// The administrator with a sign-in name.
    Administrator(String),
    /// A part that this release does not know, as a later one wrote it.
    #[serde(untagged)]
    Unknown(serde_json::Value),
}

/// A field that can be edited. An administrator has only the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EditedField {
    /// State.
    Status,
    /// Severity.
    Severity,
    /// The current configuration.
    CurrentState,
    /// Why the control matters.
    Why,
    /// The recommended change.
    SuggestedFix,
    /// The accepted risk.
    AcceptedRisk,
    /// A field that this release does not know, edited by a later one.
    #[serde(other)]
    Unknown,
}

impl EditMark {
    /// Returns the fields that people edited: those without a text of the organization.
    pub fn edited(&self) -> impl Iterator<Item = EditedField> {
        let of_text = self.text.as_ref().map_or(&[][..], |text| &text.fields);
        self.fields.iter().copied().filter(|field| !of_text.contains(field))
    }

    /// Takes fields out of the text of the organization.
    fn take_from_text(&mut self, fields: &[EditedField]) {
        if let Some(text) = &mut self.text {
            text.fields.retain(|field| !fields.contains(field));
        }
        self.text.take_if(|text| text.fields.is_empty());
    }
}

/// Adds the changes of an edit to the marks of a report.
pub(super) fn mark(marks: &mut Vec<EditMark>, (before, after): (&ReportBody, &ReportBody), by: &str, at: Timestamp) {
    for (before, after) in before.checks.iter().zip(&after.checks) {
        let part = EditedPart::Check(after.control_id.clone());
        add(marks, part, &fields(before, after), |found, field| found.add(before, field), (by, at));
    }
    for (before, after) in before.global_admins.admins.iter().zip(&after.global_admins.admins) {
        let fields: &[_] = if before.status == after.status { &[] } else { &[EditedField::Status] };
        let part = EditedPart::Administrator(after.user_principal_name.clone());
        add(marks, part, fields, |_, _| {}, (by, at));
    }
}

/// Removes fields of a check from the marks: they have the tool's values again. So has an accepted risk that has ended.
pub(super) fn unmark(marks: &mut Vec<EditMark>, check: &Check, fields: &[EditedField]) {
    let part = EditedPart::Check(check.control_id.clone());
    let ended = check.accepted_risk.is_none().then_some(EditedField::AcceptedRisk);
    let fields: Vec<_> = fields.iter().copied().chain(ended).collect();
    for mark in marks.iter_mut().filter(|mark| mark.part == part) {
        mark.take_from_text(&fields);
        mark.fields.retain(|field| !fields.contains(field));
        fields.iter().for_each(|field| mark.found.forget(*field));
    }
    marks.retain(|mark| !mark.fields.is_empty());
}

fn fields(before: &Check, after: &Check) -> Vec<EditedField> {
    let differing = [
        (EditedField::Status, before.status != after.status),
        (EditedField::Severity, before.severity != after.severity),
        (EditedField::CurrentState, before.current_state != after.current_state),
        (EditedField::Why, before.why != after.why),
        (EditedField::SuggestedFix, before.suggested_fix != after.suggested_fix),
        (EditedField::AcceptedRisk, before.accepted_risk != after.accepted_risk),
    ];
    differing.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field).collect()
}

/// Adds fields to the mark of a part. `find` adds the tool's value of a field that was not edited before.
fn add(
    marks: &mut Vec<EditMark>,
    part: EditedPart,
    fields: &[EditedField],
    find: impl Fn(&mut FoundValues, EditedField),
    (by, at): (&str, Timestamp),
) {
    if fields.is_empty() {
        return;
    }
    let earlier = marks.iter().position(|mark| mark.part == part).map(|place| marks.remove(place));
    let (by, found) = (by.to_owned(), FoundValues::default());
    let mut mark = match earlier {
        Some(earlier) => EditMark { by, at, kept: false, ..earlier },
        None => EditMark { part, fields: Vec::new(), by, at, kept: false, text: None, found },
    };
    mark.take_from_text(fields);
    fields.iter().filter(|field| !mark.fields.contains(field)).for_each(|field| find(&mut mark.found, *field));
    mark.fields.extend(fields);
    mark.fields.sort_unstable();
    mark.fields.dedup_by(|field, other| field == other && *field != EditedField::Unknown);
    marks.push(mark);
}

impl fmt::Debug for EditMark {
    /// Leaves out names, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditMark").field("fields", &self.fields).field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl fmt::Debug for AppliedText {
    /// Leaves out the name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppliedText").field("fields", &self.fields).finish_non_exhaustive()
    }
}
