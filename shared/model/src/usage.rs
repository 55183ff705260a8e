//! Tenant usage and billing statistics.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{ProviderTenantId, ServiceTenantId, Timestamp};

/// A usage response without its tenants, which are streamed after it, and their number, which comes last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageHead {
    /// Date (UTC) the usage data is for.
    pub as_of: NaiveDate,
    /// When the data was recorded.
    pub report_generated_at: Timestamp,
    /// Name of the organization.
    pub organization_name: String,
}

/// Usage of one tenant on one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UsageTenant {
    /// Identifier issued by this service.
    pub service_tenant_id: ServiceTenantId,
    /// Identifier issued by the suite's provider.
    pub provider_tenant_id: ProviderTenantId,
    /// Day (UTC) the tenant was added.
    pub onboarding_date: NaiveDate,
    /// Display name on the day.
    pub display_name: String,
    /// Service that the tenant is subscribed to.
    pub service: Service,
    /// Whether the tenant was paused on the day.
    pub is_paused: bool,
    /// First day (UTC) that counts for billing.
    pub first_billable_date: NaiveDate,
    /// Billing status of the tenant.
    pub billable_status: BillableStatus,
    /// Users with at least one licence.
    pub total_licensed_users: u32,
    /// Users that are billed this month; 0 for a paused tenant.
    pub billable_users_this_month: u32,
    /// Percentage of the current month that is prorated, 0 to 100.
    #[cfg_attr(test, schemars(range(min = 0, max = 100)))]
    pub prorating_percentage_this_month: f64,
}

/// Billing status of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum BillableStatus {
    /// Before its first billable date.
    Trial,
    /// Billed.
    Active,
    /// Not billed while paused.
    Paused,
    /// Not for resale: never billed.
    #[serde(rename = "NFR")]
    NotForResale,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// Service that a tenant is subscribed to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Service {
    /// Posture monitoring.
    #[default]
    Monitoring,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}
