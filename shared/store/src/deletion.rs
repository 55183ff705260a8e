//! Deletion of an organization: access first, then its data, then its name.

use super::api_keys::StoredKey;
use super::keys::Key;
use super::{Operator, Organization, OrganizationError, StoreError, keys};
use model::OrganizationId;

impl Operator {
    /// Deletes an organization with all its data.
    ///
    /// Works in steps. Keys are deleted first, so access ends at once. The organization stays listed until everything
    /// else is deleted, so an interrupted deletion is visible, and another call completes it.
    ///
    /// # Errors
    /// [`OrganizationError::NotFound`] if there was no such organization and nothing of it was left, or the store fails.
    pub async fn delete_organization(&self, id: &OrganizationId) -> Result<(), OrganizationError> {
        let Self(store) = self;
        let organization = store.organization(id);
        let existed = organization.record().await?.is_some();
        let left = clear(&organization).await?;
        store
            .transact(vec![store.erase(organization.partition.organization()), store.erase(keys::registered(id))])
            .await?;
        // From here on no key can be created; one may have been created since the keys were deleted.
        clear(&organization).await?;
        (existed || left > 0).then_some(()).ok_or_else(|| OrganizationError::NotFound(id.clone()))
    }
}

/// Deletes everything except the organization itself, and returns the number of deleted items. A key's listing is deleted together with its look-up, because
/// only the listing says where the look-up is.
async fn clear(organization: &Organization) -> Result<usize, StoreError> {
    let Organization { store, partition, .. } = organization;
    revoke_keys(organization).await?;
    forget_people(organization).await?;
    if let Some(at) = organization.schedules().await?.and_then(|schedules| schedules.next_at) {
        store.delete(keys::due(at, &organization.id)).await?;
    }
    let (own, api_keys) = (partition.organization(), partition.api_keys());
    let stays = |key: &Key| *key == own || api_keys.contains(key);
    let mut deleted = 0;
    // Another writer may add items after the sweep, until it notices that its tenant is deleted.
    loop {
        match store.delete_range(partition.everything(), stays).await? {
            0 => return Ok(deleted),
            some => deleted += some,
        }
    }
}

/// Deletes all keys, each look-up before its listing, so an interruption leaves no key unlisted.
async fn revoke_keys(Organization { store, partition, .. }: &Organization) -> Result<(), StoreError> {
    let keys: Vec<StoredKey> = store.all(partition.api_keys()).await?;
    for StoredKey { listing, hash } in keys {
        store.delete(keys::key_lookup(&hash)).await?;
        store.delete(partition.api_key(&listing.key_id)).await?;
    }
    Ok(())
}

/// Deletes the items of members and invitations outside the organization's partition.
async fn forget_people(organization: &Organization) -> Result<(), StoreError> {
    let store = &organization.store;
    for stored in organization.stored_invitations().await? {
        store.delete(keys::invitation_lookup(&stored.hash)).await?;
    }
    for member in organization.members().await? {
        store.delete(keys::membership(&member.identity, &organization.id)).await?;
    }
    Ok(())
}
