//! Microsoft Zero Trust Assessment, versions 1.0 to 2.2.
//!
//! Source of the format: the tool's own writers (`Get-ZtAssessmentResults`, `Add-ZtTestResultDetail`). Counts are taken
//! from the rows, since those of the file's head differ from them.

use serde::Deserialize;
use serde_json::Value;

use crate::catalogue::RevisedControl;
use crate::collector::{About, Collector, Outcome, Repetition, Row};
use crate::header::Header;
use crate::markdown::Document;
use crate::read::{Format, Input, Outline, Part, Unreadable, rows};
use crate::run::Tool;
use crate::wording::{CountingTests, administrators, plain_lines, reason, severity, stated};

/// Beginning of the heading above what to do.
const FIX_HEADING: &str = "Remediation action";

/// The tests that tell the number of top-privilege administrators. The first also counts applications.
const ADMINISTRATORS: CountingTests =
    &[("21812", &["Total number of Global Administrators:"]), ("21813", &["Global administrator role count:"])];

/// The report of a run.
pub(crate) struct Report;

impl Format for Report {
    fn name(&self) -> &'static str {
        "Zero Trust Assessment's report (JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        outline.is_json_with(&["TenantId", "TestResultSummary", "Tests"])
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let file: ReportFile = input.json()?;
        let header = file.header();
        let mut collector = Collector::new(Repetition::Duplicates);
        for row in file.tests {
            match row.and_then(|row| row.into_row(&mut collector)) {
                Some(row) => collector.take(row),
                None => collector.note_unreadable(),
            }
        }
        Ok(vec![header.into_run(Tool::ZeroTrustAssessment, collector.finish(Said::plain)).into()])
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ReportFile {
    current_version: Option<String>,
    tenant_id: Option<String>,
    /// When the run ended.
    executed_at: Option<String>,
    #[serde(deserialize_with = "rows")]
    tests: Vec<Option<TestRow>>,
}

impl ReportFile {
    fn header(&self) -> Header {
        Header {
            version: stated(self.current_version.clone()),
            tenant: stated(self.tenant_id.clone()),
            completed: self.executed_at.as_ref().and_then(|time| time.parse().ok()),
            administrators: administrators(ADMINISTRATORS, |test| {
                self.tests.iter().flatten().filter_map(|row| row.reported_by(test)).collect()
            }),
            ..Header::default()
        }
    }
}

/// A test's row, as far as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TestRow {
    /// A number or a text.
    test_id: Value,
    test_title: Option<String>,
    test_status: Option<String>,
    /// A text, a list of them, or null.
    #[serde(default)]
    test_pillar: Value,
    test_category: Option<String>,
    test_risk: Option<String>,
    test_description: Option<String>,
    test_result: Option<String>,
    skipped_reason: Option<String>,
}

/// What a row says about its test.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    title: Option<String>,
    risk: Option<String>,
    group: Option<String>,
    description: Option<String>,
}

impl TestRow {
    /// The row, with a result that is not known noted; none if it does not name its test.
    fn into_row(self, collector: &mut Collector<Said>) -> Option<Row<Said>> {
        let control = RevisedControl { control: self.id()?.parse().ok()?, revision: 1 };
        let status = self.test_status.as_deref().unwrap_or_default();
        let outcome = outcome(status).unwrap_or_else(|| {
            collector.note_unknown(&control.control, status);
            Outcome::NotAssessed
        });
        let state = self.result().or_else(|| plain_lines(self.skipped_reason.as_deref()?)).unwrap_or_default();
        let group = self.group();
        let about =
            Said { title: stated(self.test_title), risk: self.test_risk, group, description: self.test_description };
        Some(Row { control, outcome, state, about })
    }

    fn id(&self) -> Option<String> {
        match &self.test_id {
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) => stated(Some(text.clone())),
            _ => None,
        }
    }

    /// The pillar and the category within it. A test of several pillars belongs to the first.
    fn group(&self) -> Option<String> {
        let pillar = match &self.test_pillar {
            Value::Array(pillars) => pillars.first()?.as_str()?,
            pillar => pillar.as_str()?,
        };
        Some(format!("{pillar}/{}", self.test_category.as_deref().unwrap_or_default()))
    }

    fn result(&self) -> Option<String> {
        plain_lines(self.test_result.as_deref()?)
    }

    /// What the test of that id reported.
    fn reported_by(&self, test: &str) -> Option<String> {
        if self.id()? == test { self.result() } else { None }
    }
}

impl Said {
    /// What the row says, in plain text.
    fn plain(self) -> About {
        let document = Document::parse(self.description.as_deref().unwrap_or_default());
        // Tests that are only planned have dots where the others have their reason.
        let introduction = document.introduction().find(|paragraph| paragraph.contains(char::is_alphanumeric));
        About {
            name: self.title.unwrap_or_default(),
            severity: self.risk.as_deref().and_then(severity),
            group: self.group,
            why: introduction.map(reason),
            description: None,
            suggested_fix: document.section(|heading| heading.starts_with(FIX_HEADING)),
        }
    }
}

/// The outcome of a status, if it is known.
fn outcome(status: &str) -> Option<Outcome> {
    match status {
        "Passed" => Some(Outcome::Passed),
        "Failed" => Some(Outcome::Failed),
        "Skipped" | "Planned" | "Error" | "Investigate" => Some(Outcome::NotAssessed),
        _ => None,
    }
}
