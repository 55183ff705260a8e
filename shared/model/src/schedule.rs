//! Schedules: when the service makes reports of tenants by itself.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc, Weekday};
use serde::{Deserialize, Serialize};

use crate::{ServiceTenantId, Timestamp};

/// Time after which a report that was due is missing. A busy tenant takes two hours, and many wait for their turn.
const PATIENCE: TimeDelta = TimeDelta::hours(6);
/// Any schedule has a day among so many in a row.
const LONGEST: u64 = 31;

/// When reports of a tenant are due: once on each of its days, within a window of hours.
///
/// Tenants are spread over the window by their identifiers, so that not all begin at once, and each always has the same
/// moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Its days.
    pub every: Every,
    /// Its window.
    pub between: Hours,
    /// The time from which it applies: nothing was due before.
    pub since: Timestamp,
}

/// The days of a schedule. Written as `never`, `daily`, `weekly:mon` or `monthly:15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Every {
    /// None.
    Never,
    /// All.
    Day,
    /// One of a week.
    Week(Weekday),
    /// One of a month: a shorter month has its last day instead.
    Month(u32),
    /// Days that this release does not know, written by a later one: none.
    Unknown,
}

/// A window of whole hours (UTC), which may end on the next day, at the same hour at the latest. Written as `22-04`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hours {
    from: u32,
    until: u32,
}

/// The text is no [`Every`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the days of a schedule: expected daily, weekly:mon to weekly:sun, monthly:1 to monthly:31, or never")]
pub struct InvalidDays;

/// The text is no [`Hours`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a window of hours: expected two hours (UTC), such as 22-04")]
pub struct InvalidHours;

impl Schedule {
    /// Returns the last moment at which a report of a tenant was due, up to a time.
    pub fn last(&self, tenant: &ServiceTenantId, now: Timestamp) -> Option<Timestamp> {
        self.last_until(now, self.between.offset(tenant)).filter(|last| *last > self.since)
    }

    /// Returns the first moment after a time at which a report of a tenant will be due.
    pub fn next(&self, tenant: &ServiceTenantId, now: Timestamp) -> Option<Timestamp> {
        self.next_after(now, self.between.offset(tenant))
    }

    /// Returns the first time after another at which a window begins.
    pub fn opens(&self, now: Timestamp) -> Option<Timestamp> {
        self.next_after(now, TimeDelta::zero())
    }

    /// Returns the last time up to another at which a window began, also before the schedule applied.
    pub fn opened(&self, now: Timestamp) -> Option<Timestamp> {
        self.last_until(now, TimeDelta::zero())
    }

    /// Returns whether a report of a tenant is missing that was due some hours ago. `newest` is the end of the last one.
    pub fn is_stale(&self, tenant: &ServiceTenantId, newest: Option<Timestamp>, now: Timestamp) -> bool {
        self.missing_at(tenant, newest.unwrap_or(self.since)).is_some_and(|at| at <= now)
    }

    /// Returns when a report of a tenant is missing, unless one comes after a time.
    pub fn missing_at(&self, tenant: &ServiceTenantId, after: Timestamp) -> Option<Timestamp> {
        let due = self.next(tenant, after.max(self.since))?;
        (due.to_datetime() + PATIENCE).try_into().ok()
    }

    fn last_until(&self, now: Timestamp, offset: TimeDelta) -> Option<Timestamp> {
        let days = (0..=LONGEST + 1).filter_map(|back| now.date().checked_sub_days(Days::new(back)));
        self.moments(days, offset).find(|moment| *moment <= now)
    }

    fn next_after(&self, now: Timestamp, offset: TimeDelta) -> Option<Timestamp> {
        // The window of the day before may be open.
        let first = now.date().pred_opt()?;
        let days = (0..=LONGEST + 1).filter_map(|ahead| first.checked_add_days(Days::new(ahead)));
        self.moments(days, offset).find(|moment| *moment > now)
    }

    fn moments(&self, days: impl Iterator<Item = NaiveDate>, offset: TimeDelta) -> impl Iterator<Item = Timestamp> {
        let days = days.filter(|day| self.every.contains(*day));
        days.filter_map(move |day| (self.between.opens_on(day)? + offset).try_into().ok())
    }
}

impl Every {
    fn contains(self, day: NaiveDate) -> bool {
        match self {
            Self::Never | Self::Unknown => false,
            Self::Day => true,
            Self::Week(weekday) => day.weekday() == weekday,
            Self::Month(number) => day.day() == number.min(u32::from(day.num_days_in_month())),
        }
    }
}

impl Hours {
    /// Returns a number of hours from one on.
    ///
    /// # Errors
    /// [`InvalidHours`] if there is no such hour, or the window is empty or longer than a day.
    pub fn new(from: u32, hours: u32) -> Result<Self, InvalidHours> {
        let is_window = from < 24 && (1..=24).contains(&hours);
        is_window.then(|| Self { from, until: (from + hours - 1) % 24 + 1 }).ok_or(InvalidHours)
    }

    /// Returns the hour at which the window begins.
    pub fn from(self) -> u32 {
        self.from
    }

    /// Returns the number of hours, up to 24.
    pub fn hours(self) -> u32 {
        if self.until > self.from { self.until - self.from } else { self.until + 24 - self.from }
    }

    /// Returns whether the window contains an hour of the day.
    pub fn contains(self, hour: u32) -> bool {
        (hour + 24 - self.from) % 24 < self.hours()
    }

    /// Returns the time between the beginning of the window and the moment of a tenant: a share of the window.
    fn offset(self, tenant: &ServiceTenantId) -> TimeDelta {
        let share = u64::from(crc32fast::hash(tenant.as_str().as_bytes()));
        let seconds = (share * u64::from(self.hours() * 60 * 60)) >> u32::BITS;
        TimeDelta::seconds(i64::try_from(seconds).expect("a window has at most a day"))
    }

    fn opens_on(self, day: NaiveDate) -> Option<DateTime<Utc>> {
        Some(day.and_hms_opt(self.from, 0, 0)?.and_utc())
    }
}

impl Default for Hours {
    /// Returns the hours after midnight.
    fn default() -> Self {
        Self { from: 0, until: 5 }
    }
}

impl FromStr for Every {
    type Err = InvalidDays;

    fn from_str(text: &str) -> Result<Self, InvalidDays> {
        let of_month = |day: &u32| (1..=31).contains(day);
        match text.split_once(':') {
            None if text == "never" => Ok(Self::Never),
            None if text == "daily" => Ok(Self::Day),
            Some(("weekly", day)) => day.parse().map(Self::Week).map_err(|_| InvalidDays),
            Some(("monthly", day)) => day.parse().ok().filter(of_month).map(Self::Month).ok_or(InvalidDays),
            _ => Err(InvalidDays),
        }
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("never"),
            Self::Day => f.write_str("daily"),
            Self::Week(day) => write!(f, "weekly:{}", day.to_string().to_lowercase()),
            Self::Month(day) => write!(f, "monthly:{day}"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

impl From<String> for Every {
    fn from(text: String) -> Self {
        text.parse().unwrap_or(Self::Unknown)
    }
}

impl From<Every> for String {
    fn from(every: Every) -> String {
        every.to_string()
    }
}

impl FromStr for Hours {
    type Err = InvalidHours;

    fn from_str(text: &str) -> Result<Self, InvalidHours> {
        let hour = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 2);
        let hours =
            text.split_once('-').and_then(|(from, until)| Some(Self { from: hour(from)?, until: hour(until)? }));
        let is_window = |hours: &Self| hours.from < 24 && (1..=24).contains(&hours.until);
        // Midnight ends a window as 24.
        let hours = hours.map(|hours| Self { until: if hours.until == 0 { 24 } else { hours.until }, ..hours });
        hours.filter(is_window).ok_or(InvalidHours)
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:02}", self.from, self.until)
    }
}

impl TryFrom<String> for Hours {
    type Error = InvalidHours;

    fn try_from(text: String) -> Result<Self, InvalidHours> {
        text.parse()
    }
}

impl From<Hours> for String {
    fn from(hours: Hours) -> String {
        hours.to_string()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.every {
            Every::Never | Every::Unknown => self.every.fmt(f),
            days => write!(f, "{days} {} UTC", self.between),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(every: &str, between: &str) -> Schedule {
        let since = time("2026-01-01T00:00:00Z");
        Schedule { every: every.parse().unwrap(), between: between.parse().unwrap(), since }
    }

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn tenant(number: usize) -> ServiceTenantId {
        format!("ten_{number}").parse().unwrap()
    }

    /// Returns the days on which the windows of some weeks open.
    fn days(every: &str, from: &str, number: usize) -> Vec<String> {
        let schedule = schedule(every, "22-04");
        let next = |last: &Timestamp| schedule.opens(*last);
        let openings = std::iter::successors(Some(time(from)), next).skip(1).take(number);
        openings.map(|opening| opening.to_string()).collect()
    }

    #[test]
    fn windows_open_on_the_days_of_the_schedule() {
        assert_eq!(days("daily", "2026-02-27T22:00:00Z", 2), ["2026-02-28T22:00:00.000Z", "2026-03-01T22:00:00.000Z"]);
        assert_eq!(
            days("weekly:sun", "2026-05-04T00:00:00Z", 2),
            ["2026-05-10T22:00:00.000Z", "2026-05-17T22:00:00.000Z"]
        );
        assert_eq!(
            days("monthly:31", "2026-01-01T00:00:00Z", 3),
            ["2026-01-31T22:00:00.000Z", "2026-02-28T22:00:00.000Z", "2026-03-31T22:00:00.000Z"]
        );
        assert_eq!(days("monthly:1", "2026-01-01T22:00:00Z", 1), ["2026-02-01T22:00:00.000Z"]);
        assert_eq!(days("never", "2026-01-01T00:00:00Z", 1), [""; 0]);
        assert_eq!(
            Schedule { every: Every::Unknown, ..schedule("daily", "22-04") }.opens(time("2026-01-01T00:00:00Z")),
            None
        );
        assert_eq!(schedule("daily", "22-04").opens(time("9999-12-31T23:00:00Z")), None);
        assert_eq!(schedule("daily", "22-04").last(&tenant(1), time("0000-01-01T00:00:00Z")), None);
    }

    #[test]
    fn tenants_are_spread_evenly_over_the_window_and_each_has_its_moment() {
        let schedule = schedule("daily", "22-04");
        let mut hours = [0; 6];
        for number in 0..6_000 {
            let (tenant, now) = (tenant(number), time("2026-05-05T12:00:00Z"));
            let last = schedule.last(&tenant, now).unwrap();
            let since = last.to_datetime() - time("2026-05-04T22:00:00Z").to_datetime();
            hours[usize::try_from(since.num_hours()).unwrap()] += 1;
            let next = schedule.next(&tenant, now).unwrap();
            assert_eq!(next.to_datetime() - last.to_datetime(), TimeDelta::days(1));
            assert_eq!(schedule.next(&tenant, last), Some(next));
            assert_eq!(schedule.last(&tenant, next), Some(next));
        }
        assert!(hours.iter().all(|tenants| (900..1_100).contains(tenants)), "{hours:?}");
    }

    #[test]
    fn nothing_is_due_before_the_schedule_applies() {
        let (tenant, now) = (tenant(1), time("2026-05-05T12:00:00Z"));
        let last = schedule("daily", "22-04").last(&tenant, now).unwrap();
        let set = |since| Schedule { since, ..schedule("daily", "22-04") };
        assert_eq!(set(last).last(&tenant, now), None);
        assert_eq!(set(time("2026-05-04T00:00:00Z")).last(&tenant, now), Some(last));
    }

    #[test]
    fn a_tenant_is_stale_once_its_report_is_hours_late() {
        let (schedule, tenant, set) = (schedule("daily", "22-04"), tenant(1), time("2026-05-05T12:00:00Z"));
        let schedule = Schedule { since: set, ..schedule };
        let due = schedule.next(&tenant, set).unwrap();
        let after = |time: Timestamp, by: TimeDelta| Timestamp::try_from(time.to_datetime() + by).unwrap();
        let (minute, late) = (TimeDelta::minutes(1), after(due, PATIENCE));
        assert!(!schedule.is_stale(&tenant, None, after(late, -minute)));
        assert!(schedule.is_stale(&tenant, None, late));
        assert!(schedule.is_stale(&tenant, Some(after(due, -minute)), late));
        assert!(!schedule.is_stale(&tenant, Some(after(due, minute)), late));
        assert!(!Schedule { every: Every::Never, ..schedule }.is_stale(&tenant, None, late));
    }

    #[test]
    fn a_schedule_has_one_text() {
        for text in ["never", "daily", "weekly:mon", "monthly:1", "monthly:31"] {
            assert_eq!(text.parse::<Every>().unwrap().to_string(), text);
        }
        assert_eq!("weekly:Monday".parse(), Ok(Every::Week(Weekday::Mon)));
        for text in ["", "weekly", "weekly:", "weekly:1", "monthly:0", "monthly:32", "Daily", "unknown", "daily:1"] {
            assert_eq!(text.parse::<Every>(), Err(InvalidDays), "{text}");
        }
        for text in ["22-04", "00-24", "00-01", "23-24"] {
            assert_eq!(text.parse::<Hours>().unwrap().to_string(), text);
        }
        assert_eq!("9-17".parse::<Hours>().unwrap().to_string(), "09-17");
        assert_eq!("22-0".parse::<Hours>().unwrap().to_string(), "22-24");
        for text in ["", "1", "24-4", "4-25", "001-4", "-1-4", "0-0x"] {
            assert_eq!(text.parse::<Hours>(), Err(InvalidHours), "{text}");
        }
        for (from, hours, text) in [(22, 6, "22-04"), (0, 24, "00-24"), (23, 1, "23-24"), (5, 24, "05-05")] {
            let window = Hours::new(from, hours).unwrap();
            assert_eq!((window.to_string(), window.from(), window.hours()), (text.to_owned(), from, hours));
            assert_eq!(text.parse(), Ok(window));
        }
        assert_eq!([Hours::new(24, 1), Hours::new(0, 0), Hours::new(0, 25)], [Err(InvalidHours); 3]);
        assert_eq!(schedule("weekly:fri", "00-24").to_string(), "weekly:fri 00-24 UTC");
        assert_eq!(schedule("never", "00-24").to_string(), "never");
    }

    #[test]
    fn days_of_a_later_release_are_unknown() {
        let stored = r#"{"every":"yearly:1","between":"22-04","since":"2026-01-01T00:00:00.000Z"}"#;
        let schedule: Schedule = serde_json::from_str(stored).unwrap();
        assert_eq!(schedule.every, Every::Unknown);
        assert_eq!(schedule.to_string(), "unknown");
    }
}
