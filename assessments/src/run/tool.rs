//! The tools whose files are read.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A tool whose results are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tool {
    /// The service's own assessment of a snapshot.
    BuiltIn,
    /// Maester: tests of a community, and those of several benchmarks.
    Maester,
    /// Prowler: checks for many providers, Microsoft 365 among them.
    Prowler,
    /// ScubaGear: CISA's baselines for Microsoft 365.
    ScubaGear,
    /// Microsoft Secure Score: the daily score of a tenant.
    SecureScore,
    /// Microsoft Zero Trust Assessment.
    ZeroTrustAssessment,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 6] =
        [Self::BuiltIn, Self::Maester, Self::Prowler, Self::ScubaGear, Self::SecureScore, Self::ZeroTrustAssessment];

    /// Returns the greatest number of top-privilege administrators that the tool's own rule allows.
    pub(crate) fn best_practice_max_admins(self) -> u32 {
        match self {
            // MS.AAD.7.1: two to eight.
            Self::ScubaGear => 8,
            Self::BuiltIn | Self::Maester | Self::Prowler | Self::SecureScore | Self::ZeroTrustAssessment => 4,
        }
    }
}

impl fmt::Display for Tool {
    /// Writes the name as the tool spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BuiltIn => "Built-in assessment",
            Self::Maester => "Maester",
            Self::Prowler => "Prowler",
            Self::ScubaGear => "ScubaGear",
            Self::SecureScore => "Microsoft Secure Score",
            Self::ZeroTrustAssessment => "Zero Trust Assessment",
        })
    }
}
