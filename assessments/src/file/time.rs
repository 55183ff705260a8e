//! Times in the forms that PowerShell and Excel write.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use model::Timestamp;
use serde::de::Deserializer;
use serde_json::Value;

use super::unique::unique;

/// Days from Excel's day 0 to 1970-01-01.
const EXCEL_EPOCH_DAYS: f64 = 25_569.0;

/// Excel's serial numbers that are read as days: the years 1982 to 2119.
const EXCEL_DAYS: std::ops::Range<f64> = 30_000.0..80_000.0;

/// Seconds since 1970 that are read as a time, from 2001 on. Greater numbers are milliseconds.
const EPOCH_SECONDS: std::ops::Range<f64> = 978_307_200.0..100_000_000_000.0;

/// First moment that is read as a time. What the tools read did not exist before, and .NET writes year 1 for an unknown
/// time.
const EARLIEST: NaiveDate = NaiveDate::from_ymd_opt(2010, 1, 1).expect("this is a date");

/// Meaning of a time without an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithoutOffset {
    /// The tool writes such times in UTC.
    IsUtc,
    /// The time is in an unknown zone, so it is not readable.
    IsUnreadable,
}

/// Reason why a time is unknown. Later variants say more about the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TimeProblem {
    /// The file has no time.
    Missing,
    /// The text is not a time.
    Unreadable,
    /// The time is before 2010.
    TooEarly,
    /// The time has no offset from UTC.
    NoOffset,
    /// Day and month can be read in either order.
    Ambiguous,
}

/// Order of day and month in a date such as `5/6/2026`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    DayFirst,
    MonthFirst,
}

/// What a text says about the order of day and month in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownOrder {
    /// The text is in a form that has one order only.
    NotNeeded,
    /// The text fits both orders, or is no date.
    Either,
    /// The text fits this order only.
    Only(DateOrder),
}

/// Reads a time: a text, a number, or the object that some versions of PowerShell write, with the time in `value`.
///
/// | form | example |
/// |---|---|
/// | RFC 3339 and ISO 8601 | `2026-05-01T09:00:00.0000000+02:00` |
/// | PowerShell 5.1 | `/Date(1777626000000)/` |
/// | PowerShell's objects | `{"value": ..., "DateTime": ...}` |
/// | seconds or milliseconds since 1970 | `1777626000` |
/// | Excel's serial number of a day | `46143.375` |
/// | local forms of Excel | `01.05.2026 09:00`, `5/13/2026 9:00 AM`, `2026/05/01 9:00` |
///
/// # Errors
/// Returns the reason if the time is missing or unreadable, if it can be read in two ways, or if it is before 2010.
pub(crate) fn read_time(value: &Value, without_offset: WithoutOffset) -> Result<Timestamp, TimeProblem> {
    read_time_in(value, without_offset, None)
}

/// Reads a time of a file with a known order of day and month.
pub(crate) fn read_time_in(
    value: &Value,
    without_offset: WithoutOffset,
    order: Option<DateOrder>,
) -> Result<Timestamp, TimeProblem> {
    let time = match value {
        Value::Null => Err(TimeProblem::Missing),
        Value::Number(number) => number.as_f64().and_then(of_number).ok_or(TimeProblem::Unreadable),
        Value::String(text) => of_text(text, without_offset, order),
        Value::Object(fields) => match fields.get("value").or_else(|| fields.get("Value")) {
            Some(value) if !value.is_object() => read_time_in(value, without_offset, order),
            _ => Err(TimeProblem::Unreadable),
        },
        Value::Bool(_) | Value::Array(_) => Err(TimeProblem::Unreadable),
    }?;
    if time.date() < EARLIEST { Err(TimeProblem::TooEarly) } else { Ok(time) }
}

/// Reads a time, for `#[serde(deserialize_with)]`. A value that is not a time is `None`.
pub(crate) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(read_time(&unique(deserializer)?, WithoutOffset::IsUtc).ok())
}

/// Returns what the date of a text says about the order of day and month.
pub(crate) fn order_of(text: &str) -> ShownOrder {
    let date = text.trim().split(['T', ' ']).next().unwrap_or_default().trim_end_matches(',');
    let fits = |order| dates_of(date, Some(order)).ok().and_then(|dates| dates.first().copied());
    match (fits(DateOrder::DayFirst), fits(DateOrder::MonthFirst)) {
        (Some(_), None) => ShownOrder::Only(DateOrder::DayFirst),
        (None, Some(_)) => ShownOrder::Only(DateOrder::MonthFirst),
        (Some(day_first), Some(month_first)) if day_first == month_first && !has_either_order(date) => {
            ShownOrder::NotNeeded
        }
        _ => ShownOrder::Either,
    }
}

/// Returns whether a date has a form in which day and month may be in either order.
fn has_either_order(date: &str) -> bool {
    let separator = date.find(|character: char| !character.is_ascii_digit());
    separator.is_some_and(|index| index != 4 && !date[index..].starts_with('.'))
}

/// Returns whether a text is a date or a time in one of these forms, even if day and month can be read in either order.
pub(crate) fn is_date(text: &str) -> bool {
    match of_text(text, WithoutOffset::IsUtc, None) {
        Ok(_) | Err(TimeProblem::Ambiguous) => true,
        Err(_) => {
            let date = text.split(['T', ' ']).next().unwrap_or_default();
            dates_of(date, None).is_ok_and(|dates| !dates.is_empty())
        }
    }
}

/// Reads a day in one of these forms, with or without a time, of a file whose order of day and month may be known.
/// Returns `None` if day and month can be read in either order, or if the day is before 2010.
pub(crate) fn read_day(text: &str, order: Option<DateOrder>) -> Option<NaiveDate> {
    let day = match dates_of(text.trim(), order).as_deref() {
        Ok([day]) => Some(*day),
        _ => of_text(text, WithoutOffset::IsUtc, order).ok().map(|time| time.date()),
    };
    day.filter(|day| *day >= EARLIEST)
}

fn of_text(text: &str, without_offset: WithoutOffset, order: Option<DateOrder>) -> Result<Timestamp, TimeProblem> {
    let text = text.trim();
    if text.is_empty() {
        return Err(TimeProblem::Missing);
    }
    if let Some(milliseconds) = microsoft_date(text) {
        return milliseconds.ok_or(TimeProblem::Unreadable);
    }
    if let Some(time) = with_offset(text) {
        return Ok(time);
    }
    if let Some(time) = text.replacen(',', ".", 1).parse().ok().and_then(of_number) {
        return Ok(time);
    }
    let time = local(text, order)?;
    match without_offset {
        WithoutOffset::IsUtc => time.and_utc().try_into().map_err(|_| TimeProblem::Unreadable),
        WithoutOffset::IsUnreadable => Err(TimeProblem::NoOffset),
    }
}

/// Reads `/Date(1777626000000)/`, with or without an offset, which does not change the time.
fn microsoft_date(text: &str) -> Option<Option<Timestamp>> {
    let inner = text.trim_matches('\\').strip_prefix("/Date(")?.split(')').next()?;
    let sign = inner.get(1..).and_then(|rest| rest.find(['+', '-'])).map(|index| index + 1);
    let milliseconds = &inner[..sign.unwrap_or(inner.len())];
    let time = || DateTime::from_timestamp_millis(milliseconds.parse().ok()?)?.try_into().ok();
    Some(time())
}

fn with_offset(text: &str) -> Option<Timestamp> {
    let zoned = DateTime::parse_from_rfc3339(&text.replacen(' ', "T", 1)).ok();
    let spaced = || DateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S%.f %:z").ok();
    // A date without a time is a whole day, so the model's own type does not decide here.
    zoned.or_else(spaced).and_then(|time| time.to_utc().try_into().ok())
}

fn of_number(number: f64) -> Option<Timestamp> {
    let seconds = if EXCEL_DAYS.contains(&number) {
        ((number - EXCEL_EPOCH_DAYS) * 86_400.0).round()
    } else if EPOCH_SECONDS.contains(&number) {
        number
    } else if EPOCH_SECONDS.contains(&(number / 1_000.0)) {
        number / 1_000.0
    } else {
        return None;
    };
    #[expect(clippy::cast_possible_truncation, reason = "within the ranges above")]
    DateTime::from_timestamp_millis((seconds * 1_000.0).round() as i64)?.try_into().ok()
}

/// Reads a date and a time without an offset.
fn local(text: &str, order: Option<DateOrder>) -> Result<NaiveDateTime, TimeProblem> {
    let (date, time) = text.split_once(['T', ' ']).ok_or(TimeProblem::Unreadable)?;
    let time = time_of_day(time.trim()).ok_or(TimeProblem::Unreadable)?;
    match dates_of(date.trim_end_matches(','), order)?.as_slice() {
        [] => Err(TimeProblem::Unreadable),
        [date] => Ok(date.and_time(time)),
        _ => Err(TimeProblem::Ambiguous),
    }
}

fn time_of_day(text: &str) -> Option<NaiveTime> {
    let text = text.replace('\u{202f}', " ").to_ascii_uppercase().replace("A.M.", "AM").replace("P.M.", "PM");
    let forms = ["%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%I:%M:%S%p", "%I:%M%p"];
    forms.iter().find_map(|form| NaiveTime::parse_from_str(text.trim(), form).ok())
}

/// Returns the dates that a text can mean. Years have four digits, or two behind dots. A year in front is followed by
/// the month; behind dots, the day comes first; behind other separators, day and month may be in either order, unless
/// that of the file is known.
fn dates_of(text: &str, order: Option<DateOrder>) -> Result<Vec<NaiveDate>, TimeProblem> {
    let separator = text.chars().find(|character| !character.is_ascii_digit()).ok_or(TimeProblem::Unreadable)?;
    let numbers: Vec<u32> =
        text.split(separator).map(|part| part.parse().ok()).collect::<Option<_>>().ok_or(TimeProblem::Unreadable)?;
    let [a, b, c] = numbers[..] else { return Err(TimeProblem::Unreadable) };
    let date = |year: u32, month, day| NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day);
    let dates = match (separator, text.find(separator)) {
        ('-' | '/' | '.', Some(4)) => vec![date(a, b, c)],
        ('.', _) if (10..100).contains(&c) => vec![date(2000 + c, b, a)],
        ('.', _) if c >= 1000 => vec![date(c, b, a)],
        ('/' | '-', _) if c >= 1000 => match order {
            Some(DateOrder::MonthFirst) => vec![date(c, a, b)],
            Some(DateOrder::DayFirst) => vec![date(c, b, a)],
            None => vec![date(c, a, b), date(c, b, a)],
        },
        _ => return Err(TimeProblem::Unreadable),
    };
    let mut dates: Vec<_> = dates.into_iter().flatten().collect();
    dates.dedup();
    Ok(dates)
}

/// Reads a duration as the tools write it: `hh:mm:ss` with an optional fraction and optional days before it.
pub(crate) fn read_duration(text: &str) -> Option<TimeDelta> {
    let text = text.trim();
    let (days, time) = match text.split_once('.') {
        Some((days, time)) if time.contains(':') => (days.parse().ok()?, time),
        _ => (0, text),
    };
    let time = NaiveTime::parse_from_str(time, "%H:%M:%S%.f").ok()?;
    TimeDelta::try_days(days)?.checked_add(&time.signed_duration_since(NaiveTime::MIN))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<String, TimeProblem> {
        read_time(value, WithoutOffset::IsUtc).map(|time| time.to_string())
    }

    #[test]
    fn every_form_is_read() {
        for (value, time) in [
            (json!("2026-05-01T09:00:00.1234567+00:00"), "2026-05-01T09:00:00.123Z"),
            (json!("2026-05-01T11:00:00+02:00"), "2026-05-01T09:00:00.000Z"),
            (json!("2026-05-01 11:00:00 +02:00"), "2026-05-01T09:00:00.000Z"),
            (json!("2026-05-01T09:00:00.1234567"), "2026-05-01T09:00:00.123Z"),
            (json!("/Date(1777626000000)/"), "2026-05-01T09:00:00.000Z"),
            (json!("\\/Date(1777626000000+0200)\\/"), "2026-05-01T09:00:00.000Z"),
            (json!("01.05.2026 09:00"), "2026-05-01T09:00:00.000Z"),
            (json!("1.5.26 9:00:30"), "2026-05-01T09:00:30.000Z"),
            (json!("5/13/2026 9:00:00 PM"), "2026-05-13T21:00:00.000Z"),
            (json!("13/05/2026 9:00"), "2026-05-13T09:00:00.000Z"),
            (json!("05/05/2026 09:00:00"), "2026-05-05T09:00:00.000Z"),
            (json!("2026/05/01 9:00"), "2026-05-01T09:00:00.000Z"),
            (json!("46143.375"), "2026-05-01T09:00:00.000Z"),
            (json!("46143,375"), "2026-05-01T09:00:00.000Z"),
            (json!(1_777_626_000), "2026-05-01T09:00:00.000Z"),
            (json!(1_777_626_000_000_i64), "2026-05-01T09:00:00.000Z"),
            (json!({ "value": "2026-05-01T11:00:00+02:00", "DateTime": "x" }), "2026-05-01T09:00:00.000Z"),
            (json!({ "value": "/Date(1777626000000)/" }), "2026-05-01T09:00:00.000Z"),
        ] {
            assert_eq!(read(&value).as_deref(), Ok(time), "{value}");
        }
    }

    #[test]
    fn a_time_that_can_be_read_in_two_ways_is_not_guessed() {
        for text in ["05/01/2026 09:00", "5/1/2026 9:00 AM", "01-05-2026 09:00"] {
            assert_eq!(read(&json!(text)), Err(TimeProblem::Ambiguous), "{text}");
        }
        let local = json!("2026-05-01T09:00:00");
        assert_eq!(read_time(&local, WithoutOffset::IsUnreadable), Err(TimeProblem::NoOffset));
        assert_eq!((read(&json!(null)), read(&json!(" "))), (Err(TimeProblem::Missing), Err(TimeProblem::Missing)));
        for value in
            [json!("today"), json!("00:00.0"), json!("2026-05-01"), json!(7), json!([]), json!({ "DateTime": "x" })]
        {
            assert_eq!(read(&value), Err(TimeProblem::Unreadable), "{value}");
        }
    }

    #[test]
    fn a_time_before_2010_is_no_time() {
        for value in [json!("0001-01-01T00:00:00Z"), json!("2009-12-31T23:59:59Z"), json!("/Date(-62135596800000)/")] {
            assert_eq!(read(&value), Err(TimeProblem::TooEarly), "{value}");
        }
        assert_eq!(read(&json!("2010-01-01T00:00:00Z")).as_deref(), Ok("2010-01-01T00:00:00.000Z"));
        assert_eq!((read_day("1/1/0001", None), read_day("31/12/2009", None)), (None, None));
    }

    #[test]
    fn a_date_shows_the_order_of_its_file_or_needs_none() {
        for (text, order) in [
            ("5/13/2026, 9:00:00 AM", ShownOrder::Only(DateOrder::MonthFirst)),
            ("13-05-2026", ShownOrder::Only(DateOrder::DayFirst)),
            ("05/01/2026 09:00", ShownOrder::Either),
            ("05/05/2026", ShownOrder::Either),
            ("2026-05-13T09:00:00Z", ShownOrder::NotNeeded),
            ("13.05.2026 09:00", ShownOrder::NotNeeded),
            ("today", ShownOrder::Either),
        ] {
            assert_eq!(order_of(text), order, "{text}");
        }
        let in_order = |order| read_time_in(&json!("5/6/2026, 9:00:00 AM"), WithoutOffset::IsUtc, order);
        let time = |order| in_order(Some(order)).map(|time| time.to_string());
        assert_eq!(time(DateOrder::MonthFirst).as_deref(), Ok("2026-05-06T09:00:00.000Z"));
        assert_eq!(time(DateOrder::DayFirst).as_deref(), Ok("2026-06-05T09:00:00.000Z"));
        assert_eq!(in_order(None), Err(TimeProblem::Ambiguous));
    }

    #[test]
    fn durations_may_have_days() {
        assert_eq!(read_duration("00:01:00.5"), TimeDelta::try_milliseconds(60_500));
        assert_eq!(read_duration("1.00:00:01"), TimeDelta::try_seconds(86_401));
        assert_eq!(read_duration("long"), None);
    }
}
