//! The end of an organization: access first, then its data, then its name.

use super::keys::Key;
use super::{Organization, Store, StoreError, keys};
use model::OrganizationId;

impl Store {
    /// Deletes an organization with everything of it. False where there was none.
    ///
    /// Its keys go first, so that access ends at once. The organization stays listed until all else is gone: an
    /// interrupted deletion shows, and is completed by another.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn delete_organization(&self, id: &OrganizationId) -> Result<bool, StoreError> {
        let organization = self.organization(id);
        let existed = organization.record().await?.is_some();
        organization.clear().await?;
        let last = vec![self.erase(organization.partition.organization()), self.erase(keys::registered(id))];
        self.transact(last).await?;
        // Only now can no key be made any more: one may have been since the keys were deleted.
        organization.clear().await?;
        Ok(existed)
    }
}

impl Organization {
    /// Deletes everything but the organization itself. A key's listing goes with its look-up and not alone, since it
    /// is all that tells where the look-up is.
    async fn clear(&self) -> Result<(), StoreError> {
        self.revoke_keys().await?;
        let (own, api_keys) = (self.partition.organization(), self.partition.api_keys());
        let stays = |key: &Key| *key == own || api_keys.contains(key);
        // A writer at work may add behind the sweep; once its tenant is gone, it no longer can.
        while self.store.delete_range(self.partition.everything(), stays).await? > 0 {}
        Ok(())
    }
}
