//! The tenant list.

use serde::{Deserialize, Serialize};

use super::{Label, ProviderTenantId, ServiceTenantId, Timestamp};

/// One tenant of the organization, as listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TenantListItem {
    /// Identifier issued by this service.
    pub service_tenant_id: ServiceTenantId,
    /// Display name.
    pub name: String,
    /// Identifier issued by the suite's provider.
    pub provider_tenant_id: ProviderTenantId,
    /// Paused tenants stay in listings.
    pub is_paused: bool,
    /// When the tenant was added.
    pub onboarding_date: Timestamp,
    /// The labels that people gave the tenant, in alphabetical order; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
}
