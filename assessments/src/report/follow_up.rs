//! Comparison with an earlier report: what was fixed since, and what drifted.

use std::collections::{BTreeMap, HashMap};

use model::{Baseline, Check, ControlId, ReportBody, ReportId, Status};

use crate::catalogue::catalogue;
use crate::run::Finding;

/// Revisions of a report's controls, where they are not 1. Stored beside the report, which names controls without their
/// revisions.
pub type Revisions = BTreeMap<ControlId, u32>;

/// The report that a follow-up compares with.
#[derive(Clone, Copy)]
pub struct Earlier<'a> {
    /// Identifier of the report.
    pub id: &'a ReportId,
    /// The report.
    pub body: &'a ReportBody,
    /// The revisions that were assembled with the report.
    pub revisions: &'a Revisions,
}

impl Earlier<'_> {
    /// Returns the reference by which a follow-up names the report.
    pub(crate) fn as_baseline(&self) -> Baseline {
        Baseline {
            id: self.id.clone(),
            score: Some(self.body.figures.score),
            completed_at: Some(self.body.figures.completed_at),
        }
    }
}

/// Looks up the statuses of controls and administrators in an earlier report.
pub(crate) struct Comparison<'a> {
    revisions: &'a Revisions,
    checks: HashMap<&'a ControlId, &'a Check>,
    admins: HashMap<String, Status>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn with(earlier: &Earlier<'a>) -> Self {
        let admins = &earlier.body.global_admins.admins;
        Self {
            revisions: earlier.revisions,
            checks: earlier.body.checks.iter().map(|check| (&check.control_id, check)).collect(),
            admins: admins.iter().map(|admin| (folded(&admin.user_principal_name), admin.status)).collect(),
        }
    }

    /// Returns the control for the follow-up: if it was fixed or has drifted, with that status and the previous state.
    pub(crate) fn check(&self, finding: &Finding) -> Check {
        let mut check = finding.check.clone();
        if let Some(then) = self.counterpart(&check.control_id, finding.revision)
            && let Some(status) = change(then.status, check.status)
        {
            check.status = status;
            check.previous_state = Some(then.current_state.clone());
        }
        check
    }

    /// Returns the status of an administrator in the follow-up. The case of sign-in names does not matter.
    pub(crate) fn admin(&self, sign_in_name: &str, now: Status) -> Status {
        self.admins.get(&folded(sign_in_name)).and_then(|then| change(*then, now)).unwrap_or(now)
    }

    /// Returns the same control of the earlier report, under the same id or under the id it had before it moved.
    /// Returns `None` if the control's meaning was revised since, because such results are not comparable.
    fn counterpart(&self, control: &ControlId, revision: u32) -> Option<&'a Check> {
        let find = |id, revision| self.checks.get(id).map(|check| (*check, self.revision(id) == revision));
        let (check, comparable) = find(control, revision).or_else(|| {
            let old = catalogue().moved_from(control, revision)?;
            find(&old.control, old.revision)
        })?;
        comparable.then_some(check)
    }

    fn revision(&self, control: &ControlId) -> u32 {
        self.revisions.get(control).copied().unwrap_or(1)
    }
}

/// Returns fixed or drifted if both results are assessed and exactly one of them is secure.
fn change(then: Status, now: Status) -> Option<Status> {
    if !then.is_assessed() || !now.is_assessed() {
        return None;
    }
    match (then.is_secure(), now.is_secure()) {
        (false, true) => Some(Status::Fixed),
        (true, false) => Some(Status::Drifted),
        _ => None,
    }
}

fn folded(sign_in_name: &str) -> String {
    sign_in_name.to_lowercase()
}
