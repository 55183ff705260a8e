//! Weeks, from Monday to Sunday in UTC.

use std::fmt;
use std::str::FromStr;

use chrono::{Datelike, Days, NaiveDate, NaiveTime};
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// A week of ISO 8601, written as `2026-W29`. All texts have the same length, so they sort by time; storage keys rely
/// on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline, with = "String", extend("pattern" = "^[0-9]{4}-W[0-9]{2}$")))]
#[serde(try_from = "String", into = "String")]
pub struct Week(NaiveDate);

/// The text is no [`Week`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a week: expected the form 2026-W29, in the years 1 to 9998")]
pub struct InvalidWeek;

impl Week {
    /// Returns the week of a time. Those at the ends of the calendar have no other weeks beside them and are moved.
    pub fn of(at: Timestamp) -> Self {
        let date = at.date();
        let date = date.with_year(date.year().clamp(2, 9997)).unwrap_or(date);
        Self(date - Days::new(date.weekday().num_days_from_monday().into()))
    }

    /// Returns its beginning, which is the end of the week before.
    pub fn begins(self) -> Timestamp {
        self.0.and_time(NaiveTime::MIN).and_utc().try_into().expect("it is in the calendar")
    }

    /// Returns the beginning of the next week.
    pub fn ends(self) -> Timestamp {
        self.next().begins()
    }

    /// Returns the next week.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + Days::new(7))
    }

    /// Returns the week that is a number of weeks before.
    #[must_use]
    pub fn back(self, weeks: u32) -> Self {
        Self(self.0 - Days::new(7 * u64::from(weeks)))
    }

    /// Returns the weeks from this one to another, without the latter.
    pub fn until(self, end: Self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |week| Some(week.next())).take_while(move |week| *week < end)
    }
}

impl fmt::Display for Week {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let week = self.0.iso_week();
        write!(f, "{:04}-W{:02}", week.year(), week.week())
    }
}

impl FromStr for Week {
    type Err = InvalidWeek;

    fn from_str(text: &str) -> Result<Self, InvalidWeek> {
        let monday = NaiveDate::parse_from_str(&format!("{text}-1"), "%G-W%V-%u").map_err(|_| InvalidWeek)?;
        let week = Self(monday);
        ((1..=9998).contains(&monday.year()) && week.to_string() == text).then_some(week).ok_or(InvalidWeek)
    }
}

impl TryFrom<String> for Week {
    type Error = InvalidWeek;

    fn try_from(text: String) -> Result<Self, InvalidWeek> {
        text.parse()
    }
}

impl From<Week> for String {
    fn from(week: Week) -> Self {
        week.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn week(at: &str) -> Week {
        Week::of(at.parse().unwrap())
    }

    #[test]
    fn a_week_begins_on_monday_and_may_be_of_another_year_than_its_days() {
        for (at, text, begins) in [
            ("2026-07-19T23:59:59.999Z", "2026-W29", "2026-07-13T00:00:00.000Z"),
            ("2026-07-20T00:00:00Z", "2026-W30", "2026-07-20T00:00:00.000Z"),
            ("2027-01-03T12:00:00Z", "2026-W53", "2026-12-28T00:00:00.000Z"),
            ("2024-12-30T00:00:00Z", "2025-W01", "2024-12-30T00:00:00.000Z"),
        ] {
            let of = week(at);
            assert_eq!((of.to_string(), of.begins().to_string()), (text.to_owned(), begins.to_owned()));
            assert_eq!((text.parse(), of.next().begins()), (Ok(of), of.ends()));
        }
        for text in ["", "2026-29", "2026-W54", "2026-W00", "2026-W5", "0000-W01", "+026-W01", "2026-W29 "] {
            assert_eq!(text.parse::<Week>(), Err(InvalidWeek), "{text:?}");
        }
        assert_eq!(["0000-01-01T00:00:00Z", "9999-12-31T00:00:00Z"].map(|at| week(at).ends().date().year()), [2, 9998]);
    }

    #[test]
    fn weeks_are_counted_across_years() {
        let [first, last] = ["2026-W52", "2027-W02"].map(|text| text.parse::<Week>().unwrap());
        assert_eq!(first.until(last).map(String::from).collect::<Vec<_>>(), ["2026-W52", "2026-W53", "2027-W01"]);
        assert_eq!((last.back(3), last.until(first).count()), (first, 0));
    }
}
