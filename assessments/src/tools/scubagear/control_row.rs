//! One row per control: its result, and the tool's texts about it.

use model::{ControlId, NotAssessedReason, ProposedRisk, Severity, calendar_date, without_hidden};
use serde::Deserialize;
use serde_json::Value;

use crate::catalogue::RevisedControl;
use crate::file::{Field, WithoutOffset, damaged, is_date, read_time};
use crate::run::{ControlResult, Describe, Description, Issue, IssueKind, Outcome};
use crate::text::html_to_text;

/// A link within the tool's page, as the tool itself turns it into plain text.
const FLATTENED_PAGE_LINK: &str = "View DNS logs, #dns-logs for more details.";

/// The fields of a row that are read. Omitted and incorrect rows have further fields.
#[derive(Deserialize)]
pub(super) struct ControlRow {
    #[serde(rename = "Control ID")]
    pub(super) control: RevisedControl,
    #[serde(default, rename = "Requirement")]
    requirement: Field<String>,
    #[serde(default, rename = "Result")]
    result: Field<String>,
    #[serde(default, rename = "Criticality")]
    criticality: Field<String>,
    #[serde(default, rename = "Details")]
    details: Field<String>,
    /// Date by which a failing control is to be fixed. Since 1.7; before, only the file's annotations contain it.
    #[serde(default, rename = "ResolutionDate")]
    resolution_date: Value,
    /// Comments of people: a list, or one of them. Since 1.7; before, only the file's annotations contain one.
    #[serde(default, rename = "Comments")]
    comments: Value,
    /// The result of an omitted control.
    #[serde(default, rename = "OmittedEvaluationResult")]
    omitted_result: Value,
}

/// The tool's texts about a control, which it calls a policy.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Policy {
    requirement: Option<String>,
    criticality: Option<String>,
    proposed_risk: Option<ProposedRisk>,
}

impl ControlRow {
    /// Returns the result, and an issue if the row has a malformed date. `annotation` is that of the file for the control,
    /// or null.
    pub(super) fn into_result(self, annotation: &Value) -> (ControlResult<Policy>, Option<Issue>) {
        let date = Some(&self.resolution_date).filter(|date| !date.is_null());
        let date = date.unwrap_or(&annotation["RemediationDate"]).clone();
        let mut issue = None;
        let outcome = match self.result_word().as_str() {
            "pass" => Ok(Outcome::Passed),
            "fail" | "warning" => failing(&date).map_or_else(
                || {
                    issue = Some(malformed_date(&self.control.control));
                    Ok(Outcome::Failed)
                },
                Ok,
            ),
            "n/a" => Ok(Outcome::NotAssessed(NotAssessedReason::Manual)),
            "omitted" | "incorrect result" => Ok(Outcome::NotAssessed(NotAssessedReason::Ignored)),
            "error" | "error - test results missing" => Ok(Outcome::NotAssessed(NotAssessedReason::Error)),
            // A dash is the result of a control that the baseline no longer contains.
            "-" => Ok(Outcome::NotAssessed(NotAssessedReason::Missing)),
            _ => Err(self.result.text().unwrap_or_default().trim().to_owned()),
        };
        let damaged = damaged([
            ("Requirement", self.requirement.is_damaged()),
            ("Result", self.result.is_damaged()),
            ("Criticality", self.criticality.is_damaged()),
            ("Details", self.details.is_damaged()),
        ]);
        let state = current_state(self.details.text());
        let proposed_risk = self.proposed_risk(annotation, &date);
        let (requirement, criticality) = (self.requirement.value(), self.criticality.value());
        let texts = Policy { requirement, criticality, proposed_risk };
        (ControlResult { control: self.control, outcome, state, texts, damaged }, issue)
    }

    /// Returns whether the control fails, whether or not its fix has a date.
    pub(super) fn is_failing(&self) -> bool {
        matches!(self.result_word().as_str(), "fail" | "warning")
    }

    /// Returns a comment on a control that fails, or would if it were not omitted, with the date.
    fn proposed_risk(&self, annotation: &Value, date: &Value) -> Option<ProposedRisk> {
        let is_failing = match self.result_word().as_str() {
            "omitted" => matches!(self.omitted_result.as_str(), Some("Fail" | "Warning")),
            _ => self.is_failing(),
        };
        let comments = match &self.comments {
            Value::Array(comments) => comments.iter().collect(),
            Value::Null => vec![&annotation["Comment"]],
            single => vec![single],
        };
        let comments: Vec<_> = comments.into_iter().filter_map(Value::as_str).map(html_to_text).collect();
        let reason = without_hidden(comments.join("\n").trim().to_owned());
        let day = date.as_str().and_then(|date| calendar_date(date.trim()));
        let until = day.or_else(|| Some(read_time(date, WithoutOffset::IsUtc).ok()?.date()));
        // The table has the name of a list's type in place of its items.
        (is_failing && !matches!(reason.as_str(), "" | "N/A" | "-" | "System.Object[]"))
            .then_some(ProposedRisk { reason, until })
    }

    /// Returns the result in lower case.
    fn result_word(&self) -> String {
        self.result.text().unwrap_or_default().trim().to_lowercase()
    }
}

impl Describe for Policy {
    fn describe(self) -> Description {
        Description {
            name: plain(self.requirement.as_deref().unwrap_or_default()),
            severity: implied_severity(self.criticality.as_deref()),
            proposed_risk: self.proposed_risk,
            ..Description::default()
        }
    }
}

/// Returns the outcome of a failing control: failed, or in progress if there is a date for its fix. Returns `None` if
/// the date is malformed.
fn failing(date: &Value) -> Option<Outcome> {
    match date {
        Value::Null => Some(Outcome::Failed),
        Value::String(text) if matches!(text.trim(), "" | "N/A" | "-") => Some(Outcome::Failed),
        Value::String(text) => is_date(text.trim()).then_some(Outcome::InProgress),
        other => read_time(other, WithoutOffset::IsUtc).ok().map(|_| Outcome::InProgress),
    }
}

fn malformed_date(control: &ControlId) -> Issue {
    let message = "has a resolution date that is not a date; imported as open";
    Issue::of_control(IssueKind::UnreadableDate, control, message)
}

/// Returns the severity that the requirement's own word implies.
fn implied_severity(criticality: Option<&str>) -> Option<Severity> {
    match criticality?.split('/').next()?.to_lowercase().as_str() {
        "shall" => Some(Severity::High),
        "should" => Some(Severity::Medium),
        _ => None,
    }
}

/// Returns the tool's details. For an omitted control they contain the reason.
fn current_state(details: Option<&str>) -> String {
    let details = plain(&details.unwrap_or_default().replace(FLATTENED_PAGE_LINK, ""));
    if details == "-" { String::new() } else { details }
}

/// Returns a text without HTML and without the asterisks of Markdown's bold text, which the tool also writes.
fn plain(text: &str) -> String {
    let text = html_to_text(text);
    let asterisks = text.matches("**").count();
    if asterisks.is_multiple_of(2) { text.replace("**", "") } else { text }
}
