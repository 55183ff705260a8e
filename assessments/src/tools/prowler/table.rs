//! Findings as a table.

use serde::Deserialize;

use super::finding::{Finding, Origin, ProwlerCheck, first_tenant, parse_time};
use super::runs::TenantRuns;
use crate::file::{Input, Unreadable};
use crate::run::FileRuns;
use crate::text::non_empty;

/// Reads findings as a table.
pub(crate) fn read_table(input: Input<'_>) -> Result<FileRuns, Unreadable> {
    let mut runs = TenantRuns::default();
    for row in input.table::<TableFinding>() {
        runs.take(row?.map(TableFinding::into_finding));
    }
    runs.finish()
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
struct TableFinding {
    provider: String,
    check_id: String,
    status: String,
    status_extended: String,
    account_uid: String,
    muted: Option<String>,
    account_organization_uid: Option<String>,
    timestamp: Option<String>,
    check_title: Option<String>,
    severity: Option<String>,
    risk: Option<String>,
    remediation_recommendation_text: Option<String>,
    prowler_version: Option<String>,
}

impl TableFinding {
    fn into_finding(self) -> Finding {
        let origin = Origin {
            tenant: first_tenant([self.account_organization_uid.as_ref(), Some(&self.account_uid)]),
            provider: self.provider,
            version: non_empty(self.prowler_version),
            time: self.timestamp.as_deref().and_then(parse_time),
        };
        Finding {
            origin,
            check: self.check_id,
            status: self.status,
            muted: self.muted.is_some_and(|muted| muted.eq_ignore_ascii_case("true")),
            text: self.status_extended,
            texts: ProwlerCheck {
                title: self.check_title.unwrap_or_default(),
                severity: self.severity.unwrap_or_default(),
                risk: self.risk.unwrap_or_default(),
                remediation: self.remediation_recommendation_text.unwrap_or_default(),
            },
        }
    }
}
