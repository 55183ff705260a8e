//! One row per control: its result, and the tool's texts about it.

use chrono::NaiveDate;
use model::{ControlId, Severity};
use serde::Deserialize;

use crate::catalogue::RevisedControl;
use crate::run::{ControlResult, Describe, Description, Issue, IssueKind, Outcome};
use crate::text::html_to_text;

/// A link within the tool's page, as the tool itself turns it into plain text.
const FLATTENED_PAGE_LINK: &str = "View DNS logs, #dns-logs for more details.";

/// The fields of a row that are read. Omitted and incorrect rows have further fields.
#[derive(Deserialize)]
pub(super) struct ControlRow {
    #[serde(rename = "Control ID")]
    control: RevisedControl,
    #[serde(rename = "Requirement")]
    requirement: Option<String>,
    #[serde(rename = "Result")]
    result: Option<String>,
    #[serde(rename = "Criticality")]
    criticality: Option<String>,
    #[serde(rename = "Details")]
    details: Option<String>,
    /// Date by which a failing control is to be fixed. Since 1.7; before, only the file's annotations contain it.
    #[serde(rename = "ResolutionDate")]
    resolution_date: Option<String>,
}

/// The tool's texts about a control, which it calls a policy.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Policy {
    requirement: Option<String>,
    criticality: Option<String>,
}

impl ControlRow {
    /// Returns the result, and an issue if the row has a malformed date. `annotated_date` returns the date that the
    /// file's annotations contain for a control.
    pub(super) fn into_result<'a>(
        self,
        annotated_date: impl Fn(&RevisedControl) -> Option<&'a str>,
    ) -> (ControlResult<Policy>, Option<Issue>) {
        let date = self.resolution_date.as_deref().or_else(|| annotated_date(&self.control));
        let mut issue = None;
        let outcome = match self.result.as_deref().unwrap_or_default().trim() {
            "Pass" => Ok(Outcome::Passed),
            "Fail" | "Warning" => failing(date).map_or_else(
                || {
                    issue = Some(malformed_date(&self.control.control));
                    Ok(Outcome::Failed)
                },
                Ok,
            ),
            // A dash is the result of a control that the baseline no longer contains.
            "N/A" | "Omitted" | "Incorrect result" | "Error" | "Error - Test results missing" | "-" => {
                Ok(Outcome::NotAssessed)
            }
            other => Err(other.to_owned()),
        };
        let state = current_state(self.details.as_deref());
        let texts = Policy { requirement: self.requirement, criticality: self.criticality };
        (ControlResult { control: self.control, outcome, state, texts }, issue)
    }
}

impl Describe for Policy {
    fn describe(self) -> Description {
        Description {
            name: html_to_text(self.requirement.as_deref().unwrap_or_default()),
            severity: implied_severity(self.criticality.as_deref()),
            ..Description::default()
        }
    }
}

/// Returns the outcome of a failing control: failed, or in progress if there is a date for its fix. Returns `None` if the
/// date is malformed.
fn failing(date: Option<&str>) -> Option<Outcome> {
    match date.map(str::trim) {
        None | Some("" | "N/A" | "-") => Some(Outcome::Failed),
        Some(date) => is_date(date).then_some(Outcome::InProgress),
    }
}

fn malformed_date(control: &ControlId) -> Issue {
    let message = "has a resolution date that is not a date; imported as open";
    Issue::of_control(IssueKind::UnreadableDate, control, message)
}

/// Whether a text is a date in one of PowerShell's forms, which depend on its version: as entered, ISO 8601, the
/// invariant culture's, or milliseconds since 1970.
fn is_date(text: &str) -> bool {
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    let milliseconds = text.strip_prefix("/Date(").and_then(|rest| rest.strip_suffix(")/"));
    ["%Y-%m-%d", "%m/%d/%Y"].iter().any(|form| NaiveDate::parse_from_str(day, form).is_ok())
        || milliseconds.is_some_and(|number| number.parse::<i64>().is_ok())
}

/// Returns the severity that the requirement's own word implies.
fn implied_severity(criticality: Option<&str>) -> Option<Severity> {
    match criticality?.split('/').next()? {
        "Shall" => Some(Severity::High),
        "Should" => Some(Severity::Medium),
        _ => None,
    }
}

/// Returns the tool's details. For an omitted control they contain the reason.
fn current_state(details: Option<&str>) -> String {
    let details = html_to_text(&details.unwrap_or_default().replace(FLATTENED_PAGE_LINK, ""));
    if details == "-" { String::new() } else { details }
}
