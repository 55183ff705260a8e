//! Edits of a report: what people correct or comment in it.

use model::{Check, ReportBody, ReportId, ReportType, Severity, Status, Timestamp};
use store::{Organization, StoreError, StoredReport};

use crate::actor::Actor;

/// An edit of one part of a report.
#[derive(Clone, PartialEq, Eq)]
pub enum ReportEdit {
    /// Changes a check.
    Check {
        /// Identifier of its control, in any case.
        control: String,
        /// The change.
        change: CheckChange,
    },
    /// Changes the status of an administrator.
    Administrator {
        /// Sign-in name, in any case.
        name: String,
        /// The new status.
        status: Status,
    },
}

/// A change of a check. A field that is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckChange {
    /// The new status.
    pub status: Option<Status>,
    /// The new severity.
    pub severity: Option<Severity>,
    /// What is configured now; not empty.
    pub current_state: Option<String>,
    /// Why the control matters. An empty text removes it.
    pub why: Option<String>,
    /// The recommended change. An empty text removes it.
    pub suggested_fix: Option<String>,
}

/// Why a report was not edited. Repeats no name of a person.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The organization has no such report, or its tenant is removed.
    #[error("the organization has no report {0}")]
    NoSuchReport(ReportId),
    /// The report has no check of that control.
    #[error("the report has no control {0}")]
    NoSuchControl(String),
    /// The report has no administrator with that sign-in name.
    #[error("the report has no administrator with this sign-in name")]
    NoSuchAdministrator,
    /// Fixed and drifted say what changed since a baseline.
    #[error("only a follow-up has fixed or drifted results, and this report is a baseline: choose another status")]
    NotInBaseline,
    /// The current state would be empty.
    #[error("the current state of a check must not be empty")]
    NoCurrentState,
    /// The edit would leave nothing to score.
    #[error("with this edit, nothing in the report would be assessed: keep at least one assessed control")]
    NothingAssessed,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Edits a report. The API returns the edited values at once; score, grade, counts and top risks follow.
///
/// If another edit was faster, the edit is applied again to its result, so no edit is lost.
///
/// # Errors
/// If there is no such report, the edit is refused or the store fails. The report is unchanged then.
pub async fn edit(
    organization: &Organization,
    actor: &Actor,
    id: &ReportId,
    edit: &ReportEdit,
    edited_at: Timestamp,
) -> Result<StoredReport, EditError> {
    let organization = actor.acting_on(organization, edited_at);
    let edited = organization.edit_report(id, edited_at, |body| edit.apply(body)).await;
    edited.map_err(|error| match error {
        store::EditError::NotFound => EditError::NoSuchReport(id.clone()),
        store::EditError::Refused(refused) => refused,
        store::EditError::Store(error) => error.into(),
    })
}

impl ReportEdit {
    /// Applies the edit to the body of a report, with everything that follows from it.
    ///
    /// # Errors
    /// If the edit is refused; the body may be changed in part then.
    pub fn apply(&self, body: &mut ReportBody) -> Result<(), EditError> {
        if self.status().is_some_and(is_comparison) && body.report_type == ReportType::Baseline {
            return Err(EditError::NotInBaseline);
        }
        match self {
            Self::Check { control, change } => change.apply(check_of(body, control)?)?,
            Self::Administrator { name, status } => {
                let mut admins = body.global_admins.admins.iter_mut();
                let admin = admins.find(|admin| admin.user_principal_name.eq_ignore_ascii_case(name));
                admin.ok_or(EditError::NoSuchAdministrator)?.status = *status;
            }
        }
        assessments::rescore(body).map_err(|_| EditError::NothingAssessed)
    }

    fn status(&self) -> Option<Status> {
        match self {
            Self::Check { change, .. } => change.status,
            Self::Administrator { status, .. } => Some(*status),
        }
    }
}

impl CheckChange {
    fn apply(&self, check: &mut Check) -> Result<(), EditError> {
        if self.current_state.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(EditError::NoCurrentState);
        }
        check.status = self.status.unwrap_or(check.status);
        check.previous_state = check.previous_state.take().filter(|_| is_comparison(check.status));
        check.severity = self.severity.or(check.severity);
        if let Some(text) = &self.current_state {
            check.current_state.clone_from(text);
        }
        for (field, text) in [(&mut check.why, &self.why), (&mut check.suggested_fix, &self.suggested_fix)] {
            if let Some(text) = text {
                *field = Some(text.clone()).filter(|text| !text.is_empty());
            }
        }
        Ok(())
    }
}

fn check_of<'a>(body: &'a mut ReportBody, control: &str) -> Result<&'a mut Check, EditError> {
    let check = body.checks.iter_mut().find(|check| check.control_id.as_str().eq_ignore_ascii_case(control));
    check.ok_or_else(|| EditError::NoSuchControl(control.to_owned()))
}

/// Returns whether a status says what changed since the baseline. Only such a check has a previous state.
fn is_comparison(status: Status) -> bool {
    matches!(status, Status::Fixed | Status::Drifted)
}
