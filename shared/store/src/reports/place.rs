//! The location of a report in the table, and its position in lists.

use model::{ReportId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::keys::Key;

/// The keys of a report, part of every pointer to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Place {
    pub(crate) service_tenant_id: ServiceTenantId,
    pub(crate) completed_at: Timestamp,
    pub(crate) report_id: ReportId,
}

impl Place {
    /// Returns the location in the key of a report.
    pub(crate) fn of_report(key: &Key) -> Option<Self> {
        Some(Self {
            service_tenant_id: key.tenant()?,
            completed_at: key.part(2)?.parse().ok()?,
            report_id: key.part(3)?.parse().ok()?,
        })
    }
}

/// The position of a report in every list: newest first by completion, then by identifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReportPosition {
    /// Its completion.
    pub completed_at: Timestamp,
    /// Its identifier.
    pub report_id: ReportId,
}
