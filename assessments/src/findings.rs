//! What every reader does with the findings of a file: one per control, and a name for the run they make.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use shared::model::{ControlId, ProviderTenantId, Status, Timestamp};

use crate::order::natural;
use crate::run::{Finding, Issue, IssueKind, Tool};
use crate::score::weight;

/// Leaves one finding per control, in natural order of the ids, and says where there were more.
///
/// The worst result stands: not meeting best practice, then not assessed, then secure. Among equals the newest
/// revision stands, and then the text decides, so that the order of the rows in the file never does.
pub(crate) fn one_per_control(findings: Vec<Finding>) -> (Vec<Finding>, Vec<Issue>) {
    let mut by_control: BTreeMap<ControlId, Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        by_control.entry(finding.check.control_id.clone()).or_default().push(finding);
    }
    let mut issues = Vec::new();
    let mut kept: Vec<Finding> = by_control
        .into_iter()
        .filter_map(|(control, rows)| {
            if rows.len() > 1 {
                let message = format!("is listed {} times; the worst result stands", rows.len());
                issues.push(Issue::of_control(IssueKind::DuplicateControl, &control, message));
            }
            rows.into_iter().max_by(|a, b| precedence(a).cmp(&precedence(b)))
        })
        .collect();
    kept.sort_by(|a, b| natural(a.check.control_id.as_str(), b.check.control_id.as_str()));
    (kept, issues)
}

/// How strongly a finding stands against another of the same control.
fn precedence(finding: &Finding) -> impl Ord {
    let check = &finding.check;
    let badness = match check.status {
        Status::Open | Status::Drifted => 3,
        Status::InProgress => 2,
        Status::NotAssessed => 1,
        Status::Secure | Status::Fixed => 0,
    };
    (badness, finding.revision, weight(check.severity), &check.current_state, &check.name)
}

/// What tells a run apart whose file carries no identifier of it: tenant and time, or else a digest of the results.
pub(crate) fn run_id(
    tool: Tool,
    tenant: Option<&ProviderTenantId>,
    time: Option<Timestamp>,
    findings: &[Finding],
) -> String {
    match (tenant, time) {
        (Some(tenant), Some(time)) => format!("{tool}/{tenant}/{time}"),
        _ => format!("{tool}/{}", digest(tenant, time, findings)),
    }
}

/// The first half of a SHA-256 over what the tool found, in hex. The catalogue's texts are left out: they change
/// with this service, not with the run.
fn digest(tenant: Option<&ProviderTenantId>, time: Option<Timestamp>, findings: &[Finding]) -> String {
    let results: Vec<_> = findings
        .iter()
        .map(|Finding { check, revision }| (&check.control_id, revision, check.status, &check.current_state))
        .collect();
    let text = serde_json::json!([tenant, time, results]).to_string();
    Sha256::digest(text)[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
