//! Edits of a report: corrections and comments of people.

mod newest;
mod rules;

use chrono::NaiveDate;
use model::{AcceptedRisk, Actor, Check, GlobalAdmin, ReportId, ServiceTenantId, Severity, Status, Timestamp};
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::{EditError, EditMark, EditedField, EditedReport, Organization};

pub use newest::{Chosen, NewestError, edit_chosen};
pub(crate) use newest::{edit_newest, in_order};
pub(crate) use rules::{fits, with_plain_lines};

/// Longest text of a field, in characters.
pub const TEXT_LIMIT: usize = 10_000;

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
    /// Sets fields of a check back to the tool's values, and no longer keeps them.
    SetBack {
        /// Identifier of its control, in any case.
        control: String,
        /// The fields.
        fields: Vec<EditedField>,
    },
    /// Changes the status of an administrator.
    Administrator {
        /// Sign-in name, in upper or lower case, or its [`digest`].
        name: String,
        /// The new status.
        status: Status,
    },
}

/// A change of a check. A field that is `None` does not change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckChange {
    /// The new status.
    pub status: Option<Status>,
    /// The new severity; `Some(None)` removes it.
    pub severity: Option<Option<Severity>>,
    /// The current configuration; not empty.
    pub current_state: Option<String>,
    /// Why the control matters. An empty text removes it.
    pub why: Option<String>,
    /// The recommended change. An empty text removes it.
    pub suggested_fix: Option<String>,
    /// The accepted risk, also of later reports; `Some(None)` ends it.
    pub accepted_risk: Option<Option<AcceptedRisk>>,
}

/// A check or an administrator as the editor saw it. If it has changed since, the edit is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen(String);

/// How a report is edited.
#[derive(Debug, Clone, Copy, Default)]
pub struct EditOptions<'a> {
    /// The tenant that the report must belong to, if the editor names one.
    pub tenant: Option<&'a ServiceTenantId>,
    /// The state that the editor saw. If it has changed since, the edit is refused; otherwise only fields that differ
    /// from it are edited. `None` for an editor who saw nothing: all named fields are edited.
    pub seen: Option<&'a Seen>,
    /// Whether the edit of a check is kept for later reports, except for the current state, and for an accepted risk,
    /// which always is. If `None`, this does not change.
    pub keep: Option<bool>,
    /// The day until which the editor saw the risk of a check as accepted, `Some(None)` if it was not. If this has changed
    /// since, the edit is refused.
    pub accepted_until: Option<Option<NaiveDate>>,
}

/// Why an edit was refused. Contains no name of a person.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The report belongs to another tenant than the named one.
    #[error("the report belongs to another tenant")]
    OtherTenant,
    /// The report is already as wanted; [`edit`] returns it.
    #[error("nothing changes")]
    Unchanged,
    /// The report has no check of that control.
    #[error("the report has no control {0}")]
    NoSuchControl(String),
    /// The report has no administrator with that sign-in name.
    #[error("the report has no administrator with this sign-in name")]
    NoSuchAdministrator,
    /// The field was not edited, or release 1.0 edited it and did not store the tool's value, or the report had no room
    /// for it.
    #[error(
        "the tool's value is not known: the field was not edited, an earlier release edited it, or the report had no room \
         for the value"
    )]
    NotKnown(EditedField),
    /// `FIXED` and `DRIFTED` describe a change since a baseline.
    #[error("only a follow-up has fixed or drifted results, and this report is a baseline: choose another status")]
    NotInBaseline,
    /// This release does not know the value, so it can be left as it is, but not chosen.
    #[error("the value is unknown: choose one of the known values")]
    UnknownValue(EditedField),
    /// Another editor has changed the same part since the editor saw it.
    #[error("this was changed since you opened it: check the new values, then save again")]
    ChangedMeanwhile,
    /// A text is too long, or has hidden characters.
    #[error(
        "a text is too long or has hidden characters: use at most {TEXT_LIMIT} characters, without hidden \
         ones other than line breaks and tabs"
    )]
    BadText(EditedField),
    /// The current state would be empty.
    #[error("the current state of a check must not be empty")]
    NoCurrentState,
    /// The control has no risk to accept.
    #[error("only a risk of a control that is open, in progress or drifted can be accepted")]
    NothingToAccept,
    /// There is no accepted risk to end.
    #[error("the risk of this control is not accepted")]
    NotAccepted,
    /// The reason of an accepted risk is missing or cannot be used.
    #[error(
        "an accepted risk needs a reason of at most {} characters, without hidden ones other than line breaks and tabs",
        AcceptedRisk::LONGEST_REASON
    )]
    BadReason,
    /// The end of an accepted risk cannot be used.
    #[error("an accepted risk must end after today (UTC) and within a year")]
    BadEnd,
    /// The edit would leave no control to score.
    #[error("this edit would leave no assessed control in the report: keep at least one")]
    NothingAssessed,
}

/// Edits a report. The API returns the edited values at once; score, grade, counts and top risks follow.
///
/// If another edit was faster, the edit is applied again to its result, so no edit is lost.
///
/// # Errors
/// If there is no such report, the edit is refused or the store fails. The report then does not change; a refusal
/// contains it.
pub async fn edit(
    organization: &Organization,
    actor: &Actor,
    id: &ReportId,
    edit: &ReportEdit,
    options: EditOptions<'_>,
    edited_at: Timestamp,
) -> Result<EditedReport, EditError<Refusal>> {
    let control = match edit {
        ReportEdit::Check { control, .. } | ReportEdit::SetBack { control, .. } => Some(control.as_str()),
        ReportEdit::Administrator { .. } => None,
    };
    let writer = organization.by(actor, edited_at);
    match writer.edit_and_keep(id, control, |draft| edit.apply(draft, options, edited_at)).await {
        Err(EditError::Refused(Refusal::OtherTenant, _)) => Err(EditError::NotFound(id.clone())),
        Err(EditError::Refused(Refusal::Unchanged, report)) => {
            Ok(EditedReport { before: report.summary.clone(), report: *report, changes: Vec::new() })
        }
        edited => edited,
    }
}

impl Seen {
    /// Returns the current digest of a check.
    pub fn check(check: &Check) -> Self {
        Self::digest(check)
    }

    /// Returns the current digest of a check and of the tool's values of what was edited in it.
    pub fn restorable(check: &Check, mark: Option<&EditMark>) -> Self {
        Self::digest(&(check, mark.map(|mark| &mark.found)))
    }

    /// Returns the current digest of an administrator.
    pub fn administrator(admin: &GlobalAdmin) -> Self {
        Self::digest(admin)
    }

    fn digest(part: &impl Serialize) -> Self {
        let text = serde_json::to_vec(part).expect("parts of reports can be written");
        Self(hex::encode(Sha256::digest(text)))
    }

    /// Returns it as text, for a form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Seen {
    /// Accepts any text: a text that is not a digest matches nothing.
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Returns a digest of an administrator's sign-in name, for use in addresses, which are logged.
pub fn digest(name: &str) -> String {
    hex::encode(&Sha256::digest(name.to_ascii_lowercase())[..16])
}

/// Returns whether a status describes a change since the baseline. Only such checks have a previous state.
pub(crate) fn is_comparison(status: Status) -> bool {
    matches!(status, Status::Fixed | Status::Drifted)
}
