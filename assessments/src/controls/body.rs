//! Reads bodies as they stream by, so that no page is kept, whatever it contains.
//!
//! A body in another form than its source's is read to its end and reported; it never ends the file.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

/// Room for a body that is one object: its texts and, for every value, some bytes more. The largest of a tenant, the
/// methods policy, needs 10 KB.
const DOCUMENT_ROOM: usize = 4 << 20;

/// Room for the lines of a table: 100,000 users' rows of a usage report need 20 MB.
const TABLE_ROOM: usize = 32 << 20;

/// Bytes that a value takes without its text.
const VALUE_SIZE: usize = 32;

/// Reads a page, and passes each row as JSON to a closure. Its value is the other members, or `None` if the body is no
/// page.
pub(super) struct Rows<F>(pub(super) F);

/// Reads an object. Its value is `None` if the body is something else, or larger than any that is known.
pub(super) struct Document;

/// Reads the lines of a table. Its value is `None` if the body is something else or too large.
pub(super) struct Lines;

/// Implements the visits of everything that is not expected: it is read to its end, and the value is `None`.
macro_rules! otherwise_none {
    ($($visit:ident: $type:ty),*) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }

        $(fn $visit<E>(self, _: $type) -> Result<Self::Value, E> {
            Ok(None)
        })*

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    };
}

/// Reads a list to its end.
fn skip_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads an object to its end.
fn skip_object<'de, A: MapAccess<'de>>(mut object: A) -> Result<(), A::Error> {
    while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de, F: FnMut(&str)> DeserializeSeed<'de> for Rows<F> {
    type Value = Option<()>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(&str)> Visitor<'de> for Rows<F> {
    type Value = Option<()>;

    otherwise_none!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        skip_list(list).map(|()| None)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut page: A) -> Result<Self::Value, A::Error> {
        let mut has_rows = None;
        while let Some(name) = page.next_key::<String>()? {
            match name.as_str() {
                "value" if has_rows.is_none() => has_rows = page.next_value_seed(RowList(&mut self.0))?,
                "error" => {
                    page.next_value::<IgnoredAny>()?;
                    skip_object(page)?;
                    return Ok(None);
                }
                _ => drop(page.next_value::<IgnoredAny>()?),
            }
        }
        Ok(has_rows)
    }
}

/// The rows of a page.
struct RowList<'a, F>(&'a mut F);

impl<'de, F: FnMut(&str)> DeserializeSeed<'de> for RowList<'_, F> {
    type Value = Option<()>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(&str)> Visitor<'de> for RowList<'_, F> {
    type Value = Option<()>;

    otherwise_none!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while let Some(row) = list.next_element::<Box<RawValue>>()? {
            (self.0)(row.get());
        }
        Ok(Some(()))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        skip_object(object).map(|()| None)
    }
}

impl<'de> DeserializeSeed<'de> for Document {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let mut room = DOCUMENT_ROOM;
        let value = Bounded { room: &mut room }.deserialize(deserializer)?;
        Ok(value.filter(Value::is_object))
    }
}

/// A value that fits into the room that is left, else `None`.
struct Bounded<'a> {
    room: &'a mut usize,
}

impl Bounded<'_> {
    /// Takes the room of a value, unless none is left.
    fn take(self, length: usize, value: impl FnOnce() -> Value) -> Option<Value> {
        *self.room = self.room.saturating_sub(VALUE_SIZE + length);
        (*self.room > 0).then(value)
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(self.take(0, || Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(self.take(0, || value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.take(0, || value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.take(0, || value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(self.take(0, || Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(self.take(value.len(), || value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Bounded { room: &mut *self.room })? {
            let Some(value) = value else { return skip_list(list).map(|()| None) };
            values.push(value);
        }
        Ok(self.take(0, || Value::Array(values)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            let value = object.next_value_seed(Bounded { room: &mut *self.room })?;
            *self.room = self.room.saturating_sub(name.len());
            let Some(value) = value else { return skip_object(object).map(|()| None) };
            // Of a member that occurs twice, nobody can say which one counts.
            if fields.insert(name, value).is_some() {
                return skip_object(object).map(|()| None);
            }
        }
        Ok(self.take(0, || Value::Object(fields)))
    }
}

impl<'de> DeserializeSeed<'de> for Lines {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Lines {
    type Value = Option<String>;

    otherwise_none!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        skip_object(object).map(|()| None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut table = String::new();
        while let Some(line) = list.next_element::<Box<RawValue>>()? {
            match serde_json::from_str::<String>(line.get()) {
                Ok(line) if table.len() + line.len() < TABLE_ROOM => table.extend([&line, "\n"]),
                _ => return skip_list(list).map(|()| None),
            }
        }
        Ok(Some(table))
    }
}
