//! Findings in the Open Cybersecurity Schema Framework, as JSON.

use model::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::finding::{Finding, Origin, ProwlerCheck, first_tenant, parse_time};
use super::runs::TenantRuns;
use crate::file::{Input, Unreadable, each_row};
use crate::run::FileRuns;
use crate::text::non_empty;

/// Status of a finding that the operator has muted.
const MUTED: &str = "Suppressed";

/// Reads findings in OCSF.
pub(crate) fn read_ocsf(input: Input<'_>) -> Result<FileRuns, Unreadable> {
    let mut runs = TenantRuns::default();
    input.json_into(each_row(|row: Option<OcsfFinding>| runs.take(row.map(OcsfFinding::into_finding))))?;
    runs.finish()
}

#[derive(Deserialize)]
struct OcsfFinding {
    metadata: Metadata,
    finding_info: FindingInfo,
    status_code: String,
    status: Option<String>,
    status_detail: Option<String>,
    severity: Option<String>,
    risk_details: Option<String>,
    remediation: Option<Remediation>,
    /// A text, or the seconds since 1970 if the tool was run with the option for them.
    #[serde(default)]
    time_dt: Value,
    #[serde(default)]
    cloud: Cloud,
    #[serde(default)]
    unmapped: Unmapped,
}

#[derive(Deserialize)]
struct Metadata {
    event_code: String,
    tenant_uid: Option<String>,
    #[serde(default)]
    product: Product,
}

#[derive(Default, Deserialize)]
struct Product {
    version: Option<String>,
}

#[derive(Deserialize)]
struct FindingInfo {
    title: Option<String>,
}

#[derive(Deserialize)]
struct Remediation {
    desc: Option<String>,
}

#[derive(Default, Deserialize)]
struct Cloud {
    provider: Option<String>,
    #[serde(default)]
    account: Account,
}

#[derive(Default, Deserialize)]
struct Account {
    uid: Option<String>,
}

#[derive(Default, Deserialize)]
struct Unmapped {
    provider: Option<String>,
    provider_uid: Option<String>,
}

impl OcsfFinding {
    fn into_finding(self) -> Finding {
        let tenants = [&self.metadata.tenant_uid, &self.unmapped.provider_uid, &self.cloud.account.uid];
        let origin = Origin {
            tenant: first_tenant(tenants.map(Option::as_ref)),
            provider: self.cloud.provider.or(self.unmapped.provider).unwrap_or_default(),
            version: non_empty(self.metadata.product.version),
            time: time(&self.time_dt),
        };
        Finding {
            origin,
            check: self.metadata.event_code,
            status: self.status_code,
            muted: self.status.as_deref() == Some(MUTED),
            text: self.status_detail.unwrap_or_default(),
            texts: ProwlerCheck {
                title: self.finding_info.title.unwrap_or_default(),
                severity: self.severity.unwrap_or_default(),
                risk: self.risk_details.unwrap_or_default(),
                remediation: self.remediation.and_then(|remediation| remediation.desc).unwrap_or_default(),
            },
        }
    }
}

fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => parse_time(text),
        Value::Number(seconds) => parse_time(&seconds.to_string()),
        _ => None,
    }
}
