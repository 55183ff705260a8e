//! Edits that are kept for a control of a tenant. [`edits`](crate::edits) keeps them, [`import`](crate::import) applies
//! them to the report of each later run.

use model::{ControlId, ServiceTenantId, Timestamp};
use store::{KeptEdit, Organization, StoreError};

use crate::actor::Actor;

/// Why a kept edit was not ended.
#[derive(Debug, thiserror::Error)]
pub enum KeptEditError {
    /// No edit is kept for the control, or the tenant is removed.
    #[error("no edit is kept for control {0}")]
    NotKept(ControlId),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Returns the kept edits of a tenant, in order of their controls.
///
/// # Errors
/// If the store fails.
pub async fn list(organization: &Organization, tenant: &ServiceTenantId) -> Result<Vec<KeptEdit>, StoreError> {
    organization.kept_edits(tenant).await
}

/// Returns whether an edit is kept for a control of a tenant.
///
/// # Errors
/// If the store fails.
pub async fn is_kept(
    organization: &Organization,
    tenant: &ServiceTenantId,
    control: &ControlId,
) -> Result<bool, StoreError> {
    Ok(organization.kept_edit(tenant, control).await?.is_some())
}

/// Ends a kept edit. Reports that it was applied to do not change.
///
/// # Errors
/// [`KeptEditError::NotKept`], or if the store fails.
pub async fn end(
    organization: &Organization,
    actor: &Actor,
    tenant: &ServiceTenantId,
    control: &ControlId,
    ended_at: Timestamp,
) -> Result<(), KeptEditError> {
    match actor.acting_on(organization, ended_at).end_kept_edit(tenant, control).await? {
        true => Ok(()),
        false => Err(KeptEditError::NotKept(control.clone())),
    }
}
