//! Query parameters: read strictly, so that a mistake is told and never guessed around.

use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use lambda_http::RequestExt;
use lambda_http::aws_lambda_events::query_map::QueryMap;

use super::{ApiError, Request};
use model::{Timestamp, calendar_date};

/// The parameters of a request. Those that are not asked for are ignored.
pub struct Query(QueryMap);

impl Query {
    /// The parameters, as the gateway decoded them.
    pub fn of(request: &Request) -> Self {
        Self(request.query_string_parameters())
    }

    /// The text of a parameter; none where it is absent.
    ///
    /// # Errors
    /// When the parameter is empty or given more than once.
    pub fn text(&self, parameter: &'static str) -> Result<Option<&str>, ApiError> {
        match self.0.all(parameter).as_deref() {
            None | Some([]) => Ok(None),
            Some([""]) => Err(invalid(parameter, "must not be empty")),
            Some([text]) => Ok(Some(text)),
            Some(_) => Err(invalid(parameter, "must not be given more than once")),
        }
    }

    /// A parameter that has to be there.
    ///
    /// # Errors
    /// When the parameter is absent, empty or repeated.
    pub fn required(&self, parameter: &'static str) -> Result<&str, ApiError> {
        self.text(parameter)?.ok_or(invalid(parameter, "is required"))
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// For any other text.
    pub fn boolean(&self, parameter: &'static str) -> Result<Option<bool>, ApiError> {
        self.parsed(parameter, "must be 'true' or 'false'", |text| bool::from_str(text).ok())
    }

    /// Maximum number of results: an integer from 1 to 500.
    ///
    /// # Errors
    /// For any other text.
    pub fn limit(&self, parameter: &'static str) -> Result<Option<usize>, ApiError> {
        self.parsed(parameter, "must be an integer from 1 to 500", |text| {
            // Digits alone: the parser would take a sign too.
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            text.parse().ok().filter(|limit| digits && (1..=500).contains(limit))
        })
    }

    /// A calendar date that is not after today, which is also the default.
    ///
    /// # Errors
    /// For any other text.
    pub fn past_date(&self, parameter: &'static str, today: NaiveDate) -> Result<NaiveDate, ApiError> {
        let date = self.parsed(parameter, "must be a date in the form YYYY-MM-DD", calendar_date)?.unwrap_or(today);
        (date <= today).then_some(date).ok_or(invalid(parameter, "must not be after today (UTC)"))
    }

    /// The earliest moment that a date or date-time includes.
    ///
    /// A date is its beginning in UTC; a date-time without an offset is in UTC.
    ///
    /// # Errors
    /// For any other text.
    pub fn moment(&self, parameter: &'static str) -> Result<Option<Timestamp>, ApiError> {
        let rule = "must be an ISO 8601 date (YYYY-MM-DD) or date-time (such as 2026-01-31T09:30:00Z or 2026-01-31T09:30:00+02:00)";
        self.parsed(parameter, rule, moment)
    }

    fn parsed<T>(
        &self,
        parameter: &'static str,
        rule: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        self.text(parameter)?.map(|text| parse(text).ok_or(invalid(parameter, rule))).transpose()
    }
}

fn invalid(parameter: &'static str, rule: &'static str) -> ApiError {
    ApiError::InvalidParameter { parameter, rule }
}

fn moment(text: &str) -> Option<Timestamp> {
    if let Some(date) = calendar_date(text) {
        return date.and_time(NaiveTime::MIN).and_utc().try_into().ok();
    }
    let (date, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', 't'])?;
    let (clock, offset) = time.split_at(time.find(['Z', 'z', '+', '-', ' ']).unwrap_or(time.len()));
    let local = calendar_date(date)?.and_time(clock_time(clock)?);
    earliest_millisecond(local, offset_minutes(offset)?)
}

/// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`, with any number of decimals.
fn clock_time(text: &str) -> Option<NaiveTime> {
    let exact = text.bytes().enumerate().all(|(place, byte)| match place {
        2 | 5 => byte == b':',
        8 => byte == b'.',
        _ => byte.is_ascii_digit(),
    });
    let format = if text.len() == 5 { "%H:%M" } else { "%H:%M:%S%.f" };
    (exact && matches!(text.len(), 5 | 8 | 10..)).then(|| NaiveTime::parse_from_str(text, format).ok()).flatten()
}

/// Nothing or `Z` for UTC, else `+HH:MM`, `+HHMM` or `+HH`. A plus that was not escaped arrives as a space.
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

/// The first whole millisecond at or after a local moment: no report completes between two of them.
fn earliest_millisecond(local: NaiveDateTime, offset_minutes: i64) -> Option<Timestamp> {
    let moment: DateTime<Utc> = local.checked_sub_signed(TimeDelta::minutes(offset_minutes))?.and_utc();
    moment.checked_add_signed(TimeDelta::nanoseconds(999_999))?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use lambda_http::http;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn query(text: &str) -> Query {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        parameters(pairs.fold(Default::default(), |mut all, (name, value)| {
            all.entry(name.to_owned()).or_insert_with(Vec::new).push(value.to_owned());
            all
        }))
    }

    fn parameters(parameters: HashMap<String, Vec<String>>) -> Query {
        Query::of(&http::Request::new(lambda_http::Body::Empty).with_query_string_parameters(parameters))
    }

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
    fn what_is_no_moment_is_refused() {
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
        fn no_text_is_a_panic(text in "\\PC{0,40}", tail in "[0-9TZ:+. -]{0,30}") {
            let _ = moment(&text);
            let _ = moment(&format!("2026-01-31{tail}"));
        }

        #[test]
        fn whatever_a_parameter_says_it_is_refused_or_within_bounds(values in vec("\\PC{0,12}|-?[0-9]{1,22}", 0..3)) {
            let today = NaiveDate::from_ymd_opt(2026, 1, 31).unwrap();
            let query = parameters([("a".to_owned(), values.clone())].into());
            let is_usable = values.len() < 2 && !values.contains(&String::new());
            prop_assert_eq!(query.text("a").is_ok(), is_usable);
            prop_assert!(query.limit("a").map_or(true, |limit| limit.is_none_or(|limit| (1..=500).contains(&limit))));
            prop_assert!(query.past_date("a", today).map_or(true, |date| date <= today));
            prop_assert!(is_usable || (query.boolean("a").is_err() && query.moment("a").is_err()));
        }
    }

    #[test]
    fn a_known_parameter_is_given_once_and_not_empty() {
        assert!(matches!(query("a=1").text("a"), Ok(Some("1"))));
        assert!(matches!(query("b=1").text("a"), Ok(None)));
        for text in ["a=", "a=1&a=1", "a=1&a="] {
            assert!(matches!(query(text).text("a"), Err(ApiError::InvalidParameter { parameter: "a", .. })), "{text}");
        }
        assert!(matches!(query("b=1").required("a"), Err(ApiError::InvalidParameter { parameter: "a", .. })));
    }

    #[test]
    fn limit_and_boolean_take_what_the_contract_allows() {
        for (text, limit) in [("limit=1", 1), ("limit=500", 500), ("limit=0099", 99)] {
            assert!(matches!(query(text).limit("limit"), Ok(Some(read)) if read == limit), "{text}");
        }
        for text in
            ["limit=0", "limit=501", "limit=-1", "limit=+1", "limit=1.0", "limit=ten", "limit=99999999999999999999"]
        {
            assert!(query(text).limit("limit").is_err(), "{text}");
        }
        assert!(matches!(query("x=true").boolean("x"), Ok(Some(true))));
        assert!(matches!(query("x=false").boolean("x"), Ok(Some(false))));
        for text in ["x=TRUE", "x=1", "x=yes"] {
            assert!(query(text).boolean("x").is_err(), "{text}");
        }
    }
}
