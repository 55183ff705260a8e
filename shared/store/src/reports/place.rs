//! Where a report is.

use model::{ReportId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

/// The keys of a report, part of every pointer to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Place {
    pub(crate) service_tenant_id: ServiceTenantId,
    pub(crate) completed_at: Timestamp,
    pub(crate) report_id: ReportId,
}
