//! API keys of an organization: only an Admin creates and deletes them.

use model::{KeyId, Timestamp};
use store::{CreatedKey, KeyError, Organization};

use crate::Admin;

/// Creates a key. Its text is returned here and nowhere else.
///
/// # Errors
/// If the organization does not exist or the store fails.
pub async fn create(
    organization: &Organization,
    _: &Admin,
    description: Option<String>,
    created_at: Timestamp,
) -> Result<CreatedKey, KeyError> {
    organization.create_key(description, created_at).await
}

/// Deletes a key. Its next request fails.
///
/// # Errors
/// If there is no such key or the store fails.
pub async fn delete(organization: &Organization, _: &Admin, id: &KeyId) -> Result<(), KeyError> {
    organization.delete_key(id).await
}
