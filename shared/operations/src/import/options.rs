//! Options of an import.

use std::time::Instant;

use model::{ReportId, Timestamp};

/// Options of an import.
#[derive(Debug, Clone)]
pub struct Options {
    /// Service or provider identifier of the tenant. If `None`, each run is imported for the tenant that it names.
    pub tenant: Option<String>,
    /// The report to compare with.
    pub baseline: BaselineChoice,
    /// Window of activity in days. If `None`, the file's window applies, or else
    /// [`assessments::DEFAULT_LOOKBACK_DAYS`].
    pub lookback_days: Option<u32>,
    /// End of the runs whose files do not contain it.
    pub completed_at: Option<Timestamp>,
    /// Whether parts of runs make a report if no file contains the complete run.
    pub fragments: bool,
    /// Time of the import.
    pub imported_at: Timestamp,
    /// The moment that it is the time of.
    pub began: Instant,
    /// Whether to do everything except writing.
    pub dry_run: bool,
    /// Whether to stop at the first transient failure, because the caller repeats the whole import.
    pub stop_at_transient: bool,
}

/// The report that a new one compares with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineChoice {
    /// The tenant's newest baseline report of the same tool at or before the run. Without one, the new report is itself
    /// a baseline.
    Newest,
    /// A given report of the same tenant and tool that completed before the run.
    Report(ReportId),
    /// None: the new report is a baseline.
    AsBaseline,
}

impl Options {
    /// Returns the options of an import that leaves every choice to the files.
    pub fn at(imported_at: Timestamp) -> Self {
        Self {
            tenant: None,
            baseline: BaselineChoice::Newest,
            lookback_days: None,
            completed_at: None,
            fragments: false,
            imported_at,
            began: Instant::now(),
            dry_run: false,
            stop_at_transient: false,
        }
    }
}
