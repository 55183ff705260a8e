//! Coverage: which controls of an earlier report a run does not assess, and why.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use model::{ControlId, Coverage, CoverageLoss, NotAssessedReason, ReportBody};

use crate::catalogue::catalogue;
use crate::run::Finding;

/// Returns the coverage of a run in comparison with an earlier report.
pub(super) fn coverage(findings: &[Finding], earlier: &ReportBody) -> Coverage {
    let now = by_earlier_id(findings);
    let before = earlier.checks.iter().filter(|check| check.status.is_assessed());
    let mut previously_assessed = 0;
    let mut reasons = BTreeMap::<NotAssessedReason, u32>::new();
    for check in before {
        previously_assessed += 1;
        match now.get(&check.control_id) {
            Some(None) => {}
            Some(Some(reason)) => *reasons.entry(*reason).or_default() += 1,
            None => *reasons.entry(NotAssessedReason::Missing).or_default() += 1,
        }
    }
    let lost = reasons.values().sum();
    let mut reasons: Vec<_> = reasons.into_iter().map(|(reason, controls)| CoverageLoss { reason, controls }).collect();
    reasons.sort_by_key(|loss| Reverse(loss.controls));
    Coverage { previously_assessed, lost, reasons }
}

/// Returns why each control was not assessed, or that it was, by its id and the id that it had before it moved.
fn by_earlier_id(findings: &[Finding]) -> HashMap<&ControlId, Option<NotAssessedReason>> {
    let mut reasons = HashMap::new();
    for Finding { check, revision, reason } in findings {
        if let Some(old) = catalogue().moved_from(&check.control_id, *revision) {
            reasons.insert(&old.control, *reason);
        }
    }
    reasons.extend(findings.iter().map(|finding| (&finding.check.control_id, finding.reason)));
    reasons
}
