//! The billable users of one tenant (beta).

use serde::{Deserialize, Serialize};

use super::{ProviderTenantId, ServiceTenantId, Timestamp};

/// A response with billable users without its users, which stream after it, and their number, which comes last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BillableUsersHead {
    /// The service tenant identifier.
    pub tenant_id: ServiceTenantId,
    /// Display name of the tenant.
    pub tenant_display_name: String,
    /// The provider's identifier, under its name on the wire.
    pub microsoft_tenant_id: ProviderTenantId,
    /// The same value under its neutral name.
    pub provider_tenant_id: ProviderTenantId,
    /// When the users were recorded.
    pub report_generated_at: Timestamp,
}

/// A user with at least one assigned licence.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BillableUser {
    /// Identifier in the provider's directory.
    pub id: String,
    /// Display name.
    pub display_name: String,
    /// Sign-in name.
    pub user_principal_name: String,
    /// Mail address; empty when the user has none.
    pub mail: String,
    /// Whether the account can sign in.
    pub account_enabled: bool,
    /// Identifiers of the assigned licences.
    pub assigned_license_sku_ids: Vec<String>,
}

impl std::fmt::Debug for BillableUser {
    /// Names and addresses must not reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BillableUser").field("account_enabled", &self.account_enabled).finish_non_exhaustive()
    }
}
