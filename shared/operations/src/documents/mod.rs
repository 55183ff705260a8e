//! Documents of reports for clients: what a person chooses about one, and what it shows besides the report.

mod names;
mod plan;
mod requested;

use std::collections::BTreeMap;
use std::str::FromStr;

use model::{ControlId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Assignment, Organization, ReportPosition, ReportSummary, Selection, StoreError};

use crate::brand::{self, Brand};

pub use names::FileName;
pub use plan::{Plan, Planned, Since};
pub use requested::{Message, request, stored};
pub(crate) use requested::{request_due, resend};

/// Longest foreword, in characters and lines: what fits the first page.
const FOREWORD_LIMIT: (usize, usize) = (600, 12);
/// Most earlier reports of a tenant, of all tools, that are read for the history.
const MOST_EARLIER: usize = 400;

/// Everything that a document shows besides its report.
#[derive(Debug, Clone)]
pub struct Document {
    /// The organization's brand.
    pub brand: Brand,
    /// The tool whose results the report contains.
    pub tool: String,
    /// Scores of the tenant's reports of the same tool up to this one, oldest first.
    pub history: Vec<Point>,
    /// Open tasks of the tenant's controls, if the person chose to show them.
    pub tasks: BTreeMap<ControlId, Assignment>,
    /// What the person chose.
    pub choice: Choice,
}

/// The score of a report in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// When the report was completed.
    pub completed: Timestamp,
    /// Its score, 0 to 100.
    pub score: u8,
}

/// A person's choices for a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choice {
    /// Who it is for.
    pub kind: Kind,
    /// Size of the pages.
    pub paper: Paper,
    /// The person's own words on the first page.
    pub foreword: Foreword,
    /// Whether it shows who is responsible for a control, and by when.
    pub tasks: Tasks,
}

/// Whether a document shows tasks. Their notes can be for members alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tasks {
    /// It does not.
    #[default]
    Hidden,
    /// It does.
    Shown,
}

/// Who a document is for, which decides its length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// For a record: every check.
    #[default]
    Everything,
    /// For whoever fixes something: the checks that are open, drifted or in progress.
    Open,
    /// For whoever decides: three pages.
    Board,
}

/// Size of a document's pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Paper {
    /// 210 x 297 mm.
    #[default]
    A4,
    /// 8.5 x 11 in.
    Letter,
}

/// A person's own words for the first page; empty if they have none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Foreword(String);

/// The text does not fit the first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be at most {} characters on {} lines", FOREWORD_LIMIT.0, FOREWORD_LIMIT.1)]
pub struct ForewordTooLong;

impl Foreword {
    /// Returns the words, without white space around them.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Foreword {
    type Err = ForewordTooLong;

    fn from_str(text: &str) -> Result<Self, ForewordTooLong> {
        // Browsers send a text's line breaks as CR LF.
        let text = text.trim().replace("\r\n", "\n");
        let (characters, lines) = FOREWORD_LIMIT;
        let fits = text.chars().count() <= characters && text.lines().count() <= lines;
        fits.then_some(Self(text)).ok_or(ForewordTooLong)
    }
}

impl TryFrom<String> for Foreword {
    type Error = ForewordTooLong;

    fn try_from(text: String) -> Result<Self, ForewordTooLong> {
        text.parse()
    }
}

/// Returns what a document of a report shows besides the report.
///
/// # Errors
/// If the store fails.
pub async fn of(organization: &Organization, report: &ReportSummary, choice: Choice) -> Result<Document, StoreError> {
    let brand = brand::get(organization).await?;
    let mut history = earlier(organization, report).await?;
    history.push(Point { completed: report.figures.completed_at, score: report.figures.score });
    let tasks = match choice.tasks {
        Tasks::Hidden => BTreeMap::new(),
        Tasks::Shown => tasks(organization, report).await?,
    };
    Ok(Document { brand, tool: report.tool.clone(), history, tasks, choice })
}

/// Returns the open tasks that were set for a report or an earlier one.
async fn tasks(
    organization: &Organization,
    report: &ReportSummary,
) -> Result<BTreeMap<ControlId, Assignment>, StoreError> {
    let mut tasks = organization.tasks(&report.service_tenant_id).await?;
    tasks.retain(|task| task.is_open() && task.since <= report.figures.completed_at);
    Ok(tasks.into_iter().map(|task| (task.control_id, task.assignment)).collect())
}

/// Returns the scores of earlier reports of the same tenant and tool, oldest first. Later reports do not change them, so
/// a document stays the same.
async fn earlier(organization: &Organization, report: &ReportSummary) -> Result<Vec<Point>, StoreError> {
    let Some(tenant) = organization.tenant(&report.service_tenant_id).await? else { return Ok(Vec::new()) };
    let this = ReportPosition { completed_at: report.figures.completed_at, report_id: report.report_id.clone() };
    let selection = Selection { after: Some(this), ..Selection::history(MOST_EARLIER).of(tenant) };
    let listed = organization.select(selection).listed().await?;
    let same_tool = listed.into_iter().rev().filter(|earlier| earlier.summary.tool == report.tool);
    Ok(same_tool
        .map(|earlier| Point { completed: earlier.summary.figures.completed_at, score: earlier.summary.figures.score })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreword_is_trimmed_and_fits_the_first_page() {
        assert_eq!(
            " Dear board,\r\n\r\nwell done. ".parse::<Foreword>().unwrap().as_str(),
            "Dear board,\n\nwell done."
        );
        assert_eq!("  ".parse::<Foreword>(), Ok(Foreword::default()));
        assert!("株".repeat(600).parse::<Foreword>().is_ok() && "a\n".repeat(12).parse::<Foreword>().is_ok());
        for long in ["株".repeat(601), "a\n".repeat(13)] {
            let error = long.parse::<Foreword>().unwrap_err().to_string();
            assert_eq!(error, "must be at most 600 characters on 12 lines");
        }
    }
}
