//! The filter of the checks of a report, read from the address.

use model::{Check, Severity, Status};
use serde::Deserialize;
use web::view::text;

use crate::view::{search, words};

/// Parameters of a report's address. A value that is not one of the choices does not filter.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    /// A state, as on the wire.
    pub(crate) status: String,
    /// A severity, as on the wire.
    pub(crate) severity: String,
    /// The tasks that are shown: `set`, `overdue` or `none`.
    pub(crate) task: String,
    /// Words that are all in the check.
    pub(crate) q: String,
}

impl Filter {
    /// Returns the state to show alone.
    pub(crate) fn status(&self) -> Option<Status> {
        words::chosen(words::STATUSES, &self.status)
    }

    /// Returns the severity to show alone.
    pub(crate) fn severity(&self) -> Option<Severity> {
        words::chosen(words::SEVERITIES, &self.severity)
    }

    /// Returns the filter as the query of a report's address.
    pub(crate) fn query(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let fields = [("q", &self.q), ("status", &self.status), ("severity", &self.severity)];
        let task = Some(("task", &self.task)).filter(|(_, task)| !task.is_empty());
        let fields = fields.into_iter().chain(task).map(|(name, value)| format!("{name}={}", text::encoded(value)));
        format!("?{}", fields.collect::<Vec<_>>().join("&"))
    }

    /// Returns the parameter by which the form of an edit returns to the filter.
    pub(super) fn kept(&self) -> String {
        if self.is_empty() { String::new() } else { format!("&filter={}", text::encoded(&self.query())) }
    }

    /// Reads a filter from the query of an address.
    pub(crate) fn of_query(query: &str) -> Self {
        let mut filter = Self::default();
        for (name, value) in form_urlencoded::parse(query.trim_start_matches('?').as_bytes()) {
            match &*name {
                "q" => filter.q = value.into_owned(),
                "status" => filter.status = value.into_owned(),
                "severity" => filter.severity = value.into_owned(),
                "task" => filter.task = value.into_owned(),
                _ => {}
            }
        }
        filter
    }

    /// Whether all checks are shown.
    pub(crate) fn is_empty(&self) -> bool {
        self.status().is_none() && self.severity().is_none() && self.task.is_empty() && self.q.trim().is_empty()
    }

    /// Whether a check is shown.
    pub(crate) fn matches(&self, check: &Check) -> bool {
        self.status().is_none_or(|status| check.status == status)
            && self.severity().is_none_or(|severity| check.severity == Some(severity))
            && search::finds(&self.q, texts(check))
    }
}

/// Returns the texts of a check that are searched: those that the page marks for the script.
fn texts(check: &Check) -> impl Iterator<Item = &str> {
    let texts = [Some(check.control_id.as_str()), Some(&check.name), Some(&check.current_state)];
    let more = [&check.previous_state, &check.why, &check.suggested_fix, &check.observed_usage];
    let accepted = check.accepted_risk.as_ref().map(|risk| risk.reason.as_str());
    texts.into_iter().flatten().chain(more.into_iter().flatten().map(String::as_str)).chain(accepted)
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
    fn a_filter_survives_its_address() {
        let filter = Filter { status: "OPEN".to_owned(), q: "a&b = ü".to_owned(), ..Filter::default() };
        assert_eq!(filter.query(), "?q=a%26b%20%3D%20%C3%BC&status=OPEN&severity=");
        assert_eq!(Filter::of_query(&filter.query()).query(), filter.query());
        assert_eq!(Filter::of_query("//evil.example?x=1#y").query(), "");
        assert_eq!(Filter::default().kept(), "");
    }

    #[test]
    fn all_parts_of_a_filter_apply_together() {
        let matches = |status: &str, severity: &str, q: &str| {
            let (status, severity, q) = (status.to_owned(), severity.to_owned(), q.to_owned());
            Filter { status, severity, q, ..Filter::default() }.matches(&check())
        };
        assert!(matches("", "", "") && matches("OPEN", "HIGH", "legacy mfa") && matches("", "", " ms.aad.1 "));
        assert!(!matches("SECURE", "", "") && !matches("OPEN", "LOW", "") && !matches("", "", "legacy teams"));
        assert!(matches("nonsense", "open", ""), "a value that is no choice filters nothing");
    }
}
