//! The results of controls in a report, and the risks among them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{AcceptedRisk, ProposedRisk};
use crate::ControlId;

/// One of the findings of highest likelihood x impact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TopRisk {
    /// The control.
    pub control_id: ControlId,
    /// Its name.
    pub name: String,
    /// Its result.
    pub status: Status,
    /// Its severity.
    pub severity: Option<Severity>,
}

/// The result of one control.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Stable identifier of the control.
    pub control_id: ControlId,
    /// Report section.
    pub category: Category,
    /// Requirement of the control.
    pub name: String,
    /// Its result.
    pub status: Status,
    /// How much the client should care if the control is misconfigured.
    pub severity: Option<Severity>,
    /// Plain-language description of the current configuration.
    pub current_state: String,
    /// Prior value, for fixed or drifted results.
    pub previous_state: Option<String>,
    /// One line on why the control matters.
    pub why: Option<String>,
    /// Recommended change to meet best practice.
    pub suggested_fix: Option<String>,
    /// Real use of the control during the lookback window, from the tenant's own activity logs.
    pub observed_usage: Option<String>,
    /// Recommendations of frameworks with the same requirement; absent if none is known, and in reports from before
    /// references were stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// Why and how long the risk is accepted; absent if it is not. The status stays as the tool found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_risk: Option<AcceptedRisk>,
    /// A reason and a date in the tool's file for which the risk could be accepted, which nobody has done by that; absent
    /// if the file has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_risk: Option<ProposedRisk>,
}

impl Check {
    /// Whether somebody needs to act on the control: best practice is not met, and the risk is not accepted.
    pub fn needs_action(&self) -> bool {
        self.status.is_failing() && self.accepted_risk.is_none()
    }
}

impl fmt::Debug for Check {
    /// Leaves out the texts: what a tool found can name people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check")
            .field("control_id", &self.control_id)
            .field("status", &self.status)
            .field("severity", &self.severity)
            .finish_non_exhaustive()
    }
}

/// A recommendation of a framework. `Display` writes it as `CIS 7.0: 5.2.2.3` or `SCuBA: MS.AAD.1.1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// Name of the framework.
    pub framework: String,
    /// Version of the framework; null if its identifiers do not depend on one.
    pub version: Option<String>,
    /// Number or identifier of the recommendation.
    pub id: String,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{} {version}: {}", self.framework, self.id),
            None => write!(f, "{}: {}", self.framework, self.id),
        }
    }
}

/// Result of a check, a top risk or an administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Meets best practice.
    Secure,
    /// Was a gap and is now secure.
    Fixed,
    /// Does not meet best practice.
    Open,
    /// Was secure and has regressed.
    Drifted,
    /// A fix is underway.
    InProgress,
    /// Could not be evaluated.
    NotAssessed,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

impl Status {
    /// Whether best practice is met, now.
    pub fn is_secure(self) -> bool {
        matches!(self, Self::Secure | Self::Fixed)
    }

    /// Whether the control was evaluated, and does not meet best practice.
    pub fn is_failing(self) -> bool {
        self.is_assessed() && !self.is_secure()
    }

    /// Whether the control was evaluated at all.
    pub fn is_assessed(self) -> bool {
        !matches!(self, Self::NotAssessed | Self::Unknown)
    }
}

/// How much the client should care if a control is misconfigured, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Severity {
    Critical,
    High,
    Medium,
    Low,
    // A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// Report section of a control, in section order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Category {
    ConditionalAccess,
    Accounts,
    GlobalAdmins,
    AppsDirectory,
    ExternalSharing,
    Exchange,
    // A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}
