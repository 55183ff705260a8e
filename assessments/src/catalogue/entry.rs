//! Entries of the catalogue: data about a control or a family of controls.

use std::fmt;

use model::{Category, ControlId, Severity};
use serde::Deserialize;

/// Likelihood of a control if the catalogue has none: the middle of 1 to 5.
pub(super) const DEFAULT_LIKELIHOOD: u8 = 3;

/// Where a control belongs in a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Placement {
    /// In no section, so the control is left out of the report. Read first, because a category reads any word.
    Outside(Subject),
    /// In a section.
    Section(Category),
}

/// Subject of a control that no section of a report covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Subject {
    AiAgents,
    CloudInfrastructure,
    DataProtection,
    DevelopmentPlatforms,
    Devices,
    NetworkAccess,
    OnPremisesDirectory,
    OtherApplications,
    SecurityOperations,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AiAgents => "AI agents",
            Self::CloudInfrastructure => "cloud infrastructure",
            Self::DataProtection => "labelling and protection of data",
            Self::DevelopmentPlatforms => "development platforms",
            Self::Devices => "devices",
            Self::NetworkAccess => "network access",
            Self::OnPremisesDirectory => "the on-premises directory",
            Self::OtherApplications => "applications outside the suite",
            Self::SecurityOperations => "security operations",
        })
    }
}

/// Everything known about one control.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// Identifier, without revision.
    pub(crate) id: ControlId,
    /// Where the control belongs, unless its family decides.
    pub(super) category: Option<Placement>,
    /// Severity, if it replaces the one that the tool states or implies.
    pub(super) severity: Option<Severity>,
    /// How likely a failing control is to be abused: 1 (rarely) to 5 (attacked every day).
    #[serde(default = "default_likelihood")]
    pub(super) likelihood: u8,
    /// Name of the control, if the tool's own name varies with the assessed object.
    pub(crate) name: Option<String>,
    /// Name of the control if the file has none.
    pub(crate) fallback_name: Option<String>,
    /// Why the control matters, in one line, if the tool gives no reason.
    pub(crate) why: Option<String>,
    /// How to meet best practice, in one line, if the tool does not say.
    pub(crate) suggested_fix: Option<String>,
}

fn default_likelihood() -> u8 {
    DEFAULT_LIKELIHOOD
}

/// Controls that belong together, whether or not they have entries of their own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Family {
    /// Beginning of the ids. The longest match wins.
    pub(super) prefix: Option<String>,
    /// Beginning of the tool's own group. Ids take precedence over groups.
    pub(super) group: Option<String>,
    /// Where its controls belong, unless their own entries decide.
    pub(super) category: Option<Placement>,
    /// Prefix of another tool's controls that these controls repeat. It takes the place of `prefix`.
    pub(super) repeats: Option<String>,
}
