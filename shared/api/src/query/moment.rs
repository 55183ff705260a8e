//! Dates and date-times, in the forms of ISO 8601 that the contract names.

use chrono::{DateTime, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use model::{Timestamp, calendar_date};

/// Returns the earliest time that a text includes, or `None` if it is neither a date nor a date-time.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    if let Some(date) = calendar_date(text) {
        return date.and_time(NaiveTime::MIN).and_utc().try_into().ok();
    }
    let (date, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', 't'])?;
    let (clock, offset) = time.split_at(time.find(['Z', 'z', '+', '-', ' ']).unwrap_or(time.len()));
    let local = calendar_date(date)?.and_time(clock_time(clock)?);
    earliest_millisecond(local, offset_minutes(offset)?)
}

/// Reads `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`, with any number of decimals.
fn clock_time(text: &str) -> Option<NaiveTime> {
    let exact = text.bytes().enumerate().all(|(place, byte)| match place {
        2 | 5 => byte == b':',
        8 => byte == b'.',
        _ => byte.is_ascii_digit(),
    });
    let format = if text.len() == 5 { "%H:%M" } else { "%H:%M:%S%.f" };
    (exact && matches!(text.len(), 5 | 8 | 10..)).then(|| NaiveTime::parse_from_str(text, format).ok()).flatten()
}

/// Reads an offset: nothing or `Z` for UTC, else `+HH:MM`, `+HHMM` or `+HH`. An unescaped plus arrives as a space.
fn offset_minutes(text: &str) -> Option<i64> {
    if matches!(text, "" | "Z" | "z") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = match text[1..].split_once(':') {
        Some(parts) => parts,
        None if text.len() == 3 => (&text[1..], "00"),
        None => text[1..].split_at_checked(2)?,
    };
    let two_digits = |part: &str| match part.as_bytes() {
        [b'0'..=b'9', b'0'..=b'9'] => part.parse::<i64>().ok(),
        _ => None,
    };
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// Returns the first whole millisecond at or after a local time: no report completes between two of them.
fn earliest_millisecond(local: NaiveDateTime, offset_minutes: i64) -> Option<Timestamp> {
    let moment: DateTime<Utc> = local.checked_sub_signed(TimeDelta::minutes(offset_minutes))?.and_utc();
    moment.checked_add_signed(TimeDelta::nanoseconds(999_999))?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> Option<String> {
        moment(text).map(|moment| moment.to_string())
    }

    #[test]
    fn a_moment_is_read_in_every_form_of_the_contract() {
        for (text, expected) in [
            ("2026-01-31", "2026-01-31T00:00:00.000Z"),
            ("2026-01-31T09:30", "2026-01-31T09:30:00.000Z"),
            ("2026-01-31T09:30:15", "2026-01-31T09:30:15.000Z"),
            ("2026-01-31T09:30:15.5", "2026-01-31T09:30:15.500Z"),
            ("2026-01-31t09:30:15z", "2026-01-31T09:30:15.000Z"),
            ("2026-01-31T09:30:15+02:00", "2026-01-31T07:30:15.000Z"),
            ("2026-01-31T09:30:15 02:00", "2026-01-31T07:30:15.000Z"),
            ("2026-01-31T09:30:15-0230", "2026-01-31T12:00:15.000Z"),
            ("2026-01-31T09:30+02", "2026-01-31T07:30:00.000Z"),
            ("2026-01-31T00:00:00.0001Z", "2026-01-31T00:00:00.001Z"),
        ] {
            assert_eq!(written(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn a_text_that_is_not_a_moment_is_refused() {
        for text in [
            "2026-02-30",
            "2026-1-31",
            "26-01-31",
            "+2026-01-31",
            "-026-01-31",
            "2026-01--1",
            "20260131",
            "yesterday",
            "2026-01-31T",
            "2026-01-31T9:30",
            "2026-01-31T25:00",
            "2026-01-31T9:30:15.55",
            "2026-01-31T09:3:15.55",
            "2026-01-31T9:3:1.5555",
            "2026-01-31T09:30:15.",
            "2026-01-31T09:30:15+2:000",
            "2026-01-31T09:30:15+:0230",
            "2026-01-31T09:30:15+02:",
            "2026-01-31T09:30:15+02:3é",
            "2026-01-31T09:30:15+24:00",
            "2026-01-31T09:30:15+02:60",
            "2026-01-31T09:30:15+2",
            "2026-01-31T09:30:15Zx",
            "2026-01-31 09:30",
            "0000-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59.9999Z",
            "2026-01-31T09:30:15++2:00",
            "2026-01-31T09:30:15  2:00",
            "2026-01-3é",
            "1769851815",
        ] {
            assert_eq!(written(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "\\PC{0,40}", tail in "[0-9TZ:+. -]{0,30}") {
            let _ = moment(&text);
            let _ = moment(&format!("2026-01-31{tail}"));
        }
    }
}
