//! Reasons why a run does not become a report.

use std::collections::BTreeMap;

use model::Timestamp;

use crate::run::{IssueKind, RowCount, Run};

/// Largest share of lost rows in percent. A grade spans ten points, so with more lost rows than that, the score could
/// be wrong by more than a grade.
const MOST_LOST_PERCENT: usize = 10;

/// Reason why a run does not become a report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoReport {
    /// The end of the run is unknown.
    #[error("{problem}: set it with --completed-at, or as the metadata completed-at of the object in the bucket")]
    TimeUnknown {
        /// Description of the problem.
        problem: String,
    },
    /// The file has no results.
    #[error("the file contains no control results: run the tool again")]
    NoRows,
    /// No row is readable.
    #[error(
        "the file has {}, but none is readable: export the file again, with a greater -Depth if PowerShell wrote it",
        model::counted(*.0, "row")
    )]
    AllUnreadable(
        /// Number of rows.
        usize,
    ),
    /// Too many rows are lost.
    #[error(
        "{lost} of {total} rows cannot be read, so the score would be wrong (at most {MOST_LOST_PERCENT} % may be lost): \
         export the file again, with a greater -Depth if PowerShell wrote it"
    )]
    RowsLost {
        /// Number of lost rows.
        lost: usize,
        /// Number of rows.
        total: usize,
    },
    /// Every control is out of the scope of a report.
    #[error("none of the controls fits a section of a report: {subjects}")]
    OutOfScope {
        /// Subjects of the controls, with their numbers.
        subjects: String,
    },
    /// Every result has an unknown meaning.
    #[error("the file has {}, none with a known result: the version of the tool may be too new", model::counted(*.0, "control"))]
    UnknownResults(
        /// Number of controls.
        usize,
    ),
    /// Too many results have an unknown meaning.
    #[error(
        "{unknown} of {total} rows have a result of unknown meaning, so the score would be wrong (at most \
         {MOST_LOST_PERCENT} % may be lost): the version of the tool may be too new"
    )]
    NotUnderstood {
        /// Number of rows with such a result.
        unknown: usize,
        /// Number of rows.
        total: usize,
    },
    /// The tool skipped every control.
    #[error(
        "the file has {}, but the tool assessed none: it skipped them or lacked the permission to read",
        model::counted(*.0, "control")
    )]
    AllSkipped(
        /// Number of controls.
        usize,
    ),
}

impl NoReport {
    /// Returns why no control of a run is assessed.
    pub(super) fn nothing_assessed(run: &Run) -> Self {
        let controls = run.findings.len();
        if controls > 0 {
            Self::AllSkipped(controls)
        } else if !run.left_out.is_empty() {
            let mut subjects: BTreeMap<&str, usize> = BTreeMap::new();
            run.left_out.iter().for_each(|control| *subjects.entry(&control.reason).or_default() += 1);
            let subjects: Vec<_> = subjects.iter().map(|(subject, count)| format!("{count} about {subject}")).collect();
            Self::OutOfScope { subjects: subjects.join(", ") }
        } else {
            Self::NoRows
        }
    }
}

/// Returns the end of a run that is complete enough for a report.
pub(super) fn completed_at(run: &Run) -> Result<Timestamp, NoReport> {
    let RowCount { total, lost, not_understood: unknown } = run.rows;
    if lost * 100 > total * MOST_LOST_PERCENT {
        return Err(match unknown {
            0 if lost == total => NoReport::AllUnreadable(total),
            0 => NoReport::RowsLost { lost, total },
            unknown if unknown == total => NoReport::UnknownResults(run.findings.len()),
            unknown => NoReport::NotUnderstood { unknown, total },
        });
    }
    if !run.findings.iter().any(|finding| finding.check.status.is_assessed()) {
        return Err(NoReport::nothing_assessed(run));
    }
    run.completed.ok_or_else(|| {
        let issue = run.issues.iter().find(|issue| issue.kind == IssueKind::TimeUnknown);
        let problem = issue.map_or("the time of the run is unknown", |issue| &issue.message);
        NoReport::TimeUnknown { problem: problem.to_owned() }
    })
}
