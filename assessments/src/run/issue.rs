//! Issues: parts of a file that could not be used.

use std::fmt;

use model::ControlId;
use serde::Serialize;

/// A part of a file that could not be used. The rest of the file was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// Kind of the issue, for programs.
    pub kind: IssueKind,
    /// The control, if the issue concerns a single one.
    pub control_id: Option<ControlId>,
    /// Description of the issue and its consequence, for people. Contains no personal data.
    pub message: String,
}

impl Issue {
    /// Creates an issue that concerns the whole file.
    pub(crate) fn of_file(kind: IssueKind, message: impl Into<String>) -> Self {
        Self { kind, control_id: None, message: message.into() }
    }

    /// Creates an issue of one control.
    pub(crate) fn of_control(kind: IssueKind, control_id: &ControlId, message: impl Into<String>) -> Self {
        Self { kind, control_id: Some(control_id.clone()), message: message.into() }
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.control_id {
            Some(control) => write!(f, "{control}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Kind of an [`Issue`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum IssueKind {
    /// A row is malformed; it was skipped.
    UnreadableRow,
    /// A field of rows is damaged; the rows were imported without it.
    UnreadableField,
    /// Rows are lost, so the score may be wrong. The first issue of its run.
    RowsLost,
    /// The catalogue lacks the control; it was imported with the category of its family and with the file's own texts.
    UnknownControl,
    /// Controls fit no section of a report; they are listed in [`Run::left_out`](super::Run::left_out) instead.
    OutOfScope,
    /// The result has an unknown meaning; the control was imported as not assessed.
    UnknownResult,
    /// The control occurs more than once; its worst result counts.
    DuplicateControl,
    /// No file describes the controls; they were imported with the texts of their results.
    ProfileMissing,
    /// The control is marked with a word of unknown meaning; its points decide.
    UnknownMark,
    /// The date by which a failing control is to be fixed is malformed; the control was imported as open.
    UnreadableDate,
    /// The files lack a page of a list, so the list is incomplete.
    PageMissing,
    /// The files lack a list that belongs to the others, so its data is unknown.
    CounterpartMissing,
    /// Files that have to be from one tenant name several; they were left out.
    TenantsMixed,
    /// The files contain only a part of a run.
    PartOfRun,
    /// The file does not identify the tenant.
    TenantUnknown,
    /// The file does not say when the run took place, or not in a form that can be read in one way only.
    TimeUnknown,
    /// Holders of the top-privilege role are not people, or not known to be; they are not listed as administrators.
    HoldersNotListed,
    /// The file does not contain the number of top-privilege administrators.
    AdministratorsUnknown,
}
