//! Identifiers of runs whose files contain none.

use model::{ProviderTenantId, Timestamp};
use sha2::{Digest, Sha256};

use super::tool::Tool;
use super::types::Finding;

/// Returns an identifier made of tenant and time or, if one of them is unknown, a digest of the results.
pub(super) fn run_id(
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

/// Returns the first half of a SHA-256 digest of the results, in hex. The catalogue's texts are not part of it, because
/// they change with this service and not with the run.
fn digest(tenant: Option<&ProviderTenantId>, time: Option<Timestamp>, findings: &[Finding]) -> String {
    let results: Vec<_> = findings
        .iter()
        .map(|Finding { check, revision }| (&check.control_id, revision, check.status, &check.current_state))
        .collect();
    let text = serde_json::json!([tenant, time, results]).to_string();
    hex::encode(&Sha256::digest(text)[..16])
}
