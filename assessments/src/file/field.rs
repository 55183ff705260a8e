//! Fields that do not decide a result: if they are damaged, the row is still used.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use super::unique::unique;

/// A field of a row. A value of another type is damage, for example the text that PowerShell's `ConvertTo-Json` writes
/// instead of an object beyond its depth.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field<T> {
    /// Missing or null.
    #[default]
    Missing,
    /// Present, but not of the expected type.
    Damaged,
    /// Present.
    Value(T),
}

impl<T> Field<T> {
    /// Returns the value, if there is one.
    pub(crate) fn value(self) -> Option<T> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    /// Returns the value, if there is one.
    pub(crate) fn get(&self) -> Option<&T> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }

    /// Returns whether the field is present, but not of the expected type.
    pub(crate) fn is_damaged(&self) -> bool {
        matches!(self, Self::Damaged)
    }
}

impl Field<String> {
    /// Returns the text, if there is one.
    pub(crate) fn text(&self) -> Option<&str> {
        self.get().map(String::as_str)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Field<T> {
    /// Reads numbers and booleans as text where text is expected, because some writers do not quote them.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = unique(deserializer)?;
        let as_text = match &value {
            Value::Null => return Ok(Self::Missing),
            Value::Number(_) | Value::Bool(_) => Some(Value::String(value.to_string())),
            _ => None,
        };
        let read = T::deserialize(value).ok().or_else(|| T::deserialize(as_text?).ok());
        Ok(read.map_or(Self::Damaged, Self::Value))
    }
}

/// Returns the names of the damaged fields of a row.
pub(crate) fn damaged<const N: usize>(fields: [(&'static str, bool); N]) -> Vec<&'static str> {
    fields.into_iter().filter(|(_, is_damaged)| *is_damaged).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_type_is_damage() {
        let read = |json: &str| serde_json::from_str::<Field<String>>(json).unwrap();
        assert_eq!(read("\"a\""), Field::Value("a".to_owned()));
        assert_eq!(read("1.5"), Field::Value("1.5".to_owned()));
        assert_eq!(read("null"), Field::Missing);
        assert_eq!((read("{}"), read("[\"a\"]")), (Field::Damaged, Field::Damaged));
        let list = |json: &str| serde_json::from_str::<Field<Vec<u8>>>(json).unwrap();
        assert_eq!((list("[1]"), list("\"@{a=1}\"")), (Field::Value(vec![1]), Field::Damaged));
    }
}
