//! The result of an import, as the command prints it and the import function writes it.

use assessments::{Issue, Unreadable};
use serde::{Serialize, Serializer};

use super::error::ImportError;
use super::imported::{Imported, Outcome};
use crate::files::FileError;

/// The result of importing files.
#[derive(Debug, Default)]
pub struct ImportResult {
    /// Runs that now have a report, or would have one, in the order of their import.
    pub reports: Vec<ImportedRun>,
    /// Files and runs without a report.
    pub failures: Vec<ImportFailure>,
    /// Issues in the files that belong to no report.
    pub issues: Vec<Issue>,
    /// Files of folders and archives that were not needed.
    pub skipped: Vec<SkippedFile>,
}

/// A file that was not needed: it contains no results, or the same as another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedFile {
    /// The file.
    pub of: String,
    /// Why it was not needed.
    pub reason: String,
}

/// A run that has a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ImportedRun {
    /// Names of the files that contain the run.
    pub files: Vec<String>,
    /// The report.
    #[serde(flatten)]
    pub imported: Imported,
}

/// A file or a run without a report.
#[derive(Debug, Serialize)]
pub struct ImportFailure {
    /// The file, or the run by its tool, time and files.
    pub of: String,
    /// What happened and what to do. Names no person.
    #[serde(rename = "error", serialize_with = "in_words")]
    pub cause: Cause,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// A file was not used.
    #[error("{0}")]
    File(#[from] FileError),
    /// A run cannot be imported.
    #[error("{0}")]
    Run(#[from] ImportError),
    /// The front end has its own reason.
    #[error("{0}")]
    Other(String),
}

/// The overall status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Every run now has a report, and at least one of them is new or replaced.
    Imported,
    /// Every run already had a report.
    AlreadyThere,
    /// A dry run: at least one report would be added or replaced.
    WouldBeAdded,
    /// A file or a run has no report.
    Failed,
    /// No file contains results.
    Skipped,
}

impl ImportResult {
    /// Returns a result that consists of one failure.
    pub fn failed(of: impl Into<String>, cause: impl Into<Cause>) -> Self {
        Self { failures: vec![ImportFailure { of: of.into(), cause: cause.into() }], ..Self::default() }
    }

    /// Returns the overall status.
    pub fn status(&self) -> Status {
        let outcome = |wanted| move |report: &ImportedRun| report.imported.outcome == wanted;
        if !self.failures.is_empty() {
            Status::Failed
        } else if self.reports.is_empty() {
            Status::Skipped
        } else if self
            .reports
            .iter()
            .any(|report| matches!(report.imported.outcome, Outcome::WouldBeAdded | Outcome::WouldBeReplaced))
        {
            Status::WouldBeAdded
        } else if self.reports.iter().all(outcome(Outcome::AlreadyThere)) {
            Status::AlreadyThere
        } else {
            Status::Imported
        }
    }

    /// Returns whether a failure is transient, so that the same import may succeed later.
    pub fn is_transient(&self) -> bool {
        self.failures.iter().any(|failure| failure.cause.is_transient())
    }

    /// Returns the result if none of its failures is transient.
    ///
    /// # Errors
    /// The first transient failure.
    pub fn unless_transient(self) -> Result<Self, Cause> {
        if !self.is_transient() {
            return Ok(self);
        }
        let mut causes = self.failures.into_iter().map(|failure| failure.cause);
        Err(causes.find(Cause::is_transient).expect("one of them is transient"))
    }
}

impl Serialize for ImportResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            status: Status,
            reports: &'a [ImportedRun],
            failures: &'a [ImportFailure],
            issues: &'a [Issue],
            skipped: &'a [SkippedFile],
        }
        let Self { reports, failures, issues, skipped } = self;
        Written { status: self.status(), reports, failures, issues, skipped }.serialize(serializer)
    }
}

impl Cause {
    /// Returns whether another attempt may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::File(error) => error.is_transient(),
            Self::Run(error) => error.is_transient(),
            Self::Other(_) => false,
        }
    }

    /// Returns whether a file has an unknown format, so that a list of formats helps.
    pub fn is_unknown_format(&self) -> bool {
        matches!(self, Self::File(FileError::Unreadable(Unreadable::UnknownFormat { .. })))
    }
}

fn in_words<S: Serializer>(cause: &Cause, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(cause)
}
