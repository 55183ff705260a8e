//! What stands beside the findings of a run: the controls that are left out, and a name that tells it from others.

use std::collections::BTreeMap;

use model::{ProviderTenantId, Timestamp};
use sha2::{Digest, Sha256};

use crate::order::natural;
use crate::run::{Finding, Issue, IssueKind, LeftOut, Tool};

/// Leaves one entry per control, in natural order of the ids, and says which controls were left out and why.
pub(crate) fn left_out(mut controls: Vec<LeftOut>) -> (Vec<LeftOut>, Vec<Issue>) {
    controls.sort_by(|a, b| natural(a.control_id.as_str(), b.control_id.as_str()).then_with(|| a.cmp(b)));
    controls.dedup_by(|a, b| a.control_id == b.control_id);
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for control in &controls {
        by_reason.entry(&control.reason).or_default().push(control.control_id.as_str());
    }
    let issues = by_reason.into_iter().map(|(reason, ids)| {
        let message =
            format!("controls about {reason} have no section in a report; {} left out: {}", ids.len(), ids.join(", "));
        Issue::of_file(IssueKind::OutOfScope, message)
    });
    let issues = issues.collect();
    (controls, issues)
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
    hex::encode(&Sha256::digest(text)[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(id: &str, reason: &str) -> LeftOut {
        LeftOut { control_id: id.parse().unwrap(), name: format!("Name of {id}"), reason: reason.to_owned() }
    }

    #[test]
    fn what_is_left_out_is_named_and_counted() {
        let controls = vec![out("b.10", "devices"), out("b.9", "devices"), out("a", "networks"), out("b.9", "devices")];
        let (controls, issues) = left_out(controls);
        let ids: Vec<_> = controls.iter().map(|control| control.control_id.as_str()).collect();
        assert_eq!(ids, ["a", "b.9", "b.10"]);
        let messages: Vec<_> = issues.iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "controls about devices have no section in a report; 2 left out: b.9, b.10",
                "controls about networks have no section in a report; 1 left out: a",
            ]
        );
        assert!(issues.iter().all(|issue| issue.kind == IssueKind::OutOfScope));
    }
}
