//! Controls over all tenants.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{
    Category, ControlId, ControlsRollup, ProviderTenantId, ReportId, ServiceTenantId, Severity, Status, Timestamp,
};

/// A control of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Control {
    /// Stable identifier of the control.
    pub control_id: ControlId,
    /// Requirement of the control.
    pub name: String,
    /// Report section.
    pub category: Category,
    /// How much clients should care if the control is misconfigured.
    pub severity: Option<Severity>,
    /// The tool whose reports have the control.
    pub tool: String,
}

/// A control, as listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ControlListItem {
    /// The control.
    #[serde(flatten)]
    pub control: Control,
    /// Counts of the tenants by result.
    pub tenants: ControlsRollup,
    /// The number of tenants that do not meet it, but for which somebody accepted the risk.
    pub accepted_risks: u32,
}

/// The result of a control for one tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ControlTenant {
    /// Identifier issued by this service.
    pub service_tenant_id: ServiceTenantId,
    /// Display name.
    pub name: String,
    /// Identifier issued by the suite's provider.
    pub provider_tenant_id: ProviderTenantId,
    /// The result.
    pub status: Status,
    /// Date of the first report since which the control has been secure, not secure or not assessed.
    pub since: NaiveDate,
    /// Day (UTC) on which the acceptance of the risk ends; absent if it is not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_until: Option<NaiveDate>,
    /// The newest report of the tool.
    pub report_id: ReportId,
    /// When its generation finished.
    pub completed_at: Timestamp,
    /// Link that opens the report in the dashboard.
    pub url: String,
}
