//! Times, in the only form that the service reads, sorts and writes.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDate, SecondsFormat, SubsecRound, Utc};
use serde::{Deserialize, Serialize};

/// A time in UTC, to the millisecond, in the years 0 to 9999.
///
/// Written as RFC 3339 with milliseconds and `Z`. All texts have the same length, so they sort by time; storage keys
/// rely on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline, extend("format" = "date-time")))]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(DateTime<Utc>);

/// The text or time cannot be a [`Timestamp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a date-time: expected RFC 3339, such as 2026-01-31T09:30:00.000Z, in the years 0000 to 9999")]
pub struct InvalidTimestamp;

/// Parses a date written exactly as `YYYY-MM-DD`: chrono alone also accepts signs, and shorter and longer years.
pub fn calendar_date(text: &str) -> Option<NaiveDate> {
    let exact = text.bytes().enumerate().all(|(place, byte)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    (exact && text.len() == 10).then(|| text.parse().ok()).flatten()
}

impl Timestamp {
    /// Returns the date (UTC).
    pub fn date(self) -> NaiveDate {
        self.0.date_naive()
    }

    /// Returns the time for calculations.
    pub fn to_datetime(self) -> DateTime<Utc> {
        self.0
    }
}

impl TryFrom<DateTime<Utc>> for Timestamp {
    type Error = InvalidTimestamp;

    /// Truncates to the millisecond.
    fn try_from(moment: DateTime<Utc>) -> Result<Self, InvalidTimestamp> {
        (0..=9999).contains(&moment.year()).then(|| Self(moment.trunc_subsecs(3))).ok_or(InvalidTimestamp)
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let moment = DateTime::parse_from_rfc3339(text).map_err(|_| InvalidTimestamp)?;
        moment.to_utc().try_into()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = InvalidTimestamp;

    fn try_from(text: String) -> Result<Self, InvalidTimestamp> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> String {
        moment.to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_is_written_in_one_form() {
        for (text, written) in [
            ("2024-08-02T19:25:11.166Z", "2024-08-02T19:25:11.166Z"),
            ("2024-08-02T19:25:11.1669Z", "2024-08-02T19:25:11.166Z"),
            ("2024-08-02T21:25:11+02:00", "2024-08-02T19:25:11.000Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), written);
        }
        for text in ["", "2024-08-02", "2024-13-02T00:00:00Z", "0000-01-01T00:00:00+01:00"] {
            assert_eq!(text.parse::<Timestamp>(), Err(InvalidTimestamp), "{text:?}");
        }
    }

    #[test]
    fn a_time_is_written_into_json_in_its_form_and_has_its_date() {
        let moment: Timestamp = "2024-08-02T23:25:11-02:00".parse().unwrap();
        assert_eq!(serde_json::to_string(&moment).unwrap(), "\"2024-08-03T01:25:11.000Z\"");
        assert_eq!(moment.date().to_string(), "2024-08-03");
    }

    #[test]
    fn a_date_has_four_digits_two_and_two() {
        assert_eq!(calendar_date("2024-02-29"), NaiveDate::from_ymd_opt(2024, 2, 29));
        for text in
            ["2023-02-29", "2024-2-29", "2024/02/29", "+024-02-29", "12024-02-29", "2024-02-290", "2024-02-2a", ""]
        {
            assert_eq!(calendar_date(text), None, "{text:?}");
        }
    }
}
