//! Edits of a report: corrections and comments of people.

use model::{
    Actor, Check, GlobalAdmin, ReportBody, ReportId, ReportType, Severity, Status, Timestamp, is_hidden_in_lines,
};
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::{EditError, EditedField, Keep, Organization, StoredReport};

/// Longest text of a field, in characters.
pub const TEXT_LIMIT: usize = 10_000;

/// An edit of one part of a report.
#[derive(Clone, PartialEq, Eq)]
pub enum ReportEdit {
    /// Changes a check.
    Check {
        /// Identifier of its control, in any case.
        control: String,
        /// Identifier of its control, in upper or lower case.
        change: CheckChange,
    },
    /// Changes the status of an administrator.
    Administrator {
        /// Sign-in name, in upper or lower case.
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
}

/// A check or an administrator as the editor saw it. If it has changed since, the edit is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen(String);

/// How a report is edited.
#[derive(Debug, Clone, Copy, Default)]
pub struct EditOptions<'a> {
    /// The state that the editor saw. If it has changed since, the edit is refused.
    pub seen: Option<&'a Seen>,
    /// Whether the edit of a check is kept for later reports, except for the current state. If `None`, this does not
    /// change.
    pub keep: Option<bool>,
}

/// Why an edit was refused. Contains no name of a person.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The report has no check of that control.
    #[error("the report has no control {0}")]
    NoSuchControl(String),
    /// The report has no administrator with that sign-in name.
    #[error("the report has no administrator with this sign-in name")]
    NoSuchAdministrator,
    /// `FIXED` and `DRIFTED` describe a change since a baseline.
    #[error("only a follow-up has fixed or drifted results, and this report is a baseline: choose another status")]
    NotInBaseline,
    /// Another editor has changed the same part since the editor saw it.
    #[error("someone else has changed this since you opened it: check the new values, then save again")]
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
    /// The edit would leave no control to score.
    #[error("this edit would leave no assessed control in the report: keep at least one")]
    NothingAssessed,
}

/// Edits a report. The API returns the edited values at once; score, grade, counts and top risks follow.
///
/// If another edit was faster, the edit is applied again to its result, so no edit is lost.
///
/// # Errors
/// If there is no such report, the edit is refused or the store fails. The report then does not change.
pub async fn edit(
    organization: &Organization,
    actor: &Actor,
    id: &ReportId,
    edit: &ReportEdit,
    options: EditOptions<'_>,
    edited_at: Timestamp,
) -> Result<StoredReport, EditError<Refusal>> {
    let apply = |body: &mut ReportBody| edit.apply(body, options.seen);
    organization.by(actor, edited_at).edit_and_keep(id, apply, edit.keep(options.keep)).await
}

impl ReportEdit {
    /// Applies the edit to the body of a report, and recalculates all dependent values.
    ///
    /// # Errors
    /// If the edit is refused; the body may then be partly changed.
    pub fn apply(&self, body: &mut ReportBody, seen: Option<&Seen>) -> Result<(), Refusal> {
        if self.status().is_some_and(is_comparison) && body.report_type == ReportType::Baseline {
            return Err(Refusal::NotInBaseline);
        }
        match self {
            Self::Check { control, change } => {
                let check = check_of(body, control)?;
                require_unchanged(seen, || Seen::check(check))?;
                change.apply(check)?;
            }
            Self::Administrator { name, status } => {
                let admin = administrator_of(body, name)?;
                require_unchanged(seen, || Seen::administrator(admin))?;
                admin.status = *status;
            }
        }
        assessments::rescore(body).map_err(|_| Refusal::NothingAssessed)
    }

    fn keep(&self, keep: Option<bool>) -> Option<Keep<'_>> {
        match self {
            Self::Check { control, .. } => keep.map(|keep| Keep { control, keep }),
            Self::Administrator { .. } => None,
        }
    }

    fn status(&self) -> Option<Status> {
        match self {
            Self::Check { change, .. } => change.status,
            Self::Administrator { status, .. } => Some(*status),
        }
    }
}

impl Seen {
    /// Returns the current digest of a check.
    pub fn check(check: &Check) -> Self {
        Self::digest(check)
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

impl CheckChange {
    /// Returns whether a field changes that later reports can keep.
    pub fn can_be_kept(&self) -> bool {
        !Self { current_state: None, ..self.clone() }.is_empty()
    }

    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the change that turns a check into the editor's version.
    pub fn between(before: &Check, wanted: CheckChange) -> Self {
        let text = |text: Option<String>, before: Option<&str>| {
            text.map(|text| with_plain_lines(&text))
                .filter(|text| *text != with_plain_lines(before.unwrap_or_default()))
        };
        Self {
            status: wanted.status.filter(|status| *status != before.status),
            severity: wanted.severity.filter(|severity| *severity != before.severity),
            current_state: text(wanted.current_state, Some(&before.current_state)),
            why: text(wanted.why, before.why.as_deref()),
            suggested_fix: text(wanted.suggested_fix, before.suggested_fix.as_deref()),
        }
    }

    fn check_texts(&self) -> Result<(), Refusal> {
        let texts = [
            (EditedField::CurrentState, &self.current_state),
            (EditedField::Why, &self.why),
            (EditedField::SuggestedFix, &self.suggested_fix),
        ];
        let is_bad = |text: &str| text.chars().count() > TEXT_LIMIT || text.chars().any(is_hidden_in_lines);
        let bad = texts.into_iter().find(|(_, text)| text.as_deref().is_some_and(is_bad));
        bad.map_or(Ok(()), |(field, _)| Err(Refusal::BadText(field)))
    }

    fn apply(&self, check: &mut Check) -> Result<(), Refusal> {
        self.check_texts()?;
        if self.current_state.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(Refusal::NoCurrentState);
        }
        check.status = self.status.unwrap_or(check.status);
        check.previous_state = check.previous_state.take().filter(|_| is_comparison(check.status));
        check.severity = self.severity.unwrap_or(check.severity);
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

fn check_of<'a>(body: &'a mut ReportBody, control: &str) -> Result<&'a mut Check, Refusal> {
    let check = body.checks.iter_mut().find(|check| check.control_id.as_str().eq_ignore_ascii_case(control));
    check.ok_or_else(|| Refusal::NoSuchControl(control.to_owned()))
}

/// Browsers send line breaks as two characters.
fn with_plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn administrator_of<'a>(body: &'a mut ReportBody, name: &str) -> Result<&'a mut GlobalAdmin, Refusal> {
    let mut admins = body.global_admins.admins.iter_mut();
    admins.find(|admin| admin.user_principal_name.eq_ignore_ascii_case(name)).ok_or(Refusal::NoSuchAdministrator)
}

fn require_unchanged(seen: Option<&Seen>, now: impl FnOnce() -> Seen) -> Result<(), Refusal> {
    match seen {
        Some(seen) if *seen != now() => Err(Refusal::ChangedMeanwhile),
        _ => Ok(()),
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
