//! One row per test: its result, and the tool's texts about it.

use serde::Deserialize;

use crate::catalogue::RevisedControl;
use crate::file::rows;
use crate::run::{ControlResult, Describe, Description, Outcome};
use crate::text::{CountingTests, Document, markdown_to_lines, non_empty, reason, severity};

/// Beginnings of the headings of a remediation, in lower case.
const FIX_HEADINGS: &[&str] = &["remediat", "how to fix", "mitigation steps", "investigation steps"];

/// Beginnings of the headings of a reason, in lower case.
const REASON_HEADINGS: &[&str] = &["rationale", "why this matters", "security impact"];

/// Label of a paragraph with the reason why the test matters.
const REASON_LABEL: &str = "Rationale:";

/// Label of a paragraph that describes the test.
const DESCRIPTION_LABEL: &str = "Description:";

/// Tests whose results contain the number of top-privilege administrators.
pub(super) const ADMINISTRATORS: CountingTests =
    &[("MT.1024.oneAdmin", &["You currently have "]), ("CISA.MS.AAD.7.2", &["Current Ratio:", "="])];

/// The fields of a row that are read.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct TestRow {
    /// Since 1.0.
    id: Option<String>,
    /// The id and the title, with a colon between them.
    name: Option<String>,
    title: Option<String>,
    severity: Option<String>,
    result: Option<String>,
    block: Option<String>,
    result_detail: Option<Detail>,
    #[serde(default, deserialize_with = "rows")]
    error_record: Vec<Option<ErrorRecord>>,
}

/// The test's own report.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Detail {
    test_description: Option<String>,
    test_result: Option<String>,
    skipped_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ErrorRecord {
    exception: Exception,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Exception {
    message: String,
}

/// The tool's texts about a test.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MaesterTest {
    title: String,
    severity: Option<String>,
    block: Option<String>,
    description: Option<String>,
}

impl TestRow {
    /// Returns the result. Returns `None` if the row does not name its test.
    pub(super) fn into_result(self) -> Option<ControlResult<MaesterTest>> {
        let control = normalized(self.id()?)?;
        let outcome = outcome(self.result.as_deref().unwrap_or_default());
        let state = self.state(outcome == Ok(Outcome::Failed));
        let title = self.title().to_owned();
        let description = self.result_detail.and_then(|detail| detail.test_description);
        let texts =
            MaesterTest { title, severity: non_empty(self.severity), block: non_empty(self.block), description };
        Some(ControlResult { control, outcome: outcome.map_err(str::to_owned), state, texts })
    }

    /// Returns the report of a test, as in the file, if the row is of that test.
    pub(super) fn reported_by(&self, test: &str) -> Option<String> {
        let detail = self.result_detail.as_ref().filter(|_| self.id() == Some(test))?;
        detail.test_result.clone()
    }

    fn id(&self) -> Option<&str> {
        self.id.as_deref().or_else(|| Some(self.name.as_deref()?.split_once(':')?.0)).map(str::trim)
    }

    fn title(&self) -> &str {
        let named = || self.name.as_deref()?.split_once(':').map(|(_, title)| title);
        self.title.as_deref().or_else(named).unwrap_or_default().trim()
    }

    /// Returns the test's report, else the reason why it was skipped, else the error of a failed test.
    fn state(&self, failed: bool) -> String {
        let detail = self.result_detail.as_ref();
        let reported = detail.and_then(|detail| markdown_to_lines(detail.test_result.as_deref()?));
        let skipped = || detail.and_then(|detail| markdown_to_lines(detail.skipped_reason.as_deref()?));
        let errors = || self.error_record.iter().flatten().map(|error| error.exception.message.trim().to_owned());
        let error = || errors().next().filter(|_| failed);
        reported.or_else(skipped).or_else(error).unwrap_or_default()
    }
}

impl MaesterTest {
    /// Whether a paragraph only repeats the title, or is the title of a benchmark, which begins with a number.
    fn is_title(&self, paragraph: &str) -> bool {
        let title = self.title.trim_end_matches('.');
        paragraph.trim_end_matches('.') == title || paragraph.starts_with(|first: char| first.is_ascii_digit())
    }
}

impl Describe for MaesterTest {
    fn describe(self) -> Description {
        let document = Document::parse(self.description.as_deref().unwrap_or_default());
        let introduction = || document.introduction().filter(|paragraph| !self.is_title(paragraph));
        let labelled = || introduction().find_map(|paragraph| paragraph.strip_prefix(REASON_LABEL)).map(str::to_owned);
        let why = labelled().or_else(|| document.section(starts_with_any(REASON_HEADINGS)));
        Description {
            severity: self.severity.as_deref().and_then(severity),
            why: why.as_deref().map(reason),
            summary: introduction().next().map(|text| text.strip_prefix(DESCRIPTION_LABEL).unwrap_or(text)).map(reason),
            suggested_fix: document.section(starts_with_any(FIX_HEADINGS)),
            name: self.title,
            group: self.block,
        }
    }
}

/// Returns a predicate that holds for a heading with one of these beginnings, in any case.
fn starts_with_any(headings: &[&str]) -> impl Fn(&str) -> bool {
    |heading| headings.iter().any(|beginning| heading.to_lowercase().starts_with(beginning))
}

/// Returns the outcome of a result, or the result itself if its meaning is unknown.
fn outcome(result: &str) -> Result<Outcome, &str> {
    match result {
        "Passed" => Ok(Outcome::Passed),
        "Failed" => Ok(Outcome::Failed),
        "Skipped" | "NotRun" | "Error" | "Investigate" => Ok(Outcome::NotAssessed),
        other => Err(other),
    }
}

/// Returns the test that an id names, without the suffix for one of several objects: a digest of the object, or its
/// number in the run.
fn normalized(id: &str) -> Option<RevisedControl> {
    let object = |(test, object): &(&str, &str)| is_digest(object) || (is_number(object) && is_own_test(test));
    let test = id.rsplit_once('.').filter(object).map_or(id, |(test, _)| test);
    test.parse().ok()
}

fn is_digest(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether an id belongs to one of the tool's own tests, such as `MT.1033`.
fn is_own_test(id: &str) -> bool {
    id.strip_prefix("MT.").is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_tests_and_not_objects() {
        let control =
            |id: &str| normalized(id).map(|RevisedControl { control, revision }| (control.to_string(), revision));
        for (id, test, revision) in [
            ("MT.1001", "MT.1001", 1),
            ("MT.1033.12", "MT.1033", 1),
            ("MT.1059.d41d8cd98f00b204e9800998ecf8427e", "MT.1059", 1),
            ("MT.1024.adminMFAV2", "MT.1024.adminMFAV2", 1),
            ("MT.INV.001", "MT.INV.001", 1),
            ("CISA.MS.AAD.1.1", "CISA.MS.AAD.1.1", 1),
            ("CISA.MS.AAD.3.2v2", "CISA.MS.AAD.3.2", 2),
            ("CT.IPv4", "CT.IPv4", 1),
            ("CT.IPv6", "CT.IPv6", 1),
            ("CIS.M365.1.1.1", "CIS.M365.1.1.1", 1),
            ("ORCA.108.1", "ORCA.108.1", 1),
            ("EIDSCA.AV01", "EIDSCA.AV01", 1),
        ] {
            assert_eq!(control(id), Some((test.to_owned(), revision)), "{id}");
        }
        assert_eq!(normalized(" "), None::<RevisedControl>);
    }
}
