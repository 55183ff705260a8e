//! Rows of files that people keep by hand: CSV tables with a header line, or JSON lists of objects.
//!
//! The files can name people, so an error reports the place and the rule, never the content.

use std::collections::HashSet;
use std::fmt;

use chrono::NaiveDate;
use model::calendar_date;
use serde::Deserialize;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Expected, IntoDeserializer, SeqAccess, Unexpected, Visitor};
use serde_json::{Map, Value};

/// A file or a row that cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct RowError {
    /// File, row and field, as far as they are known.
    place: String,
    problem: String,
}

/// A row with its place in the files, for errors.
#[derive(Debug)]
pub struct Placed<T> {
    place: String,
    /// The row.
    pub row: T,
}

impl<T> Placed<T> {
    /// Returns an error about a field of the row.
    pub(crate) fn error(&self, field: &str, problem: &str) -> RowError {
        RowError { place: format!("{}, {field}", self.place), problem: problem.to_owned() }
    }
}

/// Reads the rows of files, given by name and content.
///
/// # Errors
/// If a file is neither a CSV table nor a JSON list of objects in UTF-8, a field is unknown, missing or malformed, or
/// there is no row at all: recording none would delete what is recorded, and is more likely a failed export.
pub fn read<T: DeserializeOwned>(
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
) -> Result<Vec<Placed<T>>, RowError> {
    let mut rows = Vec::new();
    for (name, content) in files {
        let in_file = |problem| RowError { place: name.clone(), problem };
        let text = String::from_utf8(content).map_err(|_| in_file("must be text in UTF-8".to_owned()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_json = text.trim_start().starts_with(['[', '{']);
        let untyped = if is_json { json_rows(text) } else { csv_rows(text) };
        for (place, fields) in untyped.map_err(in_file)? {
            rows.push(typed(format!("{name}, {place}"), fields)?);
        }
    }
    if rows.is_empty() {
        return Err(RowError { place: "the files".to_owned(), problem: "hold no row; nothing is recorded".to_owned() });
    }
    Ok(rows)
}

type Fields = Map<String, Value>;

/// Returns the rows of a list; a single object counts as a list of one, as some tools write it.
fn json_rows(text: &str) -> Result<Vec<(String, Fields)>, String> {
    let rows = match serde_json::from_str(text) {
        Ok(Value::Array(rows)) => rows,
        Ok(row) => vec![row],
        Err(error) => return Err(format!("is not valid JSON at line {}, column {}", error.line(), error.column())),
    };
    let rows = rows.into_iter().zip(1..).map(|(row, number)| match row {
        Value::Object(fields) => Ok((format!("row {number}"), fields)),
        _ => Err(format!("row {number}: must be a JSON object")),
    });
    rows.collect()
}

fn csv_rows(text: &str) -> Result<Vec<(String, Fields)>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| csv_problem(&error))?.clone();
    if header.iter().collect::<HashSet<_>>().len() < header.len() {
        return Err("has a field twice in its header".to_owned());
    }
    let rows = reader.into_records().map(|record| {
        let record = record.map_err(|error| csv_problem(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let fields = header.iter().zip(&record).map(|(name, text)| (name.to_owned(), text.into()));
        Ok((format!("line {line}"), fields.collect()))
    });
    rows.collect()
}

fn csv_problem(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line}: has {len} fields where the header has {expected_len}")
        }
        _ => "is not a readable CSV table".to_owned(),
    }
}

/// Reads a row into its type. A field that is null or empty counts as missing.
fn typed<T: DeserializeOwned>(place: String, fields: Fields) -> Result<Placed<T>, RowError> {
    let cells = fields.into_iter().map(|(field, value)| Cell { field, value }).filter(|cell| !cell.is_empty());
    let cells = cells.map(|cell| (cell.field.clone(), cell));
    match T::deserialize(MapDeserializer::new(cells)) {
        Ok(row) => Ok(Placed { place, row }),
        Err(Problem { field: Some(field), problem }) => Err(RowError { place: format!("{place}, {field}"), problem }),
        Err(Problem { field: None, problem }) => Err(RowError { place, problem }),
    }
}

/// A field of a row: text, whatever it is in the file, or a list of texts.
struct Cell {
    field: String,
    value: Value,
}

impl Cell {
    fn is_empty(&self) -> bool {
        self.value.is_null() || self.value.as_str().is_some_and(|text| text.trim().is_empty())
    }
}

impl IntoDeserializer<'_, Problem> for Cell {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Cell {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let Self { field, value } = self;
        let read = match value {
            Value::String(text) => visitor.visit_string(text.trim().to_owned()),
            Value::Array(items) => {
                let items = items.into_iter().map(|value| Self { field: field.clone(), value });
                visitor.visit_seq(SeqDeserializer::new(items))
            }
            Value::Object(_) | Value::Null => Err(Problem::new(SINGLE_VALUE)),
            Value::Bool(_) | Value::Number(_) => visitor.visit_string(value.to_string()),
        };
        read.map_err(|problem| Problem { field: problem.field.or(Some(field)), ..problem })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

const SINGLE_VALUE: &str = "must be a single value";

/// Why a row does not have its type. Never repeats a value or the name of an unknown field.
#[derive(Debug)]
struct Problem {
    field: Option<String>,
    problem: String,
}

impl Problem {
    fn new(problem: impl Into<String>) -> Self {
        Self { field: None, problem: problem.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Problem {}

impl serde::de::Error for Problem {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::new(SINGLE_VALUE)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("must be {expected}"))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("has a field that is none of {}", expected.join(", ")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { field: Some(field.to_owned()), problem: "is missing".to_owned() }
    }
}

/// Reads a whole number from 0.
pub(crate) fn count<'de, D: Deserializer<'de>>(field: D) -> Result<u32, D::Error> {
    parsed(field, "must be a whole number from 0", |text| text.parse().ok())
}

/// Reads a percentage.
pub(crate) fn percentage<'de, D: Deserializer<'de>>(field: D) -> Result<f64, D::Error> {
    let parse = |text: &str| text.parse().ok().filter(|value| (0.0..=100.0).contains(value));
    parsed(field, "must be a number from 0 to 100", parse)
}

/// Reads a day.
pub(crate) fn day<'de, D: Deserializer<'de>>(field: D) -> Result<NaiveDate, D::Error> {
    parsed(field, "must be a date in the form YYYY-MM-DD", calendar_date)
}

/// Reads true or false, in any case.
pub(crate) fn boolean<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    parsed(field, "must be true or false", |text| text.to_lowercase().parse().ok())
}

/// Reads a text by a function that returns `None` if the text breaks the rule.
pub(crate) fn parsed<'de, D: Deserializer<'de>, T>(
    field: D,
    rule: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    parse(&String::deserialize(field)?).ok_or_else(|| serde::de::Error::custom(rule))
}

/// Reads a list of texts, or one text with semicolons between them.
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
