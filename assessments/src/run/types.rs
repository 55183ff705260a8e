//! A run of a tool and its parts.

use std::fmt;

use model::{Check, ControlId, MfaEnforcement, MfaMethod, NotAssessedReason, ProviderTenantId, Timestamp};
use serde::Serialize;

use super::issue::{Issue, IssueKind};
use super::tool::Tool;

/// One run of a tool against one tenant.
#[derive(Clone, PartialEq)]
pub struct Run {
    /// The tool.
    pub tool: Tool,
    /// Version of the tool, if the file contains one.
    pub tool_version: Option<String>,
    /// The assessed tenant, if the file identifies it.
    pub tenant: Option<ProviderTenantId>,
    /// Identifier of the run. Reading the same file again results in the same identifier.
    pub run_id: String,
    /// Start of the run, if the file contains it.
    pub started: Option<Timestamp>,
    /// End of the run, if the file contains it.
    pub completed: Option<Timestamp>,
    /// Days of activity that the tool assessed, if the file contains them.
    pub lookback_days: Option<u32>,
    /// Whether the file contains only a part of the run, such as the controls of one product.
    pub is_part: bool,
    /// Number of rows with results, and how many of them are lost.
    pub rows: RowCount,
    /// One finding per control, in natural order of their ids.
    pub findings: Vec<Finding>,
    /// Controls that fit no section of a report, in natural order of their ids.
    pub left_out: Vec<LeftOut>,
    /// The top-privilege administrators.
    pub admins: AdminReview,
    /// Parts of the file that could not be used.
    pub issues: Vec<Issue>,
}

impl Run {
    /// Forgets the times of a run if it ended after a moment: such a time is wrong.
    pub fn forget_time_after(&mut self, moment: Timestamp) {
        if self.completed.is_some_and(|end| end > moment) {
            (self.started, self.completed) = (None, None);
            let message = "the time of the run in the file is in the future";
            self.issues.push(Issue::of_file(IssueKind::TimeUnknown, message));
        }
    }

    /// Counts rows of the file that are lost and may be of this run, and reports them first.
    pub(crate) fn add_lost_rows(&mut self, rows: usize) {
        self.rows.total += rows;
        self.rows.lost += rows;
        self.issues.retain(|issue| issue.kind != IssueKind::RowsLost);
        let RowCount { total, lost, .. } = self.rows;
        if lost > 0 {
            let message = format!("lost {lost} of {total} rows, so the score may be too high or too low");
            self.issues.insert(0, Issue::of_file(IssueKind::RowsLost, message));
        }
    }

    /// Replaces the review of the administrators that comes from the tool's own file.
    pub(crate) fn set_admins(&mut self, admins: AdminReview) {
        self.admins = admins;
        self.issues.retain(|issue| issue.kind != IssueKind::AdministratorsUnknown);
    }
}

impl fmt::Debug for Run {
    /// Leaves out the findings, which can name people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("tool", &self.tool)
            .field("tool_version", &self.tool_version)
            .field("findings", &self.findings.len())
            .field("issues", &self.issues)
            .finish_non_exhaustive()
    }
}

/// Number of rows of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowCount {
    /// Rows with results, including those that are lost.
    pub total: usize,
    /// Rows that are malformed or have no known result.
    pub lost: usize,
    /// Those of the lost rows that have a result of unknown meaning.
    pub not_understood: usize,
}

/// The runs of one file, and issues that concern none of them.
#[derive(Default)]
pub(crate) struct FileRuns {
    pub(crate) runs: Vec<Run>,
    pub(crate) issues: Vec<Issue>,
}

/// The result of one control, from the run alone.
#[derive(Clone, PartialEq)]
pub struct Finding {
    /// The control as a report shows it. Never fixed or drifted, and without a previous state.
    pub check: Check,
    /// Revision of the control's meaning; 1 if the tool has no revisions. Results of different revisions are not
    /// compared.
    pub revision: u32,
    /// Why the control was not assessed, unless it was.
    pub reason: Option<NotAssessedReason>,
}

/// A control that the tool assessed and that fits no section of a report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The control.
    pub control_id: ControlId,
    /// Name of the control.
    pub name: String,
    /// Subject of the control, worded to follow "controls about".
    pub reason: String,
}

/// Review of the top-privilege administrators.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdminReview {
    /// Number of administrators; `None` if the file does not contain it.
    pub count: Option<u32>,
    /// Whether `admins` lists all of them.
    pub complete: bool,
    /// The administrators that the file lists.
    pub admins: Vec<Administrator>,
}

/// One top-privilege administrator.
#[derive(Clone, PartialEq)]
pub struct Administrator {
    /// Sign-in name.
    pub user_principal_name: String,
    /// How MFA is enforced.
    pub mfa_enforcement: MfaEnforcement,
    /// Strongest registered method.
    pub mfa_method: MfaMethod,
    /// Days since the last password change.
    pub password_age_days: Option<u32>,
    /// Number of failed sign-ins within the lookback window.
    pub failed_sign_ins: u32,
}

impl fmt::Debug for Administrator {
    /// Leaves out the sign-in name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Administrator").field("mfa_method", &self.mfa_method).finish_non_exhaustive()
    }
}
