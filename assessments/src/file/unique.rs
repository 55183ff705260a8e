//! JSON values in which no field is repeated. The usual parsers keep the last of two fields, which may be the wrong one.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::error::REPEATED_FIELD;

/// A JSON value in which no field is repeated.
#[derive(Debug, Default)]
pub struct Unique(pub Value);

/// An object that is read as a map, in which no field is repeated.
pub(crate) struct UniqueMap<T>(pub(crate) BTreeMap<String, T>);

/// Returns the error for a repeated field.
pub(crate) fn repeated<E: Error>() -> E {
    E::custom(REPEATED_FIELD)
}

/// Reads a value in which no field is repeated, for `#[serde(deserialize_with)]`.
pub(crate) fn unique<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Unique::deserialize(deserializer).map(|Unique(value)| value)
}

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for UniqueMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AnyMap(PhantomData)).map(Self)
    }
}

struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if fields.insert(name, object.next_value_seed(Self)?).is_some() {
                return Err(repeated());
            }
        }
        Ok(Value::Object(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

struct AnyMap<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AnyMap<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some(name) = object.next_key()? {
            if fields.insert(name, object.next_value()?).is_some() {
                return Err(repeated());
            }
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_field_is_an_error_at_any_level() {
        for json in [r#"{"a": 1, "a": 1}"#, r#"[{"b": [{"a": 1, "c": 2, "a": 3}]}]"#] {
            let error = serde_json::from_str::<Unique>(json).unwrap_err();
            assert!(error.to_string().starts_with(REPEATED_FIELD), "{error}");
        }
        let error = serde_json::from_str::<UniqueMap<u8>>(r#"{"a": 1, "a": 2}"#).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with(REPEATED_FIELD), "{error}");
    }

    #[test]
    fn any_other_value_is_read() {
        for json in [r#"{"a":[1,-1,0.5,"x",true,null,{"a":{}}]}"#, "7", "null", "[]"] {
            let Unique(value) = serde_json::from_str(json).unwrap();
            assert_eq!(value.to_string(), json);
        }
    }
}
