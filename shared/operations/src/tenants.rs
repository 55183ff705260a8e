//! Tenants of an organization. Every member can add, rename, pause and resume them; only an Admin can remove one.

use futures_util::TryStreamExt;
use model::{ProviderTenantId, Service, ServiceTenantId, Timestamp};
use store::{Organization, StoreError, TenantRecord};

use crate::actor::{Actor, Admin};
use crate::name::DisplayName;

/// Why an operation on a tenant failed.
#[derive(Debug, thiserror::Error)]
pub enum TenantError {
    /// The organization has no such tenant, or it is removed.
    #[error("the organization has no tenant {0}")]
    NoSuchTenant(String),
    /// Another tenant of the organization has the provider identifier.
    #[error("the organization already has a tenant with that provider tenant id")]
    Exists,
    /// The store failed. The change may be partly done: repeating it completes it.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Returns all tenants that are not removed, ordered by service identifier.
///
/// # Errors
/// If the store fails.
pub async fn list(organization: &Organization) -> Result<Vec<TenantRecord>, StoreError> {
    organization.tenants().try_concat().await
}

/// Returns the tenant with a service identifier or, failing that, a provider identifier, ignoring case.
///
/// # Errors
/// [`TenantError::NoSuchTenant`] if there is none, or if the store fails.
pub async fn find(organization: &Organization, reference: &str) -> Result<TenantRecord, TenantError> {
    let tenant = organization.find_tenant(reference).await?;
    tenant.ok_or_else(|| TenantError::NoSuchTenant(reference.to_owned()))
}

/// Adds a tenant.
///
/// # Errors
/// [`TenantError::Exists`] if the provider identifier is taken, or if the store fails.
pub async fn add(
    organization: &Organization,
    actor: &Actor,
    name: DisplayName,
    provider_tenant_id: ProviderTenantId,
    onboarding_date: Timestamp,
) -> Result<TenantRecord, TenantError> {
    let tenant = TenantRecord {
        service_tenant_id: ServiceTenantId::generate(onboarding_date),
        name: name.into(),
        provider_tenant_id,
        is_paused: false,
        onboarding_date,
        service: Service::default(),
        latest: None,
        version: 0,
    };
    match actor.acting_on(organization, onboarding_date).add_tenant(&tenant).await {
        Ok(()) => Ok(tenant),
        Err(error) => Err(refused(&tenant.service_tenant_id, error)),
    }
}

/// Renames a tenant, also in all of its reports.
///
/// # Errors
/// If there is no such tenant or the store fails.
pub async fn rename(
    organization: &Organization,
    actor: &Actor,
    id: &ServiceTenantId,
    name: &DisplayName,
    renamed_at: Timestamp,
) -> Result<TenantRecord, TenantError> {
    let renamed = actor.acting_on(organization, renamed_at).rename_tenant(id, name.as_str()).await;
    renamed.map_err(|error| refused(id, error))
}

/// Pauses or resumes a tenant. A paused tenant stays listed and has no billable users.
///
/// # Errors
/// If there is no such tenant or the store fails.
pub async fn set_paused(
    organization: &Organization,
    actor: &Actor,
    id: &ServiceTenantId,
    paused: bool,
    changed_at: Timestamp,
) -> Result<TenantRecord, TenantError> {
    let changed = actor.acting_on(organization, changed_at).pause_tenant(id, paused).await;
    changed.map_err(|error| refused(id, error))
}

/// Removes a tenant: it is no longer listed, and its reports are no longer returned. This cannot be undone. Repeating
/// an interrupted removal completes it.
///
/// # Errors
/// If there is no such tenant or the store fails.
pub async fn remove(
    organization: &Organization,
    admin: &Admin,
    id: &ServiceTenantId,
    removed_at: Timestamp,
) -> Result<TenantRecord, TenantError> {
    let removed = admin.actor().acting_on(organization, removed_at).remove_tenant(id, removed_at).await;
    removed.map_err(|error| refused(id, error))
}

fn refused(id: &ServiceTenantId, error: store::TenantError) -> TenantError {
    match error {
        store::TenantError::Exists => TenantError::Exists,
        store::TenantError::NotFound => TenantError::NoSuchTenant(id.to_string()),
        store::TenantError::Store(error) => error.into(),
    }
}
