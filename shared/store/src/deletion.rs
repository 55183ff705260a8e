//! Deletion of an organization: access first, then its data, then its name.

use super::keys::Key;
use super::{Organization, OrganizationError, Store, StoreError, keys};
use model::OrganizationId;

impl Store {
    /// Deletes an organization with all its data.
    ///
    /// Works in steps. Keys are deleted first, so access ends at once. The organization stays listed until everything
    /// else is deleted, so an interrupted deletion is visible, and another call completes it.
    ///
    /// # Errors
    /// [`OrganizationError::NotFound`] if there was no such organization (its remaining data is deleted nevertheless),
    /// or the store fails.
    pub async fn delete_organization(&self, id: &OrganizationId) -> Result<(), OrganizationError> {
        let organization = self.organization(id);
        let existed = organization.record().await?.is_some();
        organization.clear().await?;
        let last = vec![self.erase(organization.partition.organization()), self.erase(keys::registered(id))];
        self.transact(last).await?;
        // From here on no key can be created; one may have been created since the keys were deleted.
        organization.clear().await?;
        existed.then_some(()).ok_or(OrganizationError::NotFound)
    }
}

impl Organization {
    /// Deletes everything except the organization itself. A key's listing is deleted together with its look-up, because
    /// only the listing says where the look-up is.
    async fn clear(&self) -> Result<(), StoreError> {
        self.revoke_keys().await?;
        self.forget_people().await?;
        let (own, api_keys) = (self.partition.organization(), self.partition.api_keys());
        let stays = |key: &Key| *key == own || api_keys.contains(key);
        // Another writer may add items after the sweep, until it notices that its tenant is deleted.
        while self.store.delete_range(self.partition.everything(), stays).await? > 0 {}
        Ok(())
    }
}
