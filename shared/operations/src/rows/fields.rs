//! Parsers of fields, for `#[serde(deserialize_with)]`.

use std::fmt;

use chrono::NaiveDate;
use model::calendar_date;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

/// Reads a non-negative whole number.
pub(crate) fn count<'de, D: Deserializer<'de>>(field: D) -> Result<u32, D::Error> {
    parsed(field, "must be a whole number, 0 or greater", |text| text.parse().ok())
}

/// Reads a percentage, with a point or a comma before the decimals.
pub(crate) fn percentage<'de, D: Deserializer<'de>>(field: D) -> Result<f64, D::Error> {
    let parse = |text: &str| text.replace(',', ".").parse().ok().filter(|value| (0.0..=100.0).contains(value));
    parsed(field, "must be a number from 0 to 100", parse)
}

/// Reads a date.
pub(crate) fn day<'de, D: Deserializer<'de>>(field: D) -> Result<NaiveDate, D::Error> {
    parsed(field, "must be a date in the form YYYY-MM-DD", calendar_date)
}

/// Reads true or false, ignoring case.
pub(crate) fn boolean<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    parsed(field, "must be true or false", |text| text.to_lowercase().parse().ok())
}

/// Reads a text with a function that returns `None` if the text is invalid.
pub(crate) fn parsed<'de, D: Deserializer<'de>, T>(
    field: D,
    rule: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    parse(&String::deserialize(field)?).ok_or_else(|| serde::de::Error::custom(rule))
}

/// Reads a list of texts, or one text with semicolons as separators.
pub(crate) fn texts<'de, D: Deserializer<'de>>(field: D) -> Result<Vec<String>, D::Error> {
    struct Texts;

    impl<'de> Visitor<'de> for Texts {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of texts")
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = items.next_element()? {
                texts.push(text);
            }
            Ok(texts)
        }
    }

    field.deserialize_any(Texts)
}
