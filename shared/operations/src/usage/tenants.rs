//! The organization's tenants, by either identifier.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures_util::TryStreamExt;
use model::{ProviderTenantId, ServiceTenantId, UsageTenant};
use store::{Organization, StoreError, TenantRecord};

use super::figures::UsageRow;
use crate::rows::{Placed, RowError};

pub(super) struct Tenants {
    by_id: BTreeMap<ServiceTenantId, TenantRecord>,
    ids: HashMap<ProviderTenantId, ServiceTenantId>,
}

impl Tenants {
    pub(super) async fn of(organization: &Organization) -> Result<Self, StoreError> {
        let tenants: Vec<_> = organization.tenants().try_concat().await?;
        let ids = tenants.iter().map(|tenant| (tenant.provider_tenant_id.clone(), tenant.service_tenant_id.clone()));
        let ids = ids.collect();
        Ok(Self { by_id: tenants.into_iter().map(|tenant| (tenant.service_tenant_id.clone(), tenant)).collect(), ids })
    }

    pub(super) fn get(&self, id: &ServiceTenantId) -> Option<&TenantRecord> {
        self.by_id.get(id)
    }

    /// Returns the tenant that a row names. If the row has both identifiers, they must match.
    pub(super) fn named_by(&self, row: &Placed<UsageRow>) -> Result<&TenantRecord, RowError> {
        const NOT_A_TENANT: &str = "is not a tenant of the organization";
        let UsageRow { service_tenant_id, provider_tenant_id, .. } = &row.row;
        let by_provider = match provider_tenant_id {
            Some(id) => Some(self.ids.get(id).ok_or_else(|| row.error("providerTenantId", NOT_A_TENANT))?),
            None => None,
        };
        let id = match (service_tenant_id, by_provider) {
            (None, None) => return Err(row.error("serviceTenantId", "is missing, and so is providerTenantId")),
            (Some(a), Some(b)) if a != b => {
                return Err(row.error("providerTenantId", "belongs to another tenant than serviceTenantId"));
            }
            (Some(id), _) | (None, Some(id)) => id,
        };
        self.by_id.get(id).ok_or_else(|| row.error("serviceTenantId", NOT_A_TENANT))
    }

    /// Returns the tenants that no row names, in order.
    pub(super) fn missing_from(&self, rows: &[UsageTenant]) -> Vec<ServiceTenantId> {
        let recorded: HashSet<_> = rows.iter().map(|row| &row.service_tenant_id).collect();
        self.by_id.keys().filter(|id| !recorded.contains(id)).cloned().collect()
    }
}
