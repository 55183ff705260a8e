//! Quiet times: hours and days in which a target is sent nothing.

use std::fmt;
use std::str::FromStr;

use chrono::{Datelike, DurationRound, TimeDelta, Timelike, Weekday, WeekdaySet};
use serde::{Deserialize, Serialize};

use super::{Hours, Timestamp};

/// Hours in a week: quiet times end within it.
const WEEK: i64 = 7 * 24;
/// The text of quiet times that there are none of.
const NEVER: &str = "never";

/// Hours of every day, and whole days of the week, in which nothing is sent (UTC). Written as `20-07,sat,sun` or `never`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct QuietTimes {
    hours: Option<Hours>,
    days: WeekdaySet,
}

/// The text is no [`QuietTimes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not quiet times: expected hours (UTC), days of the week, or both, such as 20-07,sat,sun, which leave an hour for messages, or never"
)]
pub struct InvalidQuietTimes;

impl QuietTimes {
    /// Returns quiet times.
    ///
    /// # Errors
    /// [`InvalidQuietTimes`] if they never end.
    pub fn new(hours: Option<Hours>, days: WeekdaySet) -> Result<Self, InvalidQuietTimes> {
        let ends = days != WeekdaySet::ALL && hours.is_none_or(|hours| hours.hours() < 24);
        ends.then_some(Self { hours, days }).ok_or(InvalidQuietTimes)
    }

    /// Returns the hours that are quiet on every day.
    pub fn hours(&self) -> Option<Hours> {
        self.hours
    }

    /// Returns the days that are quiet as a whole, Monday first.
    pub fn days(&self) -> impl Iterator<Item = Weekday> {
        self.days.iter(Weekday::Mon)
    }

    /// Returns when the quiet time ends in which a moment is, or `None` if it is in none.
    pub fn end(&self, now: Timestamp) -> Option<Timestamp> {
        let begun = now.to_datetime().duration_trunc(TimeDelta::hours(1)).ok()?;
        let mut hours = (0..=WEEK).map(|hours| begun + TimeDelta::hours(hours));
        let is_quiet = |hour: u32, day| self.days.contains(day) || self.hours.is_some_and(|it| it.contains(hour));
        let end = hours.find(|at| !is_quiet(at.hour(), at.weekday()))?;
        Timestamp::try_from(end).ok().filter(|_| end > begun)
    }
}

impl FromStr for QuietTimes {
    type Err = InvalidQuietTimes;

    fn from_str(text: &str) -> Result<Self, InvalidQuietTimes> {
        let (mut hours, mut days) = (None, WeekdaySet::EMPTY);
        for part in text.split(',').filter(|_| text != NEVER) {
            match part.parse() {
                Ok(day) => {
                    days.insert(day);
                }
                Err(_) if hours.is_none() => hours = Some(part.parse().map_err(|_| InvalidQuietTimes)?),
                Err(_) => return Err(InvalidQuietTimes),
            }
        }
        Self::new(hours, days)
    }
}

impl fmt::Display for QuietTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hours = self.hours.map(|hours| hours.to_string());
        let parts: Vec<_> = hours.into_iter().chain(self.days().map(|day| day.to_string().to_lowercase())).collect();
        if parts.is_empty() { f.write_str(NEVER) } else { f.write_str(&parts.join(",")) }
    }
}

impl TryFrom<String> for QuietTimes {
    type Error = InvalidQuietTimes;

    fn try_from(text: String) -> Result<Self, InvalidQuietTimes> {
        text.parse()
    }
}

impl From<QuietTimes> for String {
    fn from(quiet: QuietTimes) -> String {
        quiet.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_time_ends_with_the_first_hour_that_is_not_quiet() {
        // 2026-07-03 is a Friday.
        for (quiet, now, end) in [
            ("never", "2026-07-03T20:00:00Z", None),
            ("20-07", "2026-07-03T19:59:59.999Z", None),
            ("20-07", "2026-07-03T20:00:00Z", Some("2026-07-04T07:00:00Z")),
            ("20-07", "2026-07-04T06:59:59.999Z", Some("2026-07-04T07:00:00Z")),
            ("20-07", "2026-07-04T07:00:00Z", None),
            ("20-07,sat,sun", "2026-07-03T20:00:00Z", Some("2026-07-06T07:00:00Z")),
            ("sat", "2026-07-04T12:34:56Z", Some("2026-07-05T00:00:00Z")),
            ("09-17", "2026-07-03T09:00:00.001Z", Some("2026-07-03T17:00:00Z")),
            ("00-23,mon,tue,wed,thu,fri,sat", "2026-07-05T23:30:00Z", None),
            ("00-23,mon,tue,wed,thu,fri,sat", "2026-07-06T00:00:00Z", Some("2026-07-12T23:00:00Z")),
        ] {
            let quiet: QuietTimes = quiet.parse().unwrap();
            assert_eq!(quiet.end(now.parse().unwrap()), end.map(|end| end.parse().unwrap()), "{quiet} at {now}");
        }
    }

    #[test]
    fn quiet_times_are_read_as_written_and_leave_an_hour() {
        for (text, written) in
            [("never", "never"), ("9-17", "09-17"), ("Sunday,20-7,sat", "20-07,sat,sun"), ("sat,sat", "sat")]
        {
            let quiet: QuietTimes = text.parse().unwrap();
            assert_eq!((quiet.to_string(), written.parse()), (written.to_owned(), Ok(quiet)));
        }
        for text in ["", "20", "00-24", "05-05", "someday", "20-07,", "20-07,21-08", "mon,tue,wed,thu,fri,sat,sun"] {
            assert_eq!(text.parse::<QuietTimes>(), Err(InvalidQuietTimes), "{text}");
        }
    }
}
