//! An organization as shown.

use model::{OrganizationId, Timestamp};
use serde::Serialize;
use store::OrganizationRecord;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownOrganization {
    pub(super) organization_id: OrganizationId,
    pub(super) name: String,
    pub(super) created_at: Timestamp,
}

impl From<OrganizationRecord> for ShownOrganization {
    fn from(record: OrganizationRecord) -> Self {
        Self { organization_id: record.organization_id, name: record.name, created_at: record.created_at }
    }
}
