//! Which checks of a report are shown, as its address says it.

use model::{Check, Severity, Status};
use serde::Deserialize;

use crate::view::words;

/// Parameters of a report's address. A value that is none of the choices filters nothing.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// A state, as on the wire.
    pub status: String,
    /// A severity, as on the wire.
    pub severity: String,
    /// Words that are all in the check.
    pub q: String,
}

impl Filter {
    /// Returns the state to show alone.
    pub fn status(&self) -> Option<Status> {
        words::STATUSES.into_iter().find(|&status| words::status_wire(status) == self.status)
    }

    /// Returns the severity to show alone.
    pub fn severity(&self) -> Option<Severity> {
        words::SEVERITIES.into_iter().find(|&severity| words::severity_wire(severity) == self.severity)
    }

    /// Whether all checks are shown.
    pub fn is_empty(&self) -> bool {
        self.status().is_none() && self.severity().is_none() && self.q.trim().is_empty()
    }

    /// Whether a check is shown.
    pub fn matches(&self, check: &Check) -> bool {
        self.status().is_none_or(|status| check.status == status)
            && self.severity().is_none_or(|severity| check.severity == Some(severity))
            && (self.q.trim().is_empty() || self.has_words(check))
    }

    fn has_words(&self, check: &Check) -> bool {
        let texts = [Some(check.control_id.as_str()), Some(&check.name), Some(&check.current_state)];
        let more = [&check.previous_state, &check.why, &check.suggested_fix, &check.observed_usage];
        let texts = texts.into_iter().flatten().chain(more.into_iter().flatten().map(String::as_str));
        let text = texts.collect::<Vec<_>>().join("\n").to_lowercase();
        self.q.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check() -> Check {
        serde_json::from_value(serde_json::json!({
            "controlId": "MS.AAD.1.1", "category": "ACCOUNTS", "name": "Legacy authentication is blocked", "status": "OPEN",
            "severity": "HIGH", "currentState": "No policy", "previousState": null, "why": "It knows no MFA",
            "suggestedFix": null, "observedUsage": null,
        }))
        .unwrap()
    }

    #[test]
    fn all_parts_of_a_filter_apply_together() {
        let matches = |status: &str, severity: &str, q: &str| {
            Filter { status: status.to_owned(), severity: severity.to_owned(), q: q.to_owned() }.matches(&check())
        };
        assert!(matches("", "", "") && matches("OPEN", "HIGH", "legacy mfa") && matches("", "", " ms.aad.1 "));
        assert!(!matches("SECURE", "", "") && !matches("OPEN", "LOW", "") && !matches("", "", "legacy teams"));
        assert!(matches("nonsense", "open", ""), "a value that is no choice filters nothing");
    }
}
