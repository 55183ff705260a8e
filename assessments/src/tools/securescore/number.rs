//! Numbers, which files contain as numbers or as text.

use std::fmt;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A number in hundredths, which compares exactly. Smaller digits are cut off: nearly all is not all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number(i64);

impl Number {
    /// Creates a whole number.
    pub(super) const fn of(whole: i64) -> Self {
        Self(whole * 100)
    }

    /// Returns the whole number of which this is `percent`. It is the nearest one, because the percentage is rounded.
    /// Returns `None` if `percent` is not above 0.
    pub(super) fn whole(self, percent: Self) -> Option<Self> {
        (percent.0 > 0).then(|| Self((self.0.saturating_mul(10_000) / percent.0).saturating_add(50) / 100 * 100))
    }

    /// Returns the percentage of a whole, rounded down so that 100 means all of it. Returns `None` if the whole is not
    /// above 0.
    pub(super) fn percent_of(self, whole: Self) -> Option<Self> {
        (whole.0 > 0).then(|| Self(self.0.saturating_mul(10_000) / whole.0))
    }

    /// Returns the number without its fraction. Returns `None` if it is below 0.
    pub(super) fn to_count(self) -> Option<u32> {
        u32::try_from(self.0 / 100).ok().filter(|_| self.0 >= 0)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[expect(clippy::cast_precision_loss, reason = "points have few digits")]
        let number = self.0 as f64 / 100.0;
        write!(f, "{number}")
    }
}

/// Reads a number or the text of one. Any other value is `None`.
pub(super) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Number>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
    Ok(number.and_then(hundredths))
}

fn hundredths(number: f64) -> Option<Number> {
    // The rounding error of a double must not turn 0.29 into 0.28.
    let hundredths = (number * 100.0 + 1e-6).floor();
    #[expect(clippy::cast_possible_truncation, reason = "compared with the bound before")]
    (hundredths.abs() < 1e15).then_some(Number(hundredths as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_recovered_from_a_rounded_percentage() {
        for (score, percent, whole) in
            [(200, 6_667, 3), (400, 6_667, 6), (800, 8_889, 9), (857, 9_524, 9), (300, 5_000, 6)]
        {
            assert_eq!(Number(score).whole(Number(percent)), Some(Number::of(whole)), "{score} is {percent}");
        }
        assert_eq!(Number(0).whole(Number(0)), None);
    }
}
