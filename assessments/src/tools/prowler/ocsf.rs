//! Findings in the Open Cybersecurity Schema Framework, as JSON.

use model::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::finding::{Finding, Origin, Said, first_tenant, moment};
use super::runs::Runs;
use crate::read::{Format, Input, Outline, Part, Unreadable, each};
use crate::wording::stated;

/// What the status of a finding says when the operator has muted it.
const MUTED: &str = "Suppressed";

/// The findings as OCSF.
pub(crate) struct Ocsf;

impl Format for Ocsf {
    fn name(&self) -> &'static str {
        "Prowler's findings (OCSF, JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        outline.is_json_with(&["metadata/event_code", "finding_info", "status_code"])
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let mut runs = Runs::default();
        input.json_into(each(|row: Option<OcsfRow>| runs.take(row.map(OcsfRow::into_finding))))?;
        runs.into_parts()
    }
}

#[derive(Deserialize)]
struct OcsfRow {
    metadata: Metadata,
    finding_info: FindingInfo,
    status_code: String,
    status: Option<String>,
    status_detail: Option<String>,
    severity: Option<String>,
    risk_details: Option<String>,
    remediation: Option<Remediation>,
    /// A text, or a number where the tool was told to write seconds since 1970.
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

impl OcsfRow {
    fn into_finding(self) -> Finding {
        let tenants = [&self.metadata.tenant_uid, &self.unmapped.provider_uid, &self.cloud.account.uid];
        let origin = Origin {
            tenant: first_tenant(tenants.map(Option::as_ref)),
            provider: self.cloud.provider.or(self.unmapped.provider).unwrap_or_default(),
            version: stated(self.metadata.product.version),
            time: time(&self.time_dt),
        };
        Finding {
            origin,
            check: self.metadata.event_code,
            status: self.status_code,
            muted: self.status.as_deref() == Some(MUTED),
            text: self.status_detail.unwrap_or_default(),
            said: Said {
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
        Value::String(text) => moment(text),
        Value::Number(seconds) => moment(&seconds.to_string()),
        _ => None,
    }
}
