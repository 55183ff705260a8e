//! Tenants: found by either identifier, and listed.

use futures_util::Stream;
use model::{
    DisplayName, Label, ObjectId, ProviderTenantId, ReportId, Schedule, Service, ServiceTenantId, TenantListItem,
    Timestamp,
};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::events::EventContent;
use super::reports::Place;
use super::table::{Order, Transaction};
use super::{Damage, Organization, StoreError, Writer};

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
    /// The tool that people chose to lead; without a choice, the service decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leading_tool: Option<String>,
    /// The users and groups that are declared to be emergency access, which policies may exclude.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emergency_access: Vec<ObjectId>,
    /// When its reports are due, in place of the organization's schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Labels, by which lists are filtered, in alphabetical order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// When it was last resumed: no report was expected before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<Timestamp>,
    /// The last sign of life ([`TenantRecord::heard_at`]) when it was last told to be stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_since: Option<Timestamp>,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
}

/// A tenant's newest report: by completion, then by identifier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LatestReport {
    /// Its completion.
    pub completed_at: Timestamp,
    /// Its identifier.
    pub report_id: ReportId,
}

/// Why a tenant was not changed.
#[derive(Debug, thiserror::Error)]
pub enum TenantError {
    /// The organization already has a tenant with that provider identifier.
    #[error("the organization already has a tenant with that provider tenant id")]
    Exists,
    /// The organization has no such tenant, or it is removed.
    #[error("the organization has no tenant {0}")]
    NotFound(String),
    /// The store failed. The change may be partly done: repeating it completes it.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// The tenant with a provider's identifier.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProviderPointer {
    pub(super) service_tenant_id: ServiceTenantId,
}

impl From<TenantRecord> for TenantListItem {
    fn from(tenant: TenantRecord) -> Self {
        Self {
            service_tenant_id: tenant.service_tenant_id,
            name: tenant.name,
            provider_tenant_id: tenant.provider_tenant_id,
            is_paused: tenant.is_paused,
            onboarding_date: tenant.onboarding_date,
            labels: tenant.labels,
        }
    }
}

impl TenantRecord {
    /// Returns the location of the tenant's newest report.
    pub(super) fn latest_place(&self) -> Option<Place> {
        let latest = self.latest.as_ref()?;
        Some(Place {
            service_tenant_id: self.service_tenant_id.clone(),
            completed_at: latest.completed_at,
            report_id: latest.report_id.clone(),
        })
    }
}

impl Organization {
    /// Returns the tenant named by a text: by service identifier first, then by provider identifier, ignoring case.
    ///
    /// Returns `None` for a tenant of another organization, a removed tenant, and text that is not an identifier.
    ///
    /// # Errors
    /// If the store fails.
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

    /// Returns the tenant with a service identifier, or `None` if there is none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tenant(&self, id: &ServiceTenantId) -> Result<Option<TenantRecord>, StoreError> {
        self.store.get(self.partition.tenant(id)).await
    }

    /// Returns the tenant with a provider identifier, or `None` if there is none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tenant_of_provider(&self, id: &ProviderTenantId) -> Result<Option<TenantRecord>, StoreError> {
        let key = self.partition.provider_tenant(id);
        let pointer: Option<ProviderPointer> = self.store.get(key.clone()).await?;
        let Some(pointer) = pointer else { return Ok(None) };
        match self.tenant(&pointer.service_tenant_id).await? {
            Some(tenant) if tenant.provider_tenant_id != *id => {
                Err(Damage::of(key, "the item points to a tenant with another provider identifier").into())
            }
            tenant => Ok(tenant),
        }
    }

    /// Returns all tenants that are not removed, ordered by service identifier, a page at a time.
    pub fn tenants(&self) -> impl Stream<Item = Result<Vec<TenantRecord>, StoreError>> + use<> {
        self.store.query(self.partition.tenants(), Order::OldestFirst, &[])
    }
}

impl Writer {
    /// Adds a tenant and returns it. Its onboarding date is the time of the change.
    ///
    /// # Errors
    /// [`TenantError::Exists`] if the provider identifier is taken, or the store fails.
    pub async fn add_tenant(
        &self,
        service_tenant_id: ServiceTenantId,
        name: DisplayName,
        provider_tenant_id: ProviderTenantId,
    ) -> Result<TenantRecord, TenantError> {
        let tenant = TenantRecord {
            service_tenant_id,
            name: name.into(),
            provider_tenant_id,
            is_paused: false,
            onboarding_date: self.at,
            service: Service::default(),
            latest: None,
            leading_tool: None,
            emergency_access: Vec::new(),
            schedule: None,
            labels: Vec::new(),
            resumed_at: None,
            stale_since: None,
            version: 0,
        };
        let pointer = ProviderPointer { service_tenant_id: tenant.service_tenant_id.clone() };
        self.watch().await?;
        let actions = vec![
            self.store.create(self.partition.provider_tenant(&tenant.provider_tenant_id), &pointer)?,
            self.store.create(self.partition.tenant(&tenant.service_tenant_id), &tenant)?,
            self.mark_tenants()?,
        ];
        let name = Some(tenant.name.clone());
        let deed = || {
            let deed = Deed::new(AuditAction::TenantAdded, &tenant.service_tenant_id).with("name", None, name);
            deed.telling(EventContent::of_tenant(&tenant))
        };
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok(tenant),
            Transaction::Refused(_) => Err(TenantError::Exists),
        }
    }
}
