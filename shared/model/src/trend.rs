//! The trend of all tenants, week by week.

use serde::{Deserialize, Serialize};

use super::{ServiceTenantId, Severity, Timestamp, Week};

/// The figures of a tool at the end of a week, over each tenant's newest report of it. Paused tenants are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Trend {
    /// The week, by ISO 8601.
    pub week: Week,
    /// End of the week: the Monday after it, 00:00 UTC.
    pub ends_at: Timestamp,
    /// The tool. Scores of different tools do not compare.
    pub tool: String,
    /// Number of tenants with a report.
    pub tenants: u32,
    /// Average of their scores, to a tenth.
    pub average_score: f64,
    /// Number of their controls that are open, drifted or in progress.
    pub open_controls: u64,
    /// The controls that reports of the week found fixed, by severity; null if that is not known.
    pub fixed: Option<Vec<TrendFixed>>,
    /// The tenants whose scores changed most since the end of the week before: at most 10, the largest change first.
    pub moved: Vec<TrendMoved>,
}

impl Trend {
    /// Most weeks of which there are trends.
    pub const MOST_WEEKS: u32 = 52;
}

/// The controls of a severity that were found fixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TrendFixed {
    /// The severity; null for controls without one.
    pub severity: Option<Severity>,
    /// Number of controls.
    pub controls: u32,
    /// Days within which half of them were fixed, from the first report that found a control open.
    pub median_days: u32,
}

/// A tenant whose score changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TrendMoved {
    /// Identifier issued by this service.
    pub service_tenant_id: ServiceTenantId,
    /// Display name.
    pub name: String,
    /// Score at the end of the week before.
    pub score_before: u8,
    /// Score at the end of the week.
    pub score: u8,
    /// Link that opens the tenant in the dashboard.
    pub url: String,
}
