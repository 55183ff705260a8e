//! The tenants of reports: their current names, and whether they are removed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::{self, StreamExt, TryStreamExt};
use model::ServiceTenantId;
use serde::Deserialize;

use crate::table::{BATCH, Consistency};
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError};

/// Number of batches of tenants that are read concurrently.
const AT_ONCE: usize = 4;

/// Names of tenants, each read once. Cheap to clone; clones share the names that they read.
#[derive(Clone)]
pub(super) struct Names {
    organization: Organization,
    known: Arc<Mutex<HashMap<ServiceTenantId, Option<String>>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    service_tenant_id: ServiceTenantId,
    name: String,
}

impl Names {
    pub(super) fn new(organization: &Organization) -> Self {
        Self { organization: organization.clone(), known: Arc::default() }
    }

    /// Adds the name of a tenant that was already read.
    pub(super) fn know(&self, tenant: &TenantRecord) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(tenant.service_tenant_id.clone(), Some(tenant.name.clone()));
    }

    /// Returns the names of tenants, in their order: `None` for a removed tenant.
    ///
    /// Tenants are read strongly consistent, so a removal or a new name applies at once.
    pub(super) async fn of(&self, tenants: Vec<ServiceTenantId>) -> Result<Vec<Option<String>>, StoreError> {
        self.read(&tenants).await?;
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(tenants.iter().map(|tenant| known.get(tenant).cloned().flatten()).collect())
    }

    /// Reads the tenants that are not known yet.
    async fn read(&self, tenants: &[ServiceTenantId]) -> Result<(), StoreError> {
        let mut unknown: Vec<ServiceTenantId> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            tenants.iter().filter(|tenant| !known.contains_key(*tenant)).cloned().collect()
        };
        unknown.sort_unstable();
        unknown.dedup();
        let batches: Vec<Vec<_>> = unknown.chunks(BATCH).map(<[_]>::to_vec).collect();
        let read = stream::iter(batches).map(|batch| self.batch(batch)).buffer_unordered(AT_ONCE);
        let read: Vec<_> = read.try_collect().await?;
        self.known.lock().unwrap_or_else(PoisonError::into_inner).extend(read.into_iter().flatten());
        Ok(())
    }

    async fn batch(
        &self,
        tenants: Vec<ServiceTenantId>,
    ) -> Result<HashMap<ServiceTenantId, Option<String>>, StoreError> {
        let keys = tenants.iter().map(|tenant| self.organization.partition.tenant(tenant)).collect();
        let items = self.organization.store.batch_get_existing(keys, Consistency::Strong).await?;
        let mut names: HashMap<_, _> = tenants.into_iter().map(|tenant| (tenant, None)).collect();
        for item in items.into_values() {
            let Named { service_tenant_id, name } = serde_dynamo::from_item(item)?;
            names.insert(service_tenant_id, Some(name));
        }
        Ok(names)
    }
}
