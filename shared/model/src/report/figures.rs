//! The figures of a report: the fields that its summaries repeat.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::{Check, Coverage, Status};
use crate::{Choice, ReportId, Timestamp};

/// The figures of a report, which its summaries repeat. An edit changes them with the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportFigures {
    /// First assessment, or compared with an earlier one.
    pub report_type: ReportType,
    /// The report that a follow-up is compared with; null for a baseline report.
    pub baseline: Option<Baseline>,
    /// When the report was requested.
    pub created_at: Timestamp,
    /// When generation finished. The contract allows null; a report without it is never returned.
    #[cfg_attr(test, schemars(with = "Option<Timestamp>"))]
    pub completed_at: Timestamp,
    /// Window of sign-in and mail activity behind `observedUsage` and `failedSignIns`, in days.
    pub activity_lookback_days: u32,
    /// 0 to 100: severity-weighted share of the assessed controls that meet best practice.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub score: u8,
    /// Letter grade for the score.
    pub grade: Grade,
    /// Score at the baseline; null for a baseline report.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub previous_score: Option<u8>,
    /// Grade at the baseline; null for a baseline report.
    pub previous_grade: Option<Grade>,
    /// Counts of controls by result.
    pub controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again; absent from a baseline report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
}

/// Kind of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReportType {
    /// First assessment.
    Baseline,
    /// Compared with an earlier assessment; carries fixed and drifted results.
    FollowUp,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// The report that a follow-up compares with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Baseline {
    /// Report identifier.
    pub id: ReportId,
    /// Its score.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub score: Option<u8>,
    /// Its completion.
    pub completed_at: Option<Timestamp>,
}

/// Letter grade of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs, reason = "the letters say it")]
pub enum Grade {
    A,
    B,
    C,
    D,
    F,
    // A value that this release does not know, written by a later one.
    #[serde(other, rename = "UNKNOWN")]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// Counts by result: of the controls of a report, or of the tenants that have a control.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ControlsRollup {
    /// All but those that are `NOT_ASSESSED`.
    pub assessed: u32,
    /// Those that are `SECURE`.
    pub secure: u32,
    /// Those that are `FIXED`.
    pub fixed: u32,
    /// Those that are `IN_PROGRESS`.
    pub in_progress: u32,
    /// Those that are `OPEN`.
    pub open: u32,
    /// Those that are `DRIFTED`.
    pub drifted: u32,
    /// Those that are `NOT_ASSESSED`.
    pub not_assessed: u32,
}

impl AddAssign for ControlsRollup {
    fn add_assign(&mut self, other: Self) {
        self.assessed += other.assessed;
        for status in Status::KNOWN {
            *self.field(*status) += other.count(*status);
        }
    }
}

impl ControlsRollup {
    /// Counts controls by result.
    pub fn of<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        let mut counts = Self::default();
        for Check { status, .. } in checks {
            counts.add(*status);
        }
        counts
    }

    /// Counts one more with a result.
    pub fn add(&mut self, status: Status) {
        self.assessed += u32::from(status.is_assessed());
        *self.field(status) += 1;
    }

    /// Returns the number of controls with a result.
    pub fn count(mut self, status: Status) -> u32 {
        *self.field(status)
    }

    fn field(&mut self, status: Status) -> &mut u32 {
        match status {
            Status::Secure => &mut self.secure,
            Status::Fixed => &mut self.fixed,
            Status::InProgress => &mut self.in_progress,
            Status::Open => &mut self.open,
            Status::Drifted => &mut self.drifted,
            Status::NotAssessed | Status::Unknown => &mut self.not_assessed,
        }
    }
}
