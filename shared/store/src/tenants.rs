//! Tenants: found by either identifier, listed, and changed one writer at a time.

use futures_util::{Stream, TryStreamExt};
use serde::{Deserialize, Serialize};

use super::table::{Consistency, Order, Transaction};
use super::{Organization, StoreError};
use model::{ProviderTenantId, ReportId, Service, ServiceTenantId, TenantListItem, Timestamp};

/// A tenant, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantRecord {
    /// Identifier issued by this service.
    pub service_tenant_id: ServiceTenantId,
    /// Display name.
    pub name: String,
    /// Identifier issued by the suite's provider.
    pub provider_tenant_id: ProviderTenantId,
    /// Whether the tenant is paused.
    pub is_paused: bool,
    /// When the tenant was added.
    pub onboarding_date: Timestamp,
    /// Service that the tenant is subscribed to.
    pub service: Service,
    /// Its newest report.
    pub latest: Option<LatestReport>,
    /// Goes up with every change. A change is written only over the version that was read.
    pub version: u64,
}

/// Which report is a tenant's newest: by completion, then by identifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LatestReport {
    /// Its completion.
    pub completed_at: Timestamp,
    /// Its identifier.
    pub report_id: ReportId,
}

/// The organization already has a tenant with that provider identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the organization already has a tenant with that provider tenant id")]
pub struct TenantExists;

/// How the removal of a tenant ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoveTenant {
    /// It is removed.
    Removed,
    /// Another writer changed the tenant since it was read: read it again.
    Changed,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProviderPointer {
    pub(super) service_tenant_id: ServiceTenantId,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RemovedTenant<'a> {
    #[serde(flatten)]
    tenant: &'a TenantRecord,
    removed_at: Timestamp,
}

impl From<TenantRecord> for TenantListItem {
    fn from(tenant: TenantRecord) -> Self {
        Self {
            service_tenant_id: tenant.service_tenant_id,
            name: tenant.name,
            provider_tenant_id: tenant.provider_tenant_id,
            is_paused: tenant.is_paused,
            onboarding_date: tenant.onboarding_date,
        }
    }
}

impl Organization {
    /// The tenant that a text names: by service identifier first, then by provider identifier, in any case.
    ///
    /// None for a tenant of another organization, a removed one, and text that is no identifier at all.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn find_tenant(&self, reference: &str) -> Result<Option<TenantRecord>, StoreError> {
        if let Ok(id) = reference.parse()
            && let Some(tenant) = self.tenant(&id).await?
        {
            return Ok(Some(tenant));
        }
        match reference.parse() {
            Ok(id) => self.tenant_of_provider(&id).await,
            Err(_) => Ok(None),
        }
    }

    /// The tenant with a service identifier.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn tenant(&self, id: &ServiceTenantId) -> Result<Option<TenantRecord>, StoreError> {
        self.store.get(self.partition.tenant(id), Consistency::Strong).await
    }

    /// The tenant with a provider identifier.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn tenant_of_provider(&self, id: &ProviderTenantId) -> Result<Option<TenantRecord>, StoreError> {
        let pointer: Option<ProviderPointer> =
            self.store.get(self.partition.provider_tenant(id), Consistency::Strong).await?;
        match pointer {
            Some(pointer) => self.tenant(&pointer.service_tenant_id).await,
            None => Ok(None),
        }
    }

    /// All tenants that are not removed, in the order of their service identifiers, a page at a time.
    pub fn tenants(&self) -> impl Stream<Item = Result<Vec<TenantRecord>, StoreError>> + use<> {
        self.store.query(self.partition.tenants(), Order::OldestFirst, Consistency::Strong, None)
    }

    /// Adds a tenant.
    ///
    /// # Errors
    /// [`TenantExists`] inside where the provider identifier is taken; outside when the store fails.
    pub async fn add_tenant(&self, tenant: &TenantRecord) -> Result<Result<(), TenantExists>, StoreError> {
        let pointer = ProviderPointer { service_tenant_id: tenant.service_tenant_id.clone() };
        let actions = vec![
            self.store.create(self.partition.provider_tenant(&tenant.provider_tenant_id), &pointer)?,
            self.store.create(self.partition.tenant(&tenant.service_tenant_id), tenant)?,
        ];
        match self.store.transact(actions).await? {
            Transaction::Done => Ok(Ok(())),
            Transaction::Refused(_) => Ok(Err(TenantExists)),
        }
    }

    /// Writes a change of a tenant's name or pause. False where another writer came between: read the tenant again.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn change_tenant(&self, changed: &TenantRecord) -> Result<bool, StoreError> {
        let next = TenantRecord { version: changed.version + 1, ..changed.clone() };
        let key = self.partition.tenant(&changed.service_tenant_id);
        let outcome = self.store.transact(vec![self.store.replace(key, &next, changed.version)?]).await?;
        Ok(outcome == Transaction::Done)
    }

    /// Removes a tenant: it is no longer listed or found, and its reports are no longer returned.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn remove_tenant(
        &self,
        tenant: &TenantRecord,
        removed_at: Timestamp,
    ) -> Result<RemoveTenant, StoreError> {
        let id = &tenant.service_tenant_id;
        let mut actions = vec![
            self.store.erase_version(self.partition.tenant(id), tenant.version),
            self.store.create(self.partition.removed_tenant(id), &RemovedTenant { tenant, removed_at })?,
            self.store.erase(self.partition.provider_tenant(&tenant.provider_tenant_id)),
        ];
        if let Some(latest) = &tenant.latest {
            actions.push(self.store.erase(self.partition.latest(latest.completed_at, &latest.report_id)));
        }
        match self.store.transact(actions).await? {
            Transaction::Done => Ok(RemoveTenant::Removed),
            Transaction::Refused(_) => Ok(RemoveTenant::Changed),
        }
    }

    /// The identifiers of all removed tenants.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn removed_tenants(&self) -> Result<std::collections::HashSet<ServiceTenantId>, StoreError> {
        let range = self.partition.removed_tenants();
        let pages = self.store.query::<ProviderPointer>(range, Order::OldestFirst, Consistency::Strong, None);
        let removed = pages.try_fold(std::collections::HashSet::new(), |mut all, page| async move {
            all.extend(page.into_iter().map(|removed| removed.service_tenant_id));
            Ok(all)
        });
        removed.await
    }
}
