//! Mail to members: addresses, and the times at which events are collected into one mail.

use std::fmt;
use std::str::FromStr;

use chrono::{Datelike, Days, NaiveTime, TimeDelta};
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// Longest address, in characters, as mail servers accept it.
const LONGEST_ADDRESS: usize = 254;
/// Characters that have a meaning in the header of a mail.
const SPECIAL: &[u8] = b"()<>[]:;,\\\"";
/// Time after the end of a period until its mail is sent: the longest invocation of a function, so that every change that
/// was begun in the period is in the table.
const LATEST_WRITE: TimeDelta = TimeDelta::minutes(15);

/// A mail address: one mailbox, in ASCII.
#[derive(Clone, PartialEq, Eq)]
pub struct MailAddress(String);

/// The text is not a [`MailAddress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a mail address in ASCII, such as name@example.com")]
pub struct InvalidMailAddress;

/// The number of events that one mail tells of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Pace {
    /// One, at once.
    #[default]
    Event,
    /// Those of a day (UTC), after it has ended.
    Day,
    /// Those of a week, which begins on Monday (UTC), after it has ended.
    Week,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

/// The days whose events one mail tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Its first moment.
    pub start: Timestamp,
    /// The first moment after it.
    pub end: Timestamp,
}

impl MailAddress {
    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part behind the `@`.
    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, domain)| domain)
    }
}

impl FromStr for MailAddress {
    type Err = InvalidMailAddress;

    fn from_str(text: &str) -> Result<Self, InvalidMailAddress> {
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !SPECIAL.contains(&byte));
        let parts: Vec<_> = text.split('@').collect();
        let whole = matches!(parts[..], [name, domain] if !name.is_empty() && !domain.is_empty());
        (plain && whole && text.len() <= LONGEST_ADDRESS).then(|| Self(text.to_owned())).ok_or(InvalidMailAddress)
    }
}

impl fmt::Debug for MailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MailAddress(hidden)")
    }
}

impl Pace {
    /// Returns the period in which a moment is, or `None` if every event is told of at once.
    pub fn period(self, at: Timestamp) -> Option<Period> {
        let day = at.to_datetime().date_naive();
        let (first, days) = match self {
            Self::Day => (day, 1),
            Self::Week => (day - Days::new(day.weekday().num_days_from_monday().into()), 7),
            Self::Event | Self::Unknown => return None,
        };
        let moment = |day: chrono::NaiveDate| day.and_time(NaiveTime::MIN).and_utc().try_into().ok();
        Some(Period { start: moment(first)?, end: moment(first + Days::new(days))? })
    }
}

impl Period {
    /// Returns the moment from which all events of the period can be read.
    pub fn complete_at(self) -> Timestamp {
        Timestamp::try_from(self.end.to_datetime() + LATEST_WRITE).unwrap_or(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_mailbox() {
        let address: MailAddress = "amara.o'neill+posture@mail.example".parse().unwrap();
        assert_eq!((address.domain(), &*format!("{address:?}")), ("mail.example", "MailAddress(hidden)"));
        let long = format!("{}@mail.example", "a".repeat(LONGEST_ADDRESS));
        for text in [
            "",
            "amara",
            "@mail.example",
            "amara@",
            "a@b@c",
            "a@b, c@d",
            "A <a@b>",
            "a@b\r\nBcc: c@d",
            "a,b@mail.example",
            "<amara@mail.example>",
            "amara@mail.example\r\nx-more",
            "amara b@mail.example",
            "ämara@b",
            &long,
        ] {
            assert_eq!(text.parse::<MailAddress>(), Err(InvalidMailAddress), "{text}");
        }
    }

    #[test]
    fn a_period_is_a_day_or_a_week_from_monday() {
        let period = |pace: Pace, at: &str| {
            pace.period(at.parse().unwrap()).map(|it| (it.start.to_string(), it.end.to_string()))
        };
        let days = |start: &str, end: &str| Some((format!("{start}T00:00:00.000Z"), format!("{end}T00:00:00.000Z")));
        assert_eq!(period(Pace::Event, "2026-07-01T12:00:00Z"), None);
        assert_eq!(period(Pace::Day, "2026-07-01T00:00:00Z"), days("2026-07-01", "2026-07-02"));
        assert_eq!(period(Pace::Day, "2026-07-01T23:59:59.999Z"), days("2026-07-01", "2026-07-02"));
        // A Monday and the Sunday after it.
        assert_eq!(period(Pace::Week, "2026-06-29T00:00:00Z"), days("2026-06-29", "2026-07-06"));
        assert_eq!(period(Pace::Week, "2026-07-05T23:59:59Z"), days("2026-06-29", "2026-07-06"));
    }
}
