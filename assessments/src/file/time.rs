//! Times in the forms that PowerShell and Excel write.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use model::Timestamp;
use serde_json::Value;

/// Days from Excel's day 0 to 1970-01-01.
const EXCEL_EPOCH_DAYS: f64 = 25_569.0;

/// Excel's serial numbers that are read as days: the years 1982 to 2119.
const EXCEL_DAYS: std::ops::Range<f64> = 30_000.0..80_000.0;

/// Seconds since 1970 that are read as a time, from 2001 on. Greater numbers are milliseconds.
const EPOCH_SECONDS: std::ops::Range<f64> = 978_307_200.0..100_000_000_000.0;

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
    /// The time has no offset from UTC.
    NoOffset,
    /// Day and month can be read in either order.
    Ambiguous,
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
/// Returns the reason if the time is missing or unreadable, or if it can be read in two ways.
pub(crate) fn read_time(value: &Value, without_offset: WithoutOffset) -> Result<Timestamp, TimeProblem> {
    match value {
        Value::Null => Err(TimeProblem::Missing),
        Value::Number(number) => number.as_f64().and_then(of_number).ok_or(TimeProblem::Unreadable),
        Value::String(text) => of_text(text, without_offset),
        Value::Object(fields) => match fields.get("value").or_else(|| fields.get("Value")) {
            Some(value) if !value.is_object() => read_time(value, without_offset),
            _ => Err(TimeProblem::Unreadable),
        },
        Value::Bool(_) | Value::Array(_) => Err(TimeProblem::Unreadable),
    }
}

/// Returns whether a text is a date or a time in one of these forms, even if day and month can be read in either order.
pub(crate) fn is_date(text: &str) -> bool {
    match of_text(text, WithoutOffset::IsUtc) {
        Ok(_) | Err(TimeProblem::Ambiguous) => true,
        Err(_) => dates_of(text.split(['T', ' ']).next().unwrap_or_default()).is_ok_and(|dates| !dates.is_empty()),
    }
}

/// Reads a day in one of these forms, with or without a time. Returns `None` if day and month can be read in either
/// order.
pub(crate) fn read_day(text: &str) -> Option<NaiveDate> {
    match dates_of(text.trim()).as_deref() {
        Ok([day]) => Some(*day),
        _ => of_text(text, WithoutOffset::IsUtc).ok().map(|time| time.date()),
    }
}

fn of_text(text: &str, without_offset: WithoutOffset) -> Result<Timestamp, TimeProblem> {
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
    let time = local(text)?;
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
fn local(text: &str) -> Result<NaiveDateTime, TimeProblem> {
    let (date, time) = text.split_once(['T', ' ']).ok_or(TimeProblem::Unreadable)?;
    let time = time_of_day(time.trim()).ok_or(TimeProblem::Unreadable)?;
    match dates_of(date.trim_end_matches(','))?.as_slice() {
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
/// the month; behind dots, the day comes first; behind other separators, day and month may be in either order.
fn dates_of(text: &str) -> Result<Vec<NaiveDate>, TimeProblem> {
    let separator = text.chars().find(|character| !character.is_ascii_digit()).ok_or(TimeProblem::Unreadable)?;
    let numbers: Vec<u32> =
        text.split(separator).map(|part| part.parse().ok()).collect::<Option<_>>().ok_or(TimeProblem::Unreadable)?;
    let [a, b, c] = numbers[..] else { return Err(TimeProblem::Unreadable) };
    let date = |year: u32, month, day| NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day);
    let dates = match (separator, text.find(separator)) {
        ('-' | '/' | '.', Some(4)) => vec![date(a, b, c)],
        ('.', _) if (10..100).contains(&c) => vec![date(2000 + c, b, a)],
        ('.', _) if c >= 1000 => vec![date(c, b, a)],
        ('/' | '-', _) if c >= 1000 => vec![date(c, a, b), date(c, b, a)],
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
    fn durations_may_have_days() {
        assert_eq!(read_duration("00:01:00.5"), TimeDelta::try_milliseconds(60_500));
        assert_eq!(read_duration("1.00:00:01"), TimeDelta::try_seconds(86_401));
        assert_eq!(read_duration("long"), None);
    }
}
