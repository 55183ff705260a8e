//! Rows of a file, JSON or CSV alike, read field by field.
//!
//! What a file holds can name people, so that an error tells where it lies and what is expected, never what is there.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use chrono::NaiveDate;
use model::calendar_date;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A file or a row that is not as it must be.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub(crate) struct RecordError {
    /// File, row and field, as far as they are known.
    place: String,
    problem: String,
}

/// One row. Knows its place, to be told in errors.
pub(crate) struct Record {
    place: String,
    fields: Map<String, Value>,
}

/// Reads the rows of files, each a JSON list of objects or a CSV table with a header line.
///
/// Every field has to be one of `known`, so that a misspelt name is told and never passed over; and there has to be a
/// row.
pub(crate) fn read(files: &[PathBuf], known: &[&str]) -> Result<Vec<Record>, RecordError> {
    let mut records = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let bytes = fs::read(file).map_err(|error| RecordError::new(&name, error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| RecordError::new(&name, "must be text in UTF-8"))?;
        records.extend(parse(&name, &text, known)?);
    }
    // What is recorded next would be nothing in place of what is there: more likely an export that failed.
    if records.is_empty() {
        return Err(RecordError::new("the files", "hold no row, so that nothing is recorded"));
    }
    Ok(records)
}

/// The rows of a text; `name` is what errors call it.
pub(crate) fn parse(name: &str, text: &str, known: &[&str]) -> Result<Vec<Record>, RecordError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows = if text.trim_start().starts_with(['[', '{']) { json_rows(text) } else { csv_rows(text) };
    let rows = rows.map_err(|problem| RecordError::new(name, problem))?;
    let records = rows.into_iter().map(|(place, fields)| Record { place: format!("{name}, {place}"), fields });
    records.map(|record| record.with_known(known)).collect()
}

type Row = (String, Map<String, Value>);

fn json_rows(text: &str) -> Result<Vec<Row>, String> {
    // A single object is a list of one: some tools write it so.
    let rows = match serde_json::from_str(text) {
        Ok(Value::Array(rows)) => rows,
        Ok(row) => vec![row],
        Err(error) => return Err(format!("is not valid JSON at line {}, column {}", error.line(), error.column())),
    };
    let rows = rows.into_iter().enumerate().map(|(index, row)| match row {
        Value::Object(fields) => Ok((format!("row {}", index + 1), fields)),
        _ => Err(format!("row {}: must be a JSON object", index + 1)),
    });
    rows.collect()
}

fn csv_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| csv_problem(&error))?.clone();
    if header.iter().collect::<HashSet<_>>().len() < header.len() {
        return Err("has a field twice in its header".to_owned());
    }
    let rows = reader.into_records().map(|record| {
        let record = record.map_err(|error| csv_problem(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let value = |text: &str| Value::String(text.to_owned());
        let fields = header.iter().zip(&record).map(|(name, text)| (name.to_owned(), value(text))).collect();
        Ok((format!("line {line}"), fields))
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

impl RecordError {
    fn new(place: &str, problem: impl Into<String>) -> Self {
        Self { place: place.to_owned(), problem: problem.into() }
    }
}

impl Record {
    /// The text of a field that has to be there.
    pub(crate) fn text(&self, field: &str) -> Result<String, RecordError> {
        self.optional_text(field)?.ok_or_else(|| self.error(field, "is missing"))
    }

    /// The text of a field; none where it is absent, null or empty.
    pub(crate) fn optional_text(&self, field: &str) -> Result<Option<String>, RecordError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(Value::Bool(value)) => Ok(Some(value.to_string())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(Value::Array(_) | Value::Object(_)) => Err(self.error(field, "must be a single value")),
        }
    }

    /// A whole number from 0.
    pub(crate) fn count(&self, field: &str) -> Result<u32, RecordError> {
        self.parsed(field, "must be a whole number from 0", |text| text.parse().ok())
    }

    /// A percentage.
    pub(crate) fn percentage(&self, field: &str) -> Result<f64, RecordError> {
        let parse = |text: &str| text.parse().ok().filter(|value| (0.0..=100.0).contains(value));
        self.parsed(field, "must be a number from 0 to 100", parse)
    }

    /// A day.
    pub(crate) fn day(&self, field: &str) -> Result<NaiveDate, RecordError> {
        self.parsed(field, "must be a date in the form YYYY-MM-DD", calendar_date)
    }

    /// True or false, in any case.
    pub(crate) fn boolean(&self, field: &str) -> Result<bool, RecordError> {
        let parse = |text: &str| bool::from_str(&text.to_lowercase()).ok();
        self.parsed(field, "must be true or false", parse)
    }

    /// An identifier, if there is one.
    pub(crate) fn optional_id<T>(&self, field: &str) -> Result<Option<T>, RecordError>
    where
        T: FromStr<Err: ToString>,
    {
        let text = self.optional_text(field)?;
        text.map(|text| text.parse().map_err(|error: T::Err| self.error(field, error.to_string()))).transpose()
    }

    /// One of the names of an enumeration, if there is one.
    pub(crate) fn optional_name<T: DeserializeOwned>(&self, field: &str, rule: &str) -> Result<Option<T>, RecordError> {
        let text = self.optional_text(field)?;
        text.map(|text| serde_json::from_value(Value::String(text)).map_err(|_| self.error(field, rule))).transpose()
    }

    /// Texts: a JSON list, or one text with semicolons between them.
    pub(crate) fn texts(&self, field: &str) -> Result<Vec<String>, RecordError> {
        let Some(Value::Array(values)) = self.fields.get(field) else {
            let text = self.optional_text(field)?.unwrap_or_default();
            return Ok(text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect());
        };
        let texts = values.iter().map(|value| value.as_str().map(str::to_owned));
        texts.collect::<Option<_>>().ok_or_else(|| self.error(field, "must be a list of texts"))
    }

    /// A field of this row that is not as it must be.
    pub(crate) fn error(&self, field: &str, problem: impl Into<String>) -> RecordError {
        RecordError::new(&format!("{}, {field}", self.place), problem)
    }

    fn parsed<T>(&self, field: &str, rule: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, RecordError> {
        parse(&self.text(field)?).ok_or_else(|| self.error(field, rule))
    }

    fn with_known(self, known: &[&str]) -> Result<Self, RecordError> {
        match self.fields.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(self),
            Some(_) => Err(RecordError::new(&self.place, format!("has a field that is none of {}", known.join(", ")))),
        }
    }
}
