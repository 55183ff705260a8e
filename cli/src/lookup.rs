//! Finds what a command names, or fails with the reason.

use std::collections::HashMap;

use anyhow::bail;
use futures_util::TryStreamExt;
use model::{ReportId, ServiceTenantId};
use store::{Organization, ReportError, StoreError, StoredReport, TenantError, TenantRecord};

/// Returns the tenant with a service identifier or, failing that, a provider identifier or a name, ignoring case.
///
/// # Errors
/// If there is none, several tenants have the name, or the store fails.
pub(crate) async fn tenant(organization: &Organization, reference: &str) -> anyhow::Result<TenantRecord> {
    if let Some(tenant) = organization.find_tenant(reference).await? {
        return Ok(tenant);
    }
    let name = reference.trim().to_lowercase();
    let tenants: Vec<_> = organization.tenants().try_concat().await?;
    let mut named: Vec<_> = tenants.into_iter().filter(|tenant| tenant.name.trim().to_lowercase() == name).collect();
    match (named.pop(), named.is_empty()) {
        (Some(tenant), true) => Ok(tenant),
        (Some(last), false) => {
            named.push(last);
            let ids = named.iter().map(|it| format!("{} (provider {})", it.service_tenant_id, it.provider_tenant_id));
            let ids = ids.collect::<Vec<_>>().join(", ");
            bail!("{} tenants have the name {reference}, so name one by its identifier: {ids}", named.len())
        }
        (None, _) => Err(TenantError::NotFound(reference.to_owned()).into()),
    }
}

/// Returns a report.
pub(crate) async fn report(organization: &Organization, id: &ReportId) -> Result<StoredReport, ReportError> {
    organization.report(id).await?.ok_or_else(|| ReportError::NotFound(id.clone()))
}

/// Returns a report, also one of a removed tenant.
pub(crate) async fn report_even_removed(
    organization: &Organization,
    id: &ReportId,
) -> Result<StoredReport, ReportError> {
    match organization.removed_report(id).await? {
        Some(report) => Ok(report),
        None => self::report(organization, id).await,
    }
}

/// Returns the names of all tenants of an organization.
///
/// # Errors
/// If the store fails.
pub(crate) async fn tenant_names(organization: &Organization) -> Result<HashMap<ServiceTenantId, String>, StoreError> {
    let tenants: Vec<TenantRecord> = organization.tenants().try_concat().await?;
    Ok(tenants.into_iter().map(|tenant| (tenant.service_tenant_id, tenant.name)).collect())
}
