//! The days without a report after which a tenant is stale.

use std::fmt;
use std::str::FromStr;

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

/// Days without a report after which a tenant is stale, from 1 to 365. By default 35: reports of each month are in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct StaleAfter(u16);

/// The number or text is no [`StaleAfter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of days from 1 to 365")]
pub struct InvalidStaleAfter;

impl StaleAfter {
    /// Returns the time.
    pub fn time(self) -> TimeDelta {
        TimeDelta::days(self.0.into())
    }
}

impl Default for StaleAfter {
    fn default() -> Self {
        Self(35)
    }
}

impl TryFrom<u16> for StaleAfter {
    type Error = InvalidStaleAfter;

    fn try_from(days: u16) -> Result<Self, InvalidStaleAfter> {
        (1..=365).contains(&days).then_some(Self(days)).ok_or(InvalidStaleAfter)
    }
}

impl FromStr for StaleAfter {
    type Err = InvalidStaleAfter;

    fn from_str(text: &str) -> Result<Self, InvalidStaleAfter> {
        text.parse::<u16>().map_err(|_| InvalidStaleAfter)?.try_into()
    }
}

impl From<StaleAfter> for u16 {
    fn from(days: StaleAfter) -> Self {
        days.0
    }
}

impl fmt::Display for StaleAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_up_to_a_year() {
        for text in ["1", "365"] {
            assert_eq!(text.parse::<StaleAfter>().unwrap().to_string(), text);
        }
        for text in ["", "0", "366", "-1", "1.5", "70000"] {
            assert_eq!(text.parse::<StaleAfter>(), Err(InvalidStaleAfter), "{text}");
        }
        assert!(serde_json::from_str::<StaleAfter>("0").is_err());
        assert_eq!(serde_json::to_string(&StaleAfter::default()).unwrap(), "35");
    }
}
