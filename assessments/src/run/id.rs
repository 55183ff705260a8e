//! Identifiers of runs whose files contain none, and the contents by which copies of a run are told apart.

use model::{ProviderTenantId, Timestamp};
use sha2::{Digest, Sha256};

use super::issue::IssueKind;
use super::tool::Tool;
use super::types::{Finding, Run};

/// Returns an identifier made of tenant and time or, if one of them is unknown, a digest of the results.
pub(super) fn run_id(
    tool: Tool,
    tenant: Option<&ProviderTenantId>,
    time: Option<Timestamp>,
    findings: &[Finding],
) -> String {
    match (tenant, time) {
        (Some(_), Some(time)) => run_id_at(tool, tenant, time),
        _ => format!("{tool}/{}", digest(tenant, time, findings)),
    }
}

/// Returns an identifier made of the time, so copies of a run with other results are the same run.
fn run_id_at(tool: Tool, tenant: Option<&ProviderTenantId>, time: Timestamp) -> String {
    match tenant {
        Some(tenant) => format!("{tool}/{tenant}/{time}"),
        None => format!("{tool}/{time}"),
    }
}

/// The content of a copy of a run, to distinguish copies of the same run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunContent {
    /// Number of readable rows.
    pub rows: usize,
    /// Digest of the results.
    pub digest: String,
}

impl Run {
    /// Returns the content of the run. The texts of the results are not part of it.
    pub fn content(&self) -> RunContent {
        let results = self.findings.iter().map(|it| (&it.check.control_id, it.revision, it.check.status));
        let text = serde_json::json!(results.collect::<Vec<_>>()).to_string();
        RunContent { rows: self.rows.total - self.rows.lost, digest: hex::encode(&Sha256::digest(text)[..16]) }
    }

    /// Sets the end of a run whose file does not contain it. Has no effect on other runs.
    ///
    /// Runs at different times are different runs, so the time becomes part of an identifier that consists of the
    /// results, or takes its place: a copy with other results is the same run, unless it is a part of one.
    pub fn complete_at(&mut self, time: Timestamp) {
        if self.completed.is_some() {
            return;
        }
        self.completed = Some(time);
        self.issues.retain(|issue| issue.kind != IssueKind::TimeUnknown);
        if self.run_id.starts_with(&format!("{}/", self.tool)) {
            self.run_id = match self.is_part {
                true => format!("{}/{time}", self.run_id),
                false => run_id_at(self.tool, self.tenant.as_ref(), time),
            };
        }
    }
}

/// Returns the first half of a SHA-256 digest of the results, in hex. The catalogue's texts are not part of it, because
/// they change with this service and not with the run.
fn digest(tenant: Option<&ProviderTenantId>, time: Option<Timestamp>, findings: &[Finding]) -> String {
    let results: Vec<_> = findings
        .iter()
        .map(|Finding { check, revision, .. }| (&check.control_id, revision, check.status, &check.current_state))
        .collect();
    let text = serde_json::json!([tenant, time, results]).to_string();
    hex::encode(&Sha256::digest(text)[..16])
}
