//! Findings as a table.

use serde::Deserialize;

use super::finding::{Finding, Origin, Said, first_tenant, moment};
use super::runs::Runs;
use crate::read::{Format, Input, Outline, Part, Unreadable};
use crate::wording::stated;

/// The findings as a table.
pub(crate) struct Table;

impl Format for Table {
    fn name(&self) -> &'static str {
        "Prowler's findings (CSV)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        outline.is_table_with(&["PROVIDER", "CHECK_ID", "STATUS", "STATUS_EXTENDED", "ACCOUNT_UID"])
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let mut runs = Runs::default();
        for row in input.table::<TableRow>() {
            runs.take(row?.map(TableRow::into_finding));
        }
        runs.into_parts()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
struct TableRow {
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

impl TableRow {
    fn into_finding(self) -> Finding {
        let origin = Origin {
            tenant: first_tenant([self.account_organization_uid.as_ref(), Some(&self.account_uid)]),
            provider: self.provider,
            version: stated(self.prowler_version),
            time: self.timestamp.as_deref().and_then(moment),
        };
        Finding {
            origin,
            check: self.check_id,
            status: self.status,
            muted: self.muted.is_some_and(|muted| muted.eq_ignore_ascii_case("true")),
            text: self.status_extended,
            said: Said {
                title: self.check_title.unwrap_or_default(),
                severity: self.severity.unwrap_or_default(),
                risk: self.risk.unwrap_or_default(),
                remediation: self.remediation_recommendation_text.unwrap_or_default(),
            },
        }
    }
}
