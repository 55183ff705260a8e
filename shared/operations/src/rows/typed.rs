//! Reads a row into its type with `serde`, with errors that name the field and never its content.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess};
use serde::de::{Unexpected, Visitor};
use serde_json::{Map, Value};

/// The fields of a row, as in the file.
pub(super) type Fields = Map<String, Value>;

const SINGLE_VALUE: &str = "must be a single value";

/// Why a row cannot be read into its type. Never repeats a value or the name of an unknown field.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) field: Option<String>,
    pub(super) problem: String,
}

/// Reads a row into its type. A field that is null or empty counts as missing.
pub(super) fn typed<T: DeserializeOwned>(fields: Fields) -> Result<T, Problem> {
    T::deserialize(MapAccessDeserializer::new(Row { fields: fields.into_iter(), current: None }))
}

/// The fields that remain to be read.
struct Row {
    fields: serde_json::map::IntoIter,
    /// The most recently read field name.
    current: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Row {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        self.current = self.fields.find(|(_, value)| !is_empty(value));
        let name = self.current.as_ref().map(|(name, _)| name.as_str());
        name.map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        let (name, value) = self.current.take().unwrap_or_default();
        seed.deserialize(Cell(value)).map_err(|problem| Problem { field: problem.field.or(Some(name)), ..problem })
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// The content of a field: text of any kind in the file, or a list of texts.
struct Cell(Value);

impl IntoDeserializer<'_, Problem> for Cell {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Cell {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text.trim().to_owned()),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Self))),
            Value::Object(_) | Value::Null => Err(Problem::new(SINGLE_VALUE)),
            value @ (Value::Bool(_) | Value::Number(_)) => visitor.visit_string(value.to_string()),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
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
        Self::new(format!("has an unknown field; the fields are {}", expected.join(", ")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { field: Some(field.to_owned()), problem: "is missing".to_owned() }
    }
}
