//! Risks that somebody accepts for a time.

use std::fmt;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The acceptance of a risk: nobody needs to act on the control for a time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AcceptedRisk {
    /// The reason, as somebody wrote it.
    pub reason: String,
    /// Day (UTC) on which it ends. Reports that are completed before this day have the risk as accepted.
    pub until: NaiveDate,
}

impl AcceptedRisk {
    /// Longest reason, in characters.
    pub const LONGEST_REASON: usize = 1_000;

    /// Returns whether the day of its end has come.
    pub fn is_over(&self, at: Timestamp) -> bool {
        at.date() >= self.until
    }
}

/// A reason for accepting a risk, and its end, as a tool's file proposes them. People decide.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProposedRisk {
    /// The comment in the file.
    pub reason: String,
    /// The date in the file; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<NaiveDate>,
}

impl fmt::Debug for AcceptedRisk {
    /// Leaves out the reason, which can name people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcceptedRisk").field("until", &self.until).finish_non_exhaustive()
    }
}

impl fmt::Debug for ProposedRisk {
    /// Leaves out the reason, which can name people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProposedRisk").field("until", &self.until).finish_non_exhaustive()
    }
}
