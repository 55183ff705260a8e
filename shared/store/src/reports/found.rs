//! The tool's values of what was edited in a check, so that they can be restored.

use std::fmt;

use model::{Check, Choice, Severity, Status};
use serde::{Deserialize, Serialize};

use super::EditedField;
use crate::kept_edits::chosen;

/// The tool's values of fields of a check. `None` for a field that was not edited, or whose value is not known.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FoundValues {
    /// Status.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    /// Previous state, which belongs to the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_state: Option<String>,
    /// Severity; `Some(None)` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "chosen")]
    severity: Option<Option<Severity>>,
    /// The current configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    current_state: Option<String>,
    /// Reason why the control matters; `Some(None)` for nothing.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "chosen")]
    why: Option<Option<String>>,
    /// The recommended change; `Some(None)` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "chosen")]
    suggested_fix: Option<Option<String>>,
}

impl FoundValues {
    /// Returns a check's values of fields.
    pub fn of(check: &Check, fields: &[EditedField]) -> Self {
        let mut found = Self::default();
        fields.iter().for_each(|field| found.add(check, *field));
        found
    }

    /// Adds a check's value of a field. One that this release does not know cannot be written again, so it stays
    /// unknown.
    pub fn add(&mut self, check: &Check, field: EditedField) {
        match field {
            EditedField::Status if check.status.is_known() => {
                self.status = Some(check.status);
                self.previous_state.clone_from(&check.previous_state);
            }
            EditedField::Severity => {
                self.severity = Some(check.severity).filter(|severity| severity.is_none_or(Severity::is_known));
            }
            EditedField::CurrentState => self.current_state = Some(check.current_state.clone()),
            EditedField::Why => self.why = Some(check.why.clone()),
            EditedField::SuggestedFix => self.suggested_fix = Some(check.suggested_fix.clone()),
            // No tool accepts a risk.
            EditedField::Status | EditedField::AcceptedRisk | EditedField::Unknown => {}
        }
    }

    /// Forgets the value of a field.
    pub(super) fn forget(&mut self, field: EditedField) {
        match field {
            EditedField::Status => (self.status, self.previous_state) = (None, None),
            EditedField::Severity => self.severity = None,
            EditedField::CurrentState => self.current_state = None,
            EditedField::Why => self.why = None,
            EditedField::SuggestedFix => self.suggested_fix = None,
            EditedField::AcceptedRisk | EditedField::Unknown => {}
        }
    }

    /// Returns the values without texts: a status and a severity have a few bytes. A status that belongs to a text is
    /// none.
    pub(super) fn without_texts(self) -> Self {
        let status = self.status.filter(|_| self.previous_state.is_none());
        Self { status, severity: self.severity, ..Self::default() }
    }

    /// Sets a field of a check back to the tool's value. Returns whether that is known.
    pub fn restore(&self, check: &mut Check, field: EditedField) -> bool {
        fn set<T: Clone>(to: &mut T, found: Option<&T>) -> bool {
            found.map(|found| to.clone_from(found)).is_some()
        }
        match field {
            EditedField::Status => {
                let is_known = set(&mut check.status, self.status.as_ref());
                is_known && set(&mut check.previous_state, Some(&self.previous_state))
            }
            EditedField::Severity => set(&mut check.severity, self.severity.as_ref()),
            EditedField::CurrentState => set(&mut check.current_state, self.current_state.as_ref()),
            EditedField::Why => set(&mut check.why, self.why.as_ref()),
            EditedField::SuggestedFix => set(&mut check.suggested_fix, self.suggested_fix.as_ref()),
            EditedField::AcceptedRisk | EditedField::Unknown => false,
        }
    }

    /// Returns whether no value is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the size of the values in an item, in bytes.
    pub(super) fn size(&self) -> usize {
        if self.is_empty() { 0 } else { serde_json::to_vec(self).map_or(0, |text| text.len()) }
    }
}

impl fmt::Debug for FoundValues {
    /// Leaves out the texts, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoundValues").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_of_a_later_release_is_not_known() {
        let fields = [EditedField::Status, EditedField::Severity];
        let found = |status: &str, severity: &str| {
            let check = serde_json::from_value::<Check>(json!({
                "controlId": "X.1", "category": "ACCOUNTS", "name": "A name", "status": status, "severity": severity,
                "currentState": "", "previousState": null, "why": null, "suggestedFix": null, "observedUsage": null,
            }));
            json!(FoundValues::of(&check.unwrap(), &fields))
        };
        assert_eq!(found("LATER", "LATER"), json!({}));
        assert_eq!(found("OPEN", "LOW"), json!({ "status": "OPEN", "severity": "LOW" }));
    }
}
