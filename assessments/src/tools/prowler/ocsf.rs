//! Findings in the Open Cybersecurity Schema Framework, as JSON.

use model::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::finding::{Finding, Origin, ProwlerCheck, first_tenant};
use super::runs::TenantRuns;
use crate::file::{Field, Input, TimeProblem, Unreadable, WithoutOffset, damaged, each_row, read_time};
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
    status_code: String,
    #[serde(default)]
    finding_info: Field<FindingInfo>,
    #[serde(default)]
    status: Field<String>,
    #[serde(default)]
    status_detail: Field<String>,
    #[serde(default)]
    severity: Field<String>,
    #[serde(default)]
    risk_details: Field<String>,
    #[serde(default)]
    remediation: Field<Remediation>,
    /// A text, or the seconds since 1970 if the tool was run with the option for them.
    #[serde(default)]
    time_dt: Value,
    /// Seconds since 1970.
    #[serde(default)]
    time: Value,
    #[serde(default)]
    cloud: Field<Cloud>,
    #[serde(default)]
    unmapped: Field<Unmapped>,
}

#[derive(Deserialize)]
struct Metadata {
    event_code: String,
    #[serde(default)]
    tenant_uid: Field<String>,
    #[serde(default)]
    product: Field<Product>,
}

#[derive(Default, Deserialize)]
struct Product {
    #[serde(default)]
    name: Field<String>,
    #[serde(default)]
    version: Field<String>,
}

#[derive(Deserialize)]
struct FindingInfo {
    #[serde(default)]
    title: Field<String>,
}

#[derive(Deserialize)]
struct Remediation {
    #[serde(default)]
    desc: Field<String>,
}

#[derive(Default, Deserialize)]
struct Cloud {
    #[serde(default)]
    provider: Field<String>,
    #[serde(default)]
    account: Field<Account>,
}

#[derive(Default, Deserialize)]
struct Account {
    #[serde(default)]
    uid: Field<String>,
}

#[derive(Default, Deserialize)]
struct Unmapped {
    #[serde(default)]
    provider: Field<String>,
    #[serde(default)]
    provider_uid: Field<String>,
}

impl OcsfFinding {
    fn into_finding(self) -> Finding {
        let damaged = self.damaged();
        let time = self.read_time();
        let cloud = self.cloud.value().unwrap_or_default();
        let unmapped = self.unmapped.value().unwrap_or_default();
        let account = cloud.account.value().and_then(|account| account.uid.value());
        let tenants = [self.metadata.tenant_uid.value(), unmapped.provider_uid.value(), account];
        let product = self.metadata.product.value().unwrap_or_default();
        let origin = Origin {
            product: product.name.value(),
            tenant: first_tenant(tenants.iter().map(Option::as_ref)),
            provider: cloud.provider.value().or(unmapped.provider.value()),
            version: non_empty(product.version.value()),
            time,
        };
        let title = self.finding_info.value().and_then(|info| info.title.value());
        let remediation = self.remediation.value().and_then(|remediation| remediation.desc.value());
        Finding {
            origin,
            check: self.metadata.event_code,
            status: self.status_code,
            muted: self.status.text().is_some_and(|status| status.eq_ignore_ascii_case(MUTED)),
            text: self.status_detail.value().unwrap_or_default(),
            texts: ProwlerCheck {
                title: title.unwrap_or_default(),
                severity: self.severity.value().unwrap_or_default(),
                risk: self.risk_details.value().unwrap_or_default(),
                remediation: remediation.unwrap_or_default(),
            },
            damaged,
        }
    }

    /// Returns the time of the finding. `time_dt` without an offset is the local time of the machine that ran the tool,
    /// unless `time` says that it is UTC.
    fn read_time(&self) -> Result<Timestamp, TimeProblem> {
        let local = read_time(&self.time_dt, WithoutOffset::IsUnreadable);
        let as_utc = read_time(&self.time_dt, WithoutOffset::IsUtc);
        let seconds = read_time(&self.time, WithoutOffset::IsUtc);
        match (local, seconds) {
            (Ok(time), _) => Ok(time),
            (Err(_), Ok(time)) => Ok(as_utc.ok().filter(|it| is_same_second(*it, time)).unwrap_or(time)),
            (Err(_), Err(_)) => as_utc,
        }
    }

    fn damaged(&self) -> Vec<&'static str> {
        let is_damaged = |field: Option<&Field<String>>| field.is_some_and(Field::is_damaged);
        damaged([
            ("finding_info", self.finding_info.is_damaged()),
            ("finding_info.title", is_damaged(self.finding_info.get().map(|info| &info.title))),
            ("remediation.desc", is_damaged(self.remediation.get().map(|remediation| &remediation.desc))),
            ("metadata.tenant_uid", self.metadata.tenant_uid.is_damaged()),
            ("metadata.product.version", is_damaged(self.metadata.product.get().map(|product| &product.version))),
            ("cloud.provider", is_damaged(self.cloud.get().map(|cloud| &cloud.provider))),
            ("cloud.account", self.cloud.get().is_some_and(|cloud| cloud.account.is_damaged())),
            ("unmapped.provider_uid", is_damaged(self.unmapped.get().map(|unmapped| &unmapped.provider_uid))),
            ("status", self.status.is_damaged()),
            ("status_detail", self.status_detail.is_damaged()),
            ("severity", self.severity.is_damaged()),
            ("risk_details", self.risk_details.is_damaged()),
            ("remediation", self.remediation.is_damaged()),
            ("cloud", self.cloud.is_damaged()),
            ("unmapped", self.unmapped.is_damaged()),
            ("metadata.product", self.metadata.product.is_damaged()),
        ])
    }
}

fn is_same_second(a: Timestamp, b: Timestamp) -> bool {
    a.to_datetime().timestamp() == b.to_datetime().timestamp()
}
