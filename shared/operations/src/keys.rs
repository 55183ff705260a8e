//! API keys of an organization. Only an Admin can create and delete them.

use model::{KeyId, Timestamp};
use store::{ApiKeyListing, CreatedKey, KeyError, Organization, StoreError};

use crate::actor::Admin;

/// Creates a key. The result is the only place that contains its text.
///
/// # Errors
/// If the organization does not exist or the store fails.
pub async fn create(
    organization: &Organization,
    admin: &Admin,
    description: Option<String>,
    created_at: Timestamp,
) -> Result<CreatedKey, KeyError> {
    admin.actor().acting_on(organization, created_at).create_key(description, created_at).await
}

/// Returns all keys, oldest first, without their text.
///
/// # Errors
/// If the store fails.
pub async fn list(organization: &Organization) -> Result<Vec<ApiKeyListing>, StoreError> {
    organization.keys().await
}

/// Deletes a key. The next request with it fails.
///
/// # Errors
/// If there is no such key or the store fails.
pub async fn delete(
    organization: &Organization,
    admin: &Admin,
    id: &KeyId,
    deleted_at: Timestamp,
) -> Result<(), KeyError> {
    admin.actor().acting_on(organization, deleted_at).delete_key(id).await
}
