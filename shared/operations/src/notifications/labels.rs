//! The labels of tenants, as rules ask for them.

use std::collections::HashMap;

use futures_util::TryStreamExt;
use model::{Event, EventRules, Label, ServiceTenantId};
use store::{Organization, StoreError, TenantRecord};

/// The labels that tenants of an organization have now, also removed ones. Each tenant is read once, and only if a rule
/// asks for labels.
#[derive(Debug, Default)]
pub(super) struct Labels(HashMap<ServiceTenantId, Vec<Label>>);

impl Labels {
    /// Returns the labels for rules that many events are compared with.
    pub(super) async fn ahead(organization: &Organization, rules: &EventRules) -> Result<Self, StoreError> {
        if rules.labels.is_empty() {
            return Ok(Self::default());
        }
        let tenants: Vec<_> = organization.tenants().try_concat().await?;
        Ok(Self(tenants.into_iter().map(|tenant| (tenant.service_tenant_id, tenant.labels)).collect()))
    }

    /// Returns whether a target with these rules is told of an event.
    pub(super) async fn select(
        &mut self,
        organization: &Organization,
        rules: &EventRules,
        event: &Event,
    ) -> Result<bool, StoreError> {
        let tenant = event.tenant.as_ref().filter(|_| !rules.labels.is_empty());
        let Some(id) = tenant.map(|tenant| &tenant.service_tenant_id) else { return Ok(rules.select(event, &[])) };
        if !self.0.contains_key(id) {
            let tenant = match organization.tenant(id).await? {
                Some(tenant) => Some(tenant),
                None => organization.removed_tenant(id).await?,
            };
            self.0.insert(id.clone(), tenant.map(|tenant: TenantRecord| tenant.labels).unwrap_or_default());
        }
        Ok(rules.select(event, &self.0[id]))
    }
}
