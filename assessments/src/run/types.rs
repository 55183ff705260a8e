//! What a tool's file says, in terms that no longer depend on the tool.

use std::fmt;

use model::{Check, ControlId, MfaEnforcement, MfaMethod, ProviderTenantId, Timestamp};
use serde::{Deserialize, Serialize};

/// A tool whose results are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tool {
    /// Tests of a community and of the large benchmarks.
    Maester,
    /// Checks of many providers, the suite's among them.
    Prowler,
    /// CISA's baselines for the suite.
    ScubaGear,
    /// The suite provider's daily score.
    SecureScore,
    /// The suite provider's own assessment.
    ZeroTrustAssessment,
}

impl Tool {
    /// The most top-privilege administrators that the tool's own rule allows.
    pub(crate) fn best_practice_max_admins(self) -> u32 {
        match self {
            // MS.AAD.7.1: two to eight.
            Self::ScubaGear => 8,
            Self::Maester | Self::Prowler | Self::SecureScore | Self::ZeroTrustAssessment => 4,
        }
    }
}

impl fmt::Display for Tool {
    /// The tool's name, as it spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Maester => "Maester",
            Self::Prowler => "Prowler",
            Self::ScubaGear => "ScubaGear",
            Self::SecureScore => "Microsoft Secure Score",
            Self::ZeroTrustAssessment => "Zero Trust Assessment",
        })
    }
}

/// One run of a tool against one tenant.
#[derive(Clone, PartialEq)]
pub struct Run {
    /// The tool.
    pub tool: Tool,
    /// Its version, where the file tells one.
    pub tool_version: Option<String>,
    /// The assessed tenant, where the file names it.
    pub tenant: Option<ProviderTenantId>,
    /// What tells this run from every other: reading the same file again gives the same text.
    pub run_id: String,
    /// When the run began, where the file tells it.
    pub started: Option<Timestamp>,
    /// When the run ended, where the file tells it.
    pub completed: Option<Timestamp>,
    /// Window of activity that the tool looked at, in days, where the file tells it.
    pub lookback_days: Option<u32>,
    /// One finding per control, in natural order of the ids.
    pub findings: Vec<Finding>,
    /// Controls that fit no section of a report, in natural order of the ids.
    pub left_out: Vec<LeftOut>,
    /// The top-privilege administrators.
    pub admins: AdminReview,
    /// What could not be taken as it stood.
    pub issues: Vec<Issue>,
}

impl Run {
    /// Puts another review of the administrators in place of what the tool's own file says of them.
    pub(crate) fn set_admins(&mut self, admins: AdminReview) {
        self.admins = admins;
        self.issues.retain(|issue| issue.kind != IssueKind::AdministratorsUnknown);
    }
}

impl fmt::Debug for Run {
    /// Findings are left out: they can name people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("tool", &self.tool)
            .field("tool_version", &self.tool_version)
            .field("findings", &self.findings.len())
            .field("issues", &self.issues)
            .finish_non_exhaustive()
    }
}

/// The result of one control, as the run alone tells it.
#[derive(Clone, PartialEq)]
pub struct Finding {
    /// The check as a report shows it. Never fixed or drifted, and without a previous state.
    pub check: Check,
    /// Revision of the control's meaning, 1 where the tool counts none. Results of different revisions are not
    /// compared.
    pub revision: u32,
}

/// A control that the tool assessed and that a report has no section for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The control.
    pub control_id: ControlId,
    /// What the control asks for.
    pub name: String,
    /// What it is about, in words that follow "controls about".
    pub reason: String,
}

/// What a file says about the top-privilege administrators.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdminReview {
    /// How many there are; none where the file does not tell.
    pub count: Option<u32>,
    /// Whether `admins` lists them all.
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
    /// Failed sign-in attempts within the lookback window.
    pub failed_sign_ins: u32,
}

impl fmt::Debug for Administrator {
    /// Leaves out the sign-in name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Administrator").field("mfa_method", &self.mfa_method).finish_non_exhaustive()
    }
}

/// Something in a file that could not be taken as it stood. The rest of the file was read all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// What it is, for programs.
    pub kind: IssueKind,
    /// The control concerned, if it is one.
    pub control_id: Option<ControlId>,
    /// What it is and what was done about it, for people. Holds no personal data.
    pub message: String,
}

impl Issue {
    /// An issue of the file as a whole.
    pub(crate) fn of_file(kind: IssueKind, message: impl Into<String>) -> Self {
        Self { kind, control_id: None, message: message.into() }
    }

    /// An issue of one control.
    pub(crate) fn of_control(kind: IssueKind, control_id: &ControlId, message: impl Into<String>) -> Self {
        Self { kind, control_id: Some(control_id.clone()), message: message.into() }
    }

    /// A control of which neither the catalogue nor the file tells enough.
    pub(crate) fn unknown_control(control_id: &ControlId) -> Self {
        let message = "is not in the catalogue; imported with the category of its family, without what the file lacks";
        Self::of_control(IssueKind::UnknownControl, control_id, message)
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
    /// A row that is no control result; left out.
    UnreadableRow,
    /// The catalogue lacks the control; imported with the category of its family, without what the file lacks.
    UnknownControl,
    /// Controls fit no section of a report; left out of it, and listed in [`Run::left_out`].
    OutOfScope,
    /// The tool reports a result whose meaning is not known; imported as not assessed.
    UnknownResult,
    /// The control is listed more than once; the worst result stands.
    DuplicateControl,
    /// Controls are not described by any of the files; imported with what their results say.
    ProfileMissing,
    /// The control is marked with a word whose meaning is not known; the points decide.
    UnknownMark,
    /// The date by which a failing control is to be fixed is no date; imported as open.
    UnreadableDate,
    /// A page of a list is not among the files, so the list is not whole.
    PageMissing,
    /// A file that belongs to the others is not among them; what it tells is not known.
    CounterpartMissing,
    /// Files that can only be of one tenant name several; they are left out.
    TenantsMixed,
    /// The file names no tenant, or none in the provider's form.
    TenantUnknown,
    /// The file does not tell when the run was.
    TimeUnknown,
    /// The file does not tell how many top-privilege administrators there are.
    AdministratorsUnknown,
}
