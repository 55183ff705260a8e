//! What is written beside a file that was imported.

use assessments::Issue;
use serde::Serialize;

use operations::import::{Imported, Outcome};

/// What became of a file, or of the files of a folder.
#[derive(Default)]
pub(super) struct ImportResult {
    pub(super) reports: Vec<Imported>,
    pub(super) failures: Vec<Failure>,
    /// What in the files belongs to no report.
    pub(super) issues: Vec<Issue>,
}

/// A file or a run that made no report.
#[derive(Serialize)]
pub(super) struct Failure {
    /// The file, or the run by its tool and time.
    of: String,
    /// Why, and what to do. Names no person.
    error: String,
}

/// The whole, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Status {
    /// Every run has its report now, and at least one of them is new.
    Imported,
    /// Every run had its report already.
    AlreadyThere,
    /// Something made no report.
    Failed,
}

impl ImportResult {
    /// A result with nothing but a failure.
    pub(super) fn failed(of: &str, error: impl ToString) -> Self {
        let mut result = Self::default();
        result.fail(of, error);
        result
    }

    pub(super) fn fail(&mut self, of: &str, error: impl ToString) {
        self.failures.push(Failure { of: of.to_owned(), error: error.to_string() });
    }

    pub(super) fn status(&self) -> Status {
        if !self.failures.is_empty() {
            Status::Failed
        } else if self.reports.iter().all(|report| report.outcome == Outcome::AlreadyThere) {
            Status::AlreadyThere
        } else {
            Status::Imported
        }
    }

    /// The result as it is written.
    ///
    /// # Errors
    /// None that its types allow.
    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Written<'a> {
            status: Status,
            reports: &'a [Imported],
            failures: &'a [Failure],
            issues: &'a [Issue],
        }
        let Self { reports, failures, issues } = self;
        serde_json::to_vec_pretty(&Written { status: self.status(), reports, failures, issues })
    }
}
