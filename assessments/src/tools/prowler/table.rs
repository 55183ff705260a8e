//! Findings as a table.

use serde::Deserialize;
use serde_json::Value;

use super::finding::{Finding, Origin, ProwlerCheck, first_tenant};
use super::runs::TenantRuns;
use crate::file::{DateOrder, Input, Unreadable, WithoutOffset, damaged, read_boolean, read_time_in};
use crate::run::FileRuns;
use crate::text::non_empty;

/// Reads findings as a table.
pub(crate) fn read_table(input: Input<'_>) -> Result<FileRuns, Unreadable> {
    let mut runs = TenantRuns::default();
    let mut has_rows = false;
    let order = input.date_order(&["TIMESTAMP"])?;
    for row in input.table::<TableFinding>()? {
        has_rows = true;
        runs.take(row?.map(|row| row.into_finding(order)));
    }
    if has_rows { runs.finish() } else { Err(Unreadable::NoRows) }
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
struct TableFinding {
    check_id: String,
    status: String,
    provider: Option<String>,
    status_extended: Option<String>,
    account_uid: Option<String>,
    muted: Option<String>,
    account_organization_uid: Option<String>,
    #[serde(default)]
    timestamp: Value,
    check_title: Option<String>,
    severity: Option<String>,
    risk: Option<String>,
    remediation_recommendation_text: Option<String>,
    prowler_version: Option<String>,
}

impl TableFinding {
    fn into_finding(self, order: Option<DateOrder>) -> Finding {
        let muted = self.muted.as_deref().map_or(Some(false), read_boolean);
        let origin = Origin {
            product: None,
            tenant: first_tenant([self.account_organization_uid.as_ref(), self.account_uid.as_ref()]),
            provider: self.provider,
            version: non_empty(self.prowler_version),
            time: read_time_in(&self.timestamp, WithoutOffset::IsUtc, order),
        };
        Finding {
            origin,
            check: self.check_id,
            status: self.status,
            muted: muted.unwrap_or_default(),
            text: self.status_extended.unwrap_or_default(),
            texts: ProwlerCheck {
                title: self.check_title.unwrap_or_default(),
                severity: self.severity.unwrap_or_default(),
                risk: self.risk.unwrap_or_default(),
                remediation: self.remediation_recommendation_text.unwrap_or_default(),
            },
            damaged: damaged([("MUTED", muted.is_none())]),
        }
    }
}
