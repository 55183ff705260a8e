//! Comparison with an earlier report: what was fixed since, and what drifted.

use std::collections::{BTreeMap, HashMap};

use model::{Baseline, Check, ControlId, ReportBody, ReportId, Status};

use crate::catalogue::catalogue;
use crate::run::Finding;

/// The controls of a report whose revision is not 1, with that revision. Kept beside the report, since the report
/// names controls without it.
pub type Revisions = BTreeMap<ControlId, u32>;

/// The report that a follow-up compares with.
#[derive(Clone, Copy)]
pub struct Earlier<'a> {
    /// Its identifier.
    pub id: &'a ReportId,
    /// The report.
    pub body: &'a ReportBody,
    /// The revisions that were assembled with it.
    pub revisions: &'a Revisions,
}

impl Earlier<'_> {
    /// The report as a follow-up names it.
    pub(crate) fn as_baseline(&self) -> Baseline {
        Baseline { id: self.id.clone(), score: Some(self.body.score), completed_at: Some(self.body.completed_at) }
    }
}

/// Looks up what an earlier report said about a control or an administrator.
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

    /// The finding's check as it reads in the follow-up: fixed or drifted, with the previous state, where it is.
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

    /// The status of an administrator in the follow-up. Sign-in names are the same in any case.
    pub(crate) fn admin(&self, sign_in_name: &str, now: Status) -> Status {
        self.admins.get(&folded(sign_in_name)).and_then(|then| change(*then, now)).unwrap_or(now)
    }

    /// What the earlier report said about the same control: under the same id, or under the id it had before it
    /// moved. Nothing when its meaning has been revised since: such results do not compare.
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

/// Fixed or drifted, when one of the two moments was secure, the other was not, and both were assessed.
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
