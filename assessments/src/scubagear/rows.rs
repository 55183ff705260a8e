//! One row per control: its result, and what the catalogue adds.

use chrono::NaiveDate;
use serde::Deserialize;
use shared::model::{Check, ControlId, Severity, Status};

use crate::catalogue::{RevisedControl, catalogue};
use crate::markup::plain;
use crate::run::{Finding, Issue, IssueKind};

/// Longest result text that an issue repeats, in characters. The known ones have 28 at most.
const RESULT_TEXT_LIMIT: usize = 40;

/// A link to a place on the tool's page, as the tool itself turns it into plain text.
const FLATTENED_PAGE_LINK: &str = "View DNS logs, #dns-logs for more details.";

/// A control's row, as far as it is read. Omitted and incorrect rows have other keys beside these.
#[derive(Deserialize)]
pub(super) struct Row {
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
    /// When a failing control is to be fixed. Since 1.7; before, only the file's annotations tell it.
    #[serde(rename = "ResolutionDate")]
    resolution_date: Option<String>,
}

impl Row {
    /// The row's finding. `annotated_date` gives the date that the file's annotations name for a control, written
    /// with its revision; what needs attention is added to `issues`.
    pub(super) fn into_finding<'a>(
        self,
        annotated_date: impl Fn(&RevisedControl) -> Option<&'a str>,
        issues: &mut Vec<Issue>,
    ) -> Finding {
        let date = self.resolution_date.as_deref().or_else(|| annotated_date(&self.control));
        let status = self.status(date, issues);
        let RevisedControl { control, revision } = self.control;
        let known = catalogue().control(&control);
        if known.is_none() {
            issues.push(Issue::unknown_control(&control));
        }
        let check = Check {
            category: catalogue().section(&control),
            name: name(self.requirement.as_deref(), &control),
            status,
            severity: catalogue().severity(&control).or(implied_severity(self.criticality.as_deref())),
            current_state: current_state(self.details.as_deref(), status),
            previous_state: None,
            why: known.and_then(|known| known.why.clone()),
            suggested_fix: known.and_then(|known| known.suggested_fix.clone()),
            observed_usage: None,
            control_id: control,
        };
        Finding { check, revision }
    }

    fn status(&self, date: Option<&str>, issues: &mut Vec<Issue>) -> Status {
        let control = &self.control.control;
        match self.result.as_deref().unwrap_or_default().trim() {
            "Pass" => Status::Secure,
            "Fail" | "Warning" => failing(control, date, issues),
            // A dash stands for a control that the baseline no longer has.
            "N/A" | "Omitted" | "Incorrect result" | "Error" | "Error - Test results missing" | "-" => {
                Status::NotAssessed
            }
            other => {
                let text: String = other.chars().take(RESULT_TEXT_LIMIT).collect();
                let message = format!("has a result that is not known, {text:?}; imported as not assessed");
                issues.push(Issue::of_control(IssueKind::UnknownResult, control, message));
                Status::NotAssessed
            }
        }
    }
}

/// A failing control is open, or in progress when its fix has a date.
fn failing(control: &ControlId, date: Option<&str>, issues: &mut Vec<Issue>) -> Status {
    match date.map(str::trim) {
        None | Some("" | "N/A" | "-") => Status::Open,
        Some(date) if names_a_day(date) => Status::InProgress,
        Some(_) => {
            let message = "has a resolution date that is no date; imported as open";
            issues.push(Issue::of_control(IssueKind::UnreadableDate, control, message));
            Status::Open
        }
    }
}

/// Whether a text is a date in one of the forms that PowerShell gives the same date, depending on its version: as it
/// was written, ISO 8601, the invariant culture's, or milliseconds since 1970.
fn names_a_day(text: &str) -> bool {
    let day = text.split(['T', ' ']).next().unwrap_or_default();
    let milliseconds = text.strip_prefix("/Date(").and_then(|rest| rest.strip_suffix(")/"));
    ["%Y-%m-%d", "%m/%d/%Y"].iter().any(|form| NaiveDate::parse_from_str(day, form).is_ok())
        || milliseconds.is_some_and(|number| number.parse::<i64>().is_ok())
}

fn name(requirement: Option<&str>, control: &ControlId) -> String {
    let name = plain(requirement.unwrap_or_default());
    if name.is_empty() { control.to_string() } else { name }
}

/// The severity that the requirement's own word implies.
fn implied_severity(criticality: Option<&str>) -> Option<Severity> {
    match criticality?.split('/').next()? {
        "Shall" => Some(Severity::High),
        "Should" => Some(Severity::Medium),
        _ => None,
    }
}

/// The tool's details, which for an omitted control hold the reason, or a sentence where there are none.
fn current_state(details: Option<&str>, status: Status) -> String {
    let details = plain(&details.unwrap_or_default().replace(FLATTENED_PAGE_LINK, ""));
    if !details.is_empty() && details != "-" {
        return details;
    }
    let sentence = match status {
        Status::Secure | Status::Fixed => "The requirement is met.",
        Status::Open | Status::Drifted | Status::InProgress => "The requirement is not met.",
        Status::NotAssessed => "The control was not evaluated.",
    };
    sentence.to_owned()
}
