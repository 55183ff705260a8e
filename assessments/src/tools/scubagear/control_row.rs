//! One row per control: its result, and what the tool says about it.

use chrono::NaiveDate;
use model::{ControlId, Severity};
use serde::Deserialize;

use crate::catalogue::RevisedControl;
use crate::collector::{About, Collector, Outcome, Row};
use crate::markup::plain;
use crate::run::{Issue, IssueKind};

/// A link to a place on the tool's page, as the tool itself turns it into plain text.
const FLATTENED_PAGE_LINK: &str = "View DNS logs, #dns-logs for more details.";

/// A control's row, as far as it is read. Omitted and incorrect rows have other keys beside these.
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
    /// When a failing control is to be fixed. Since 1.7; before, only the file's annotations tell it.
    #[serde(rename = "ResolutionDate")]
    resolution_date: Option<String>,
}

/// What a row says about its control.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Said {
    requirement: Option<String>,
    criticality: Option<String>,
}

impl ControlRow {
    /// The row, with a result that is not known noted. `annotated_date` gives the date that the file's annotations name
    /// for a control, written with its revision; a date that is none is added to `issues`.
    pub(super) fn into_row<'a>(
        self,
        annotated_date: impl Fn(&RevisedControl) -> Option<&'a str>,
        collector: &mut Collector<Said>,
        issues: &mut Vec<Issue>,
    ) -> Row<Said> {
        let date = self.resolution_date.as_deref().or_else(|| annotated_date(&self.control));
        let outcome = self.outcome(date, issues).unwrap_or_else(|result| {
            collector.note_unknown(&self.control.control, result);
            Outcome::NotAssessed
        });
        let state = current_state(self.details.as_deref());
        let about = Said { requirement: self.requirement, criticality: self.criticality };
        Row { control: self.control, outcome, state, about }
    }

    /// The outcome of the result, or the result itself if it is not known.
    fn outcome(&self, date: Option<&str>, issues: &mut Vec<Issue>) -> Result<Outcome, &str> {
        match self.result.as_deref().unwrap_or_default().trim() {
            "Pass" => Ok(Outcome::Passed),
            "Fail" | "Warning" => Ok(failing(&self.control.control, date, issues)),
            // A dash stands for a control that the baseline no longer has.
            "N/A" | "Omitted" | "Incorrect result" | "Error" | "Error - Test results missing" | "-" => {
                Ok(Outcome::NotAssessed)
            }
            other => Err(other),
        }
    }
}

impl Said {
    /// What the row says, in plain text.
    pub(super) fn plain(self) -> About {
        About {
            name: plain(self.requirement.as_deref().unwrap_or_default()),
            severity: implied_severity(self.criticality.as_deref()),
            ..About::default()
        }
    }
}

/// A failing control is open, or in progress when its fix has a date.
fn failing(control: &ControlId, date: Option<&str>, issues: &mut Vec<Issue>) -> Outcome {
    match date.map(str::trim) {
        None | Some("" | "N/A" | "-") => Outcome::Failed,
        Some(date) if names_a_day(date) => Outcome::InProgress,
        Some(_) => {
            let message = "has a resolution date that is no date; imported as open";
            issues.push(Issue::of_control(IssueKind::UnreadableDate, control, message));
            Outcome::Failed
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

/// The severity that the requirement's own word implies.
fn implied_severity(criticality: Option<&str>) -> Option<Severity> {
    match criticality?.split('/').next()? {
        "Shall" => Some(Severity::High),
        "Should" => Some(Severity::Medium),
        _ => None,
    }
}

/// The tool's details, which for an omitted control hold the reason.
fn current_state(details: Option<&str>) -> String {
    let details = plain(&details.unwrap_or_default().replace(FLATTENED_PAGE_LINK, ""));
    if details == "-" { String::new() } else { details }
}
