//! Marks of edits in a report: stored with it, shown in the dashboard, and never part of the API's responses.

use std::fmt;

use model::{Check, ControlId, ReportBody, Timestamp};
use serde::{Deserialize, Serialize};

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
    /// Whether the import applied an edit that was kept from an earlier report.
    pub kept: bool,
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

/// Adds the changes of an edit to the marks of a report.
pub(super) fn mark(marks: &mut Vec<EditMark>, (before, after): (&ReportBody, &ReportBody), by: &str, at: Timestamp) {
    for (before, after) in before.checks.iter().zip(&after.checks) {
        add(marks, EditedPart::Check(after.control_id.clone()), &fields(before, after), by, at);
    }
    for (before, after) in before.global_admins.admins.iter().zip(&after.global_admins.admins) {
        let fields: &[_] = if before.status == after.status { &[] } else { &[EditedField::Status] };
        add(marks, EditedPart::Administrator(after.user_principal_name.clone()), fields, by, at);
    }
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

fn add(marks: &mut Vec<EditMark>, part: EditedPart, fields: &[EditedField], by: &str, at: Timestamp) {
    if fields.is_empty() {
        return;
    }
    let earlier = marks.iter().position(|mark| mark.part == part).map(|place| marks.remove(place).fields);
    let mut fields: Vec<_> = earlier.into_iter().flatten().chain(fields.iter().copied()).collect();
    fields.sort_unstable();
    fields.dedup_by(|field, other| field == other && *field != EditedField::Unknown);
    marks.push(EditMark { part, fields, by: by.to_owned(), at, kept: false });
}

impl fmt::Debug for EditMark {
    /// Leaves out names, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditMark").field("fields", &self.fields).field("kept", &self.kept).finish_non_exhaustive()
    }
}
