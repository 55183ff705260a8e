//! Changes of a tenant by its identifier, made again on what another writer left when one came between.

use aws_sdk_dynamodb::types::AttributeValue;
use backon::Retryable;
use futures_util::TryStreamExt;

use super::table::{AT_ONCE, Item, backoff};
use super::{Organization, RemoveTenant, StoreError, TenantRecord};
use model::{ServiceTenantId, Timestamp};

/// Attempts to come through between other writers.
const ATTEMPTS: usize = 20;

impl Organization {
    /// Pauses or resumes a tenant. None where there is no such tenant.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn pause_tenant(&self, id: &ServiceTenantId, paused: bool) -> Result<Option<TenantRecord>, StoreError> {
        self.edit_tenant(id, |tenant| tenant.is_paused = paused).await
    }

    /// Renames a tenant, then its name in each of its reports. None where there is no such tenant.
    ///
    /// Reports added from then on have the new name already. An interrupted rename is completed by another.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn rename_tenant(&self, id: &ServiceTenantId, name: &str) -> Result<Option<TenantRecord>, StoreError> {
        let Some(mut tenant) = self.edit_tenant(id, |tenant| name.clone_into(&mut tenant.name)).await? else {
            return Ok(None);
        };
        loop {
            self.rename_reports(id, &tenant.name).await?;
            match self.tenant(id).await? {
                // Renamed once more in the meantime: the two sweeps may have left a mixture.
                Some(now) if now.name != tenant.name => tenant = now,
                now => return Ok(now),
            }
        }
    }

    /// Removes a tenant. None where there is no such tenant.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn offboard_tenant(
        &self,
        id: &ServiceTenantId,
        removed_at: Timestamp,
    ) -> Result<Option<TenantRecord>, StoreError> {
        let attempt = || async {
            let Some(tenant) = self.tenant(id).await? else { return Ok(None) };
            match self.remove_tenant(&tenant, removed_at).await? {
                RemoveTenant::Removed => Ok(Some(tenant)),
                RemoveTenant::Changed => Err(StoreError::Contended("removing a tenant")),
            }
        };
        attempt.retry(backoff(ATTEMPTS)).when(came_between).await
    }

    async fn edit_tenant(
        &self,
        id: &ServiceTenantId,
        edit: impl Fn(&mut TenantRecord),
    ) -> Result<Option<TenantRecord>, StoreError> {
        let attempt = || async {
            let Some(mut tenant) = self.tenant(id).await? else { return Ok(None) };
            edit(&mut tenant);
            if !self.change_tenant(&tenant).await? {
                return Err(StoreError::Contended("changing a tenant"));
            }
            tenant.version += 1;
            Ok(Some(tenant))
        };
        attempt.retry(backoff(ATTEMPTS)).when(came_between).await
    }

    async fn rename_reports(&self, id: &ServiceTenantId, name: &str) -> Result<(), StoreError> {
        let reports = self.store.keys_of(self.partition.reports_of(id, None));
        let name = || Item::from([("tenantName".to_owned(), AttributeValue::S(name.to_owned()))]);
        // A report that is gone needs no name.
        reports.try_for_each_concurrent(AT_ONCE, async |key| self.store.set(key, name(), None).await.map(drop)).await
    }
}

fn came_between(error: &StoreError) -> bool {
    matches!(error, StoreError::Contended(_))
}
