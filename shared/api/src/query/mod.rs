//! Query parameters, read strictly: a mistake is reported, never guessed around.

mod moment;
mod parameter;

use chrono::NaiveDate;
use lambda_http::RequestExt;
use lambda_http::aws_lambda_events::query_map::QueryMap;
use model::{Label, Timestamp, Wire, calendar_date};
use serde::Serialize;

use self::moment::moment;
use self::parameter::MAXIMUM;
pub use self::parameter::{
    Boolean, Cursor, Described, Kind, Limit, Moment, OneLabel, OneOf, Parameter, PastDate, RequiredText, Text,
};
use super::{ApiError, Request};

/// The parameters of a request, all of which the endpoint knows.
pub struct Query(QueryMap);

impl Query {
    /// Returns the parameters, as decoded by the gateway.
    ///
    /// # Errors
    /// If one of them is unknown: a mistyped `tenantId` must never return the data of other tenants.
    pub fn of(request: &Request, known: &[&dyn Described]) -> Result<Self, ApiError> {
        let given = request.query_string_parameters();
        let known: Vec<_> = known.iter().map(|parameter| parameter.name()).collect();
        match given.iter().map(|(name, _)| name).find(|name| !name.is_empty() && !known.contains(name)) {
            Some(name) => Err(ApiError::UnknownParameter { nearest: nearest(name, &known), known }),
            None => Ok(Self(given)),
        }
    }

    /// Returns the text of a parameter, or `None` if it is absent.
    ///
    /// # Errors
    /// If the parameter is empty or repeated.
    pub fn text(&self, parameter: &Parameter<Text>) -> Result<Option<&str>, ApiError> {
        self.given(parameter.name)
    }

    /// Returns the text of a required parameter.
    ///
    /// # Errors
    /// If the parameter is absent, empty or repeated.
    pub fn required(&self, parameter: &Parameter<RequiredText>) -> Result<&str, ApiError> {
        self.given(parameter.name)?.ok_or(invalid(parameter.name, "is required"))
    }

    /// Returns a label of tenants.
    ///
    /// # Errors
    /// For any other text.
    pub fn label(&self, parameter: &Parameter<OneLabel>) -> Result<Option<Label>, ApiError> {
        self.parsed(parameter.name, "must be a label: 1 to 40 characters without commas", |text| text.parse().ok())
    }

    /// Returns a boolean: `true`, `false`, `1` or `0`, ignoring case.
    ///
    /// # Errors
    /// For any other text.
    pub fn boolean(&self, parameter: &Parameter<Boolean>) -> Result<bool, ApiError> {
        let value =
            self.parsed(parameter.name, "must be true or false, or 1 or 0, in any case", |text| match text {
                "1" => Some(true),
                "0" => Some(false),
                _ => text.to_ascii_lowercase().parse().ok(),
            })?;
        Ok(value.unwrap_or(parameter.kind.default))
    }

    /// Returns the maximum number of results: an integer from 1 to 500.
    ///
    /// # Errors
    /// For any other text.
    pub fn limit(&self, parameter: &Parameter<Limit>) -> Result<usize, ApiError> {
        let value = self.parsed(parameter.name, "must be an integer from 1 to 500", |text| {
            // Only digits: the parser would also accept a sign.
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            text.parse().ok().filter(|limit| digits && (1..=MAXIMUM).contains(limit))
        })?;
        Ok(value.unwrap_or(parameter.kind.default))
    }

    /// Returns a calendar date that is not after today.
    ///
    /// # Errors
    /// For any other text.
    pub fn past_date(&self, parameter: &Parameter<PastDate>, today: NaiveDate) -> Result<NaiveDate, ApiError> {
        let date = self.parsed(parameter.name, "must be a date in the form YYYY-MM-DD", calendar_date)?;
        let date = date.unwrap_or(today);
        (date <= today).then_some(date).ok_or(invalid(parameter.name, "must not be after today (UTC)"))
    }

    /// Returns one of the values of a parameter, by its name on the wire.
    ///
    /// # Errors
    /// For any other text.
    pub fn one_of<T: Copy + Serialize>(&self, parameter: &Parameter<OneOf<T>>) -> Result<Option<T>, ApiError> {
        let OneOf { values, rule } = parameter.kind;
        self.parsed(parameter.name, rule, |text| values.iter().copied().find(|value| Wire(value).to_string() == text))
    }

    /// Returns the earliest time that a date or date-time includes.
    ///
    /// A date is its beginning in UTC; a date-time without an offset is in UTC.
    ///
    /// # Errors
    /// For any other text.
    pub fn moment(&self, parameter: &Parameter<Moment>) -> Result<Option<Timestamp>, ApiError> {
        let rule = "must be an ISO 8601 date (YYYY-MM-DD) or date-time (such as 2026-01-31T09:30:00Z or 2026-01-31T09:30:00+02:00)";
        self.parsed(parameter.name, rule, moment)
    }

    /// Returns the position in a list that a parameter names, if it is a position of this list. An empty text is the
    /// first page, for clients that send what the response before gave them.
    ///
    /// # Errors
    /// For any other text.
    pub fn cursor<T>(
        &self,
        parameter: &Parameter<Cursor>,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let rule = "must be the nextCursor of a response to the same request (only limit may differ); \
                    omit it to start at the first page";
        match self.0.all(parameter.name).as_deref() {
            Some([""]) => Ok(None),
            _ => self.parsed(parameter.name, rule, read),
        }
    }

    fn parsed<T>(
        &self,
        parameter: &'static str,
        rule: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        self.given(parameter)?.map(|text| parse(text).ok_or(invalid(parameter, rule))).transpose()
    }

    fn given(&self, parameter: &'static str) -> Result<Option<&str>, ApiError> {
        match self.0.all(parameter).as_deref() {
            None | Some([]) => Ok(None),
            Some([""]) => Err(invalid(parameter, "must not be empty")),
            Some([text]) => Ok(Some(text)),
            Some(_) => Err(invalid(parameter, "must not be given more than once")),
        }
    }
}

/// Returns the known name that an unknown one was probably meant to be.
fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let (likeness, nearest) = known.iter().map(|known| (likeness(known), *known)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.7).then_some(nearest)
}

fn invalid(parameter: &'static str, rule: &'static str) -> ApiError {
    ApiError::InvalidParameter { parameter, rule }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use lambda_http::http;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const fn named<K>(name: &'static str, kind: K) -> Parameter<K> {
        Parameter { name, description: "", kind }
    }

    const TEXT: Parameter<Text> = named("a", Text);
    const LIMIT: Parameter<Limit> = named("a", Limit { default: 100 });
    const FLAG: Parameter<Boolean> = named("a", Boolean { default: true });
    const DATE: Parameter<PastDate> = named("a", PastDate);
    const MOMENT: Parameter<Moment> = named("a", Moment);
    const CURSOR: Parameter<Cursor> = named("a", Cursor);

    fn query(text: &str) -> Query {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        parameters(pairs.fold(Default::default(), |mut all, (name, value)| {
            all.entry(name.to_owned()).or_insert_with(Vec::new).push(value.to_owned());
            all
        }))
    }

    fn parameters(parameters: HashMap<String, Vec<String>>) -> Query {
        read(parameters).unwrap_or_else(|_| panic!("a and b are known"))
    }

    fn read(parameters: HashMap<String, Vec<String>>) -> Result<Query, ApiError> {
        let request = http::Request::new(lambda_http::Body::Empty).with_query_string_parameters(parameters);
        Query::of(&request, &[&TEXT, &named("b", Text)])
    }

    proptest! {
        #[test]
        fn any_parameter_is_refused_or_within_bounds(
            values in vec("\\PC{0,12}|-?[0-9]{1,22}|20[0-9]{2}-0[1-9]-[12][0-9]", 0..3)
        ) {
            let today = NaiveDate::from_ymd_opt(2026, 1, 31).unwrap();
            // The gateway names no parameter without a value.
            let given = (!values.is_empty()).then(|| ("a".to_owned(), values.clone()));
            let query = parameters(given.into_iter().collect());
            let is_usable = values.len() < 2 && !values.contains(&String::new());
            prop_assert_eq!(query.text(&TEXT).is_ok(), is_usable);
            prop_assert!(query.limit(&LIMIT).map_or(true, |limit| (1..=500).contains(&limit)));
            prop_assert!(query.past_date(&DATE, today).map_or(true, |date| date <= today));
            prop_assert!(is_usable || (query.boolean(&FLAG).is_err() && query.moment(&MOMENT).is_err()));
        }
    }

    #[test]
    fn a_known_parameter_is_given_once_and_not_empty() {
        assert!(matches!(query("a=1").text(&TEXT), Ok(Some("1"))));
        assert!(matches!(query("b=1").text(&TEXT), Ok(None)));
        for text in ["a=", "a=1&a=1", "a=1&a="] {
            assert!(
                matches!(query(text).text(&TEXT), Err(ApiError::InvalidParameter { parameter: "a", .. })),
                "{text}"
            );
        }
        assert!(matches!(
            query("b=1").required(&named("a", RequiredText)),
            Err(ApiError::InvalidParameter { parameter: "a", .. })
        ));
    }

    #[test]
    fn an_unknown_parameter_is_refused_with_the_nearest_name() {
        for (name, expected) in [("tenantid", Some("tenantId")), ("tenant", Some("tenantId")), ("color", None)] {
            assert_eq!(nearest(name, &["latestOnly", "tenantId"]), expected, "{name}");
        }
        let given = HashMap::from([("c".to_owned(), vec!["1".to_owned()])]);
        assert!(matches!(read(given), Err(ApiError::UnknownParameter { known, .. }) if known == ["a", "b"]));
    }

    #[test]
    fn a_date_is_not_after_today_and_today_by_default() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 1, day).unwrap();
        for (text, date) in [("a=2026-01-30", day(30)), ("a=2026-01-31", day(31)), ("b=1", day(31))] {
            assert!(matches!(query(text).past_date(&DATE, day(31)), Ok(read) if read == date), "{text}");
        }
        for text in ["a=2026-02-01", "a=2026-01-32", "a=yesterday"] {
            assert!(query(text).past_date(&DATE, day(31)).is_err(), "{text}");
        }
    }

    #[test]
    fn a_cursor_is_a_position_of_the_list_or_refused() {
        let position = |text: &str| query(text).cursor(&CURSOR, |text| text.strip_prefix("p").map(str::to_owned));
        assert!(matches!(position("a=p7"), Ok(Some(read)) if read == "7"));
        assert!(matches!(position("b=p7"), Ok(None)));
        assert!(matches!(position("a=q7"), Err(ApiError::InvalidParameter { parameter: "a", .. })));
    }

    #[test]
    fn limit_and_boolean_take_what_the_contract_allows() {
        for (text, limit) in [("a=1", 1), ("a=500", 500), ("a=0099", 99), ("b=1", 100)] {
            assert!(matches!(query(text).limit(&LIMIT), Ok(read) if read == limit), "{text}");
        }
        for text in ["a=0", "a=501", "a=-1", "a=+1", "a=1.0", "a=ten", "a=99999999999999999999"] {
            assert!(query(text).limit(&LIMIT).is_err(), "{text}");
        }
        for (text, flag) in [
            ("a=true", true),
            ("a=false", false),
            ("a=False", false),
            ("a=TRUE", true),
            ("a=1", true),
            ("a=0", false),
            ("b=0", true),
        ] {
            assert!(matches!(query(text).boolean(&FLAG), Ok(read) if read == flag), "{text}");
        }
        for text in ["a=yes", "a=01", "a= true", "a=on", "a=2", "a=truе"] {
            assert!(query(text).boolean(&FLAG).is_err(), "{text}");
        }
    }
}
