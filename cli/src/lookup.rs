//! Finds what a command names, or fails with the reason.

use model::ReportId;
use store::{Organization, ReportError, StoredReport, TenantError, TenantRecord};

/// Returns the tenant with a service identifier or, failing that, a provider identifier, ignoring case.
pub(crate) async fn tenant(organization: &Organization, reference: &str) -> Result<TenantRecord, TenantError> {
    let tenant = organization.find_tenant(reference).await?;
    tenant.ok_or_else(|| TenantError::NotFound(reference.to_owned()))
}

/// Returns a report.
pub(crate) async fn report(organization: &Organization, id: &ReportId) -> Result<StoredReport, ReportError> {
    organization.report(id).await?.ok_or_else(|| ReportError::NotFound(id.clone()))
}
