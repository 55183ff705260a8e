//! The result of a control in one row of a file.

use model::{NotAssessedReason, ProposedRisk, Severity, Status};

use crate::catalogue::RevisedControl;

/// One row of a file: the result of a control, for one resource or as a whole.
pub(crate) struct ControlResult<T> {
    /// The control.
    pub(crate) control: RevisedControl,
    /// The outcome, or the tool's own word for the result if its meaning is unknown. The word is empty if the row has
    /// no readable result.
    pub(crate) outcome: Result<Outcome, String>,
    /// The state that the tool found.
    pub(crate) state: String,
    /// The tool's texts about the control, as in the file. If the rows of a control disagree, the greatest value wins,
    /// so row order does not matter.
    pub(crate) texts: T,
    /// Names of the damaged fields, without which the result was read.
    pub(crate) damaged: Vec<&'static str>,
}

/// Outcome of a row, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Passed,
    NotAssessed(NotAssessedReason),
    InProgress,
    Failed,
}

impl Outcome {
    /// Returns the same outcome for every reason.
    pub(super) fn without_reason(self) -> Self {
        if let Self::NotAssessed(_) = self { Self::NotAssessed(NotAssessedReason::Missing) } else { self }
    }

    /// Returns why the control was not assessed, unless it was.
    pub(super) fn reason(self) -> Option<NotAssessedReason> {
        if let Self::NotAssessed(reason) = self { Some(reason) } else { None }
    }

    /// Returns the status of a control with this outcome.
    pub(super) fn status(self) -> Status {
        match self {
            Self::Passed => Status::Secure,
            Self::NotAssessed(_) => Status::NotAssessed,
            Self::InProgress => Status::InProgress,
            Self::Failed => Status::Open,
        }
    }

    /// Returns the number of rows with this outcome as text.
    pub(super) fn count(self, rows: usize) -> String {
        match self {
            Self::Passed => format!("{rows} passed"),
            Self::NotAssessed(_) => format!("{rows} not assessed"),
            Self::InProgress => format!("{rows} in progress"),
            Self::Failed => format!("{rows} failed"),
        }
    }

    /// Returns the state of a control for which the tool writes none.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::Passed => "The requirement is met.",
            Self::NotAssessed(_) => "The control was not evaluated.",
            Self::InProgress | Self::Failed => "The requirement is not met.",
        }
    }
}

/// A tool's texts about a control, as in the file.
pub(crate) trait Describe: Ord {
    /// Returns the texts as plain text.
    fn describe(self) -> Description;
}

/// A tool's description of a control, in plain text.
#[derive(Default)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) severity: Option<Severity>,
    /// The tool's own group of the control.
    pub(crate) group: Option<String>,
    /// The reason why the control matters, if the tool gives one.
    pub(crate) why: Option<String>,
    /// Other text about the control. It serves as the reason if neither the tool nor the catalogue gives one.
    pub(crate) summary: Option<String>,
    pub(crate) suggested_fix: Option<String>,
    /// A reason and a date for which the risk could be accepted.
    pub(crate) proposed_risk: Option<ProposedRisk>,
}
