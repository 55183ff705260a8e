//! Several files of one run: tools write the same results in several formats, and also in parts.

use std::collections::HashMap;

use chrono::{TimeDelta, Timelike};
use model::{ControlId, Status, Timestamp};

use super::id::run_id;
use super::issue::{Issue, IssueKind};
use super::types::Run;
use crate::natural_order::natural;

/// Longest time between the times of a run in two of its files. The time zone of one of them can be unknown.
const LONGEST_APART: TimeDelta = TimeDelta::hours(24);

impl Run {
    /// Returns whether another file's run is this run or a part of it: it is of the same tool, names no other tenant or
    /// time, and has no other results. Results that are lost in one of the files do not count.
    pub fn includes(&self, other: &Self) -> bool {
        let agree = self.tool == other.tool
            && (self.tenant.is_none() || other.tenant.is_none() || self.tenant == other.tenant)
            && (self.completed.zip(other.completed)).is_none_or(|(a, b)| are_close(a, b));
        agree && self.differing(other) <= self.rows.lost + other.rows.lost && !other.findings.is_empty()
    }

    /// Returns the number of another run's controls that this run lacks or has with another result.
    fn differing(&self, other: &Self) -> usize {
        let results: HashMap<&ControlId, Status> =
            self.findings.iter().map(|finding| (&finding.check.control_id, finding.check.status)).collect();
        let agrees = |id: &ControlId, status| results.get(id).is_some_and(|of_self| are_same(*of_self, status));
        other.findings.iter().filter(|finding| !agrees(&finding.check.control_id, finding.check.status)).count()
    }

    /// Adds the results of another part of the same run.
    pub fn add_part(&mut self, part: Self) {
        self.rows.total += part.rows.total;
        self.rows.lost += part.rows.lost;
        self.rows.not_understood += part.rows.not_understood;
        self.findings.extend(part.findings);
        self.findings.sort_by(|a, b| natural(a.check.control_id.as_str(), b.check.control_id.as_str()));
        self.findings.dedup_by(|a, b| a.check.control_id == b.check.control_id);
        self.left_out.extend(part.left_out);
        let new: Vec<_> = part.issues.into_iter().filter(|issue| !self.issues.contains(issue)).collect();
        self.issues.extend(new);
        self.run_id = run_id(self.tool, self.tenant.as_ref(), self.completed, &self.findings);
        self.add_lost_rows(0);
    }

    /// Moves the time of a part of a run to the beginning of its day, so that a whole run of that day is newer.
    pub fn count_from_start_of_day(&mut self) {
        let start = self.completed.and_then(start_of_day);
        self.completed = start;
        self.started = start;
        let message = "contains only a part of a run; counts from the beginning of its day, and is no baseline";
        self.issues.insert(0, Issue::of_file(IssueKind::PartOfRun, message));
        // Lost rows stay the first issue.
        self.add_lost_rows(0);
    }
}

/// Returns whether two statuses are the same result. Only some of the tools' files contain the date by which a control
/// is to be fixed.
fn are_same(a: Status, b: Status) -> bool {
    let is_failing = |status| matches!(status, Status::Open | Status::InProgress);
    a == b || (is_failing(a) && is_failing(b))
}

fn are_close(a: Timestamp, b: Timestamp) -> bool {
    (a.to_datetime() - b.to_datetime()).abs() <= LONGEST_APART
}

fn start_of_day(time: Timestamp) -> Option<Timestamp> {
    time.to_datetime().with_hour(0)?.with_minute(0)?.with_second(0)?.with_nanosecond(0)?.try_into().ok()
}
