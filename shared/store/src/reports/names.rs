//! Current names of tenants in lists of reports.
//!
//! A pointer contains the name that the tenant had when the pointer was written. A tenant that was renamed since, or
//! whose removal is in progress, has a *correction*. All corrections are one small read, so a rename is one write, and
//! reading a list does not read its tenants.
//!
//! Corrections are read after the pointers: a name that is newer than another one in the same list was written after
//! its correction, so no list mixes two names.

use std::collections::HashMap;
use std::sync::Arc;

use model::ServiceTenantId;
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use super::ListedReport;
use crate::table::Action;
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError};

/// The correction of a tenant, as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Correction {
    pub(crate) service_tenant_id: ServiceTenantId,
    /// The current name, or `None` while the tenant is being removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

/// The corrections for the pointers of one list, read once. Cheap to clone; clones share what was read.
#[derive(Clone)]
pub(super) struct Names {
    organization: Organization,
    corrections: Arc<OnceCell<HashMap<ServiceTenantId, Option<String>>>>,
}

impl Names {
    /// Returns the names for pointers that have already been read.
    pub(super) fn new(organization: &Organization) -> Self {
        Self { organization: organization.clone(), corrections: Arc::default() }
    }

    /// Returns the name of the only tenant of a list.
    pub(super) fn of(organization: &Organization, tenant: &TenantRecord) -> Self {
        let corrections = HashMap::from([(tenant.service_tenant_id.clone(), Some(tenant.name.clone()))]);
        Self { organization: organization.clone(), corrections: Arc::new(OnceCell::new_with(Some(corrections))) }
    }

    /// Returns the pointers with current names. Leaves out those of tenants that are being removed.
    pub(super) async fn correct(&self, mut pointers: Vec<ListedReport>) -> Result<Vec<ListedReport>, StoreError> {
        let corrections = self.corrections.get_or_try_init(|| self.organization.corrections()).await?;
        pointers.retain_mut(|pointer| match corrections.get(&pointer.summary.service_tenant_id) {
            Some(Some(name)) => {
                pointer.tenant_name.clone_from(name);
                true
            }
            Some(None) => false,
            None => true,
        });
        Ok(pointers)
    }
}

impl Organization {
    /// Returns the corrections of all tenants.
    pub(crate) async fn corrections(&self) -> Result<HashMap<ServiceTenantId, Option<String>>, StoreError> {
        let corrections: Vec<Correction> = self.store.all(self.partition.corrections()).await?;
        Ok(corrections.into_iter().map(|Correction { service_tenant_id, name }| (service_tenant_id, name)).collect())
    }

    /// Returns the action that corrects a tenant's name in its pointers, or, without a name, takes the tenant out of
    /// all lists.
    pub(crate) fn correct(&self, tenant: &ServiceTenantId, name: Option<&str>) -> Result<Action, StoreError> {
        let correction = Correction { service_tenant_id: tenant.clone(), name: name.map(str::to_owned) };
        self.store.write(self.partition.correction(tenant), &correction)
    }
}
