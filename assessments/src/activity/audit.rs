//! An entry of the directory's audit log, and what it shows.

use super::events::EntryFindings;
use super::measure::{ALL, Measure};

/// An entry of the audit log, as any export has it.
#[derive(Debug, Default)]
pub(crate) struct AuditEntry {
    /// The activity by its display name: `Consent to application`.
    pub(crate) activity: String,
    /// `None` if the entry's word for it is not understood.
    pub(crate) succeeded: Option<bool>,
    /// Name of the application that did it, if no person did.
    pub(crate) initiating_app: Option<String>,
    /// Whether a consent was an administrator's, if the entry says so.
    pub(crate) admin_consent: Option<bool>,
}

/// Measures that the log would show events of.
const OBSERVABLE: [Measure; 6] = [
    Measure::Consent,
    Measure::ApplicationAdded,
    Measure::SecretAdded,
    Measure::Invitation,
    Measure::RoleChange,
    Measure::PasswordReset,
];

/// The application that carries out what was activated or assigned in Privileged Identity Management, which has entries
/// of its own.
const PRIVILEGED_IDENTITY_MANAGEMENT: &str = "MS-PIM";

/// Returns whether an activity succeeded, by the word of any export. An entry without a word did. Returns `None` if the
/// word is not understood.
pub(super) fn succeeded(word: Option<&str>) -> Option<bool> {
    match word.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "" | "success" | "succeeded" | "true" => Some(true),
        "failure" | "failed" | "false" | "timeout" => Some(false),
        _ => None,
    }
}

impl AuditEntry {
    /// Returns what the entry shows. Its subject is the target of the activity.
    pub(crate) fn shows(&self) -> EntryFindings {
        let mut shown = EntryFindings::default();
        OBSERVABLE.iter().for_each(|measure| shown.observable(*measure));
        match (self.meaning(), self.succeeded) {
            (Some((measure, label)), Some(true)) => shown.add(measure, label),
            (Some((measure, _)), None) => shown.not_understood(measure),
            _ => {}
        }
        shown
    }

    fn meaning(&self) -> Option<(Measure, &'static str)> {
        // The service writes some names with a long dash, and a blank or a full stop at the end.
        let activity =
            self.activity.trim().trim_end_matches('.').trim_end().to_lowercase().replace(['\u{2013}', '\u{2014}'], "-");
        Some(match activity.as_str() {
            "consent to application" => (Measure::Consent, self.consenting()),
            "add application" => (Measure::ApplicationAdded, ALL),
            "update application - certificates and secrets management" | "add service principal credentials" => {
                (Measure::SecretAdded, ALL)
            }
            "invite external user" => (Measure::Invitation, "invited"),
            "redeem external user invite" => (Measure::Invitation, "accepted"),
            "add member to role" if !self.is_by_privileged_identity_management() => (Measure::RoleChange, "assigned"),
            "add member to role completed (pim activation)" => (Measure::RoleChange, "activated"),
            "reset password (self-service)" => (Measure::PasswordReset, "by themselves"),
            "reset user password" | "reset password (by admin)" => (Measure::PasswordReset, "by an administrator"),
            other if other.starts_with("add eligible member to role in pim completed") => {
                (Measure::RoleChange, "made eligible")
            }
            other if other.starts_with("add member to role in pim completed") => (Measure::RoleChange, "assigned"),
            _ => return None,
        })
    }

    fn consenting(&self) -> &'static str {
        if self.admin_consent == Some(true) { "administrators" } else { "users" }
    }

    fn is_by_privileged_identity_management(&self) -> bool {
        self.initiating_app.as_deref() == Some(PRIVILEGED_IDENTITY_MANAGEMENT)
    }
}
