//! One row per test: its result, and the tool's texts about it.

use model::NotAssessedReason;
use serde::Deserialize;
use serde_json::Value;

use crate::catalogue::RevisedControl;
use crate::file::{Field, damaged};
use crate::run::{ControlResult, Describe, Description, Outcome};
use crate::text::{Document, markdown_to_lines, non_empty, reason, severity};

/// Beginning of the heading of a remediation.
const FIX_HEADING: &str = "Remediation action";

/// The fields of a row that are read.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct TestRow {
    /// A number or a text.
    test_id: Value,
    #[serde(default)]
    test_title: Field<String>,
    #[serde(default)]
    test_status: Field<String>,
    /// A text, a list of them, or null.
    #[serde(default)]
    test_pillar: Value,
    #[serde(default)]
    test_category: Field<String>,
    #[serde(default)]
    test_risk: Field<String>,
    #[serde(default)]
    test_description: Field<String>,
    #[serde(default)]
    test_result: Field<String>,
    #[serde(default)]
    skipped_reason: Field<String>,
}

/// The tool's texts about a test.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ZeroTrustTest {
    title: Option<String>,
    risk: Option<String>,
    group: Option<String>,
    description: Option<String>,
}

impl TestRow {
    /// Returns the result. Returns `None` if the row does not name its test.
    pub(super) fn into_result(self) -> Option<ControlResult<ZeroTrustTest>> {
        let control = RevisedControl { control: self.id()?.parse().ok()?, revision: 1 };
        let outcome = outcome(self.test_status.text().unwrap_or_default()).map_err(str::to_owned);
        let state = self.result().or_else(|| markdown_to_lines(self.skipped_reason.text()?)).unwrap_or_default();
        let group = self.group();
        let damaged = self.damaged();
        let texts = ZeroTrustTest {
            title: non_empty(self.test_title.value()),
            risk: self.test_risk.value(),
            group,
            description: self.test_description.value(),
        };
        Some(ControlResult { control, outcome, state, texts, damaged })
    }

    fn damaged(&self) -> Vec<&'static str> {
        damaged([
            ("TestTitle", self.test_title.is_damaged()),
            ("TestStatus", self.test_status.is_damaged()),
            ("TestPillar", self.test_pillar.is_object()),
            ("TestCategory", self.test_category.is_damaged()),
            ("TestRisk", self.test_risk.is_damaged()),
            ("TestDescription", self.test_description.is_damaged()),
            ("TestResult", self.test_result.is_damaged()),
            ("SkippedReason", self.skipped_reason.is_damaged()),
        ])
    }

    fn id(&self) -> Option<String> {
        match &self.test_id {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) => non_empty(Some(text.clone())),
            _ => None,
        }
    }

    /// Returns the pillar and the category within it. A test of several pillars belongs to the first.
    fn group(&self) -> Option<String> {
        let pillar = match &self.test_pillar {
            Value::Array(pillars) => pillars.first()?.as_str()?,
            pillar => pillar.as_str()?,
        };
        Some(format!("{pillar}/{}", self.test_category.text().unwrap_or_default()))
    }

    fn result(&self) -> Option<String> {
        markdown_to_lines(self.test_result.text()?)
    }

    /// Returns the result of a test if the row is of that test.
    pub(super) fn reported_by(&self, test: &str) -> Option<String> {
        if self.id()? == test { self.result() } else { None }
    }
}

impl Describe for ZeroTrustTest {
    fn describe(self) -> Description {
        let document = Document::parse(self.description.as_deref().unwrap_or_default());
        // Planned tests have dots in place of a reason.
        let introduction = document.introduction().find(|paragraph| paragraph.contains(char::is_alphanumeric));
        Description {
            proposed_risk: None,
            name: self.title.unwrap_or_default(),
            severity: self.risk.as_deref().and_then(severity),
            group: self.group,
            why: introduction.map(reason),
            summary: None,
            suggested_fix: document.section(|heading| heading.starts_with(FIX_HEADING)),
        }
    }
}

/// Returns the outcome of a status, or the status itself if its meaning is unknown.
fn outcome(status: &str) -> Result<Outcome, &str> {
    match status.trim().to_lowercase().as_str() {
        "passed" => Ok(Outcome::Passed),
        "failed" => Ok(Outcome::Failed),
        "skipped" | "planned" => Ok(Outcome::NotAssessed(NotAssessedReason::Skipped)),
        "error" => Ok(Outcome::NotAssessed(NotAssessedReason::Error)),
        "investigate" => Ok(Outcome::NotAssessed(NotAssessedReason::Manual)),
        _ => Err(status),
    }
}
