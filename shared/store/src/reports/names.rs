//! Current names of tenants in lists of reports.
//!
//! A pointer contains the name that the tenant had when the pointer was written. A tenant that was renamed since, or
//! whose removal is in progress, has a *correction*. All corrections are one small read, so a rename is one write, and
//! reading a list does not read its tenants.

use std::collections::HashMap;

use model::ServiceTenantId;
use serde::{Deserialize, Serialize};

use super::ListedReport;
use crate::table::Action;
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError, Writer};

/// The correction of a tenant, as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Correction {
    pub(crate) service_tenant_id: ServiceTenantId,
    /// The current name, or `None` while the tenant is being removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

/// The names of the tenants of one list: those that were corrected, and those that the list has already shown. Every
/// report has the first name that the list shows for its tenant, even if the tenant is renamed meanwhile.
pub(crate) struct Names(HashMap<ServiceTenantId, Option<String>>);

impl Names {
    /// Returns the names for a list of one tenant's reports.
    pub(super) fn of(tenant: &TenantRecord) -> Self {
        Self(HashMap::from([(tenant.service_tenant_id.clone(), Some(tenant.name.clone()))]))
    }

    /// Returns the pointers with current names. Leaves out those of tenants that are being removed.
    pub(super) fn correct(&mut self, mut pointers: Vec<ListedReport>) -> Vec<ListedReport> {
        pointers.retain_mut(|of| self.correct_one(&of.summary.service_tenant_id, &mut of.tenant_name));
        pointers
    }

    /// Sets a tenant's name to the current one. Returns whether the tenant is listed: not while it is being removed.
    pub(crate) fn correct_one(&mut self, tenant: &ServiceTenantId, name: &mut String) -> bool {
        match self.0.get(tenant) {
            Some(Some(current)) => {
                name.clone_from(current);
                true
            }
            Some(None) => false,
            None => {
                self.0.insert(tenant.clone(), Some(name.clone()));
                true
            }
        }
    }
}

impl Organization {
    /// Returns the names for a list of all tenants' reports.
    pub(crate) async fn names(&self) -> Result<Names, StoreError> {
        self.corrections().await.map(Names)
    }

    /// Returns the corrections of all tenants.
    pub(crate) async fn corrections(&self) -> Result<HashMap<ServiceTenantId, Option<String>>, StoreError> {
        let corrections: Vec<Correction> = self.store.all(self.partition.corrections()).await?;
        Ok(corrections.into_iter().map(|Correction { service_tenant_id, name }| (service_tenant_id, name)).collect())
    }
}

impl Writer {
    /// Returns the action that corrects a tenant's name in its pointers, or, without a name, takes the tenant out of
    /// all lists.
    pub(crate) fn correct(&self, tenant: &ServiceTenantId, name: Option<&str>) -> Result<Action, StoreError> {
        let correction = Correction { service_tenant_id: tenant.clone(), name: name.map(str::to_owned) };
        self.store.write(self.partition.correction(tenant), &correction)
    }
}
