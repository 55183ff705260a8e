//! What a file looks like from outside: enough to recognize its format, at the price of one pass and no tree.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::Unreadable;

/// Outline of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outline {
    /// JSON, whole and well-formed, with the keys of the object or of the list's first object.
    Json(BTreeSet<String>),
    /// Anything else, which may be a table, with its first line.
    Table(String),
}

impl Outline {
    pub(super) fn of(text: &str) -> Result<Self, Unreadable> {
        match text.trim_start().chars().next() {
            None => Err(Unreadable::Empty),
            Some('<') => Err(Unreadable::Markup),
            Some('{' | '[') => {
                let Keys(keys) = serde_json::from_str(text).map_err(Unreadable::json)?;
                Ok(Self::Json(keys))
            }
            Some(_) => Ok(Self::Table(text.lines().next().unwrap_or_default().to_owned())),
        }
    }

    /// Whether the file is JSON with all these keys.
    pub(crate) fn is_json_with(&self, wanted: &[&str]) -> bool {
        matches!(self, Self::Json(keys) if wanted.iter().all(|key| keys.contains(*key)))
    }

    /// Whether the file is a table with all these columns.
    pub(crate) fn is_table_with(&self, wanted: &[&str]) -> bool {
        let Self::Table(header) = self else { return false };
        let columns: Vec<&str> = header.split(',').map(|column| column.trim().trim_matches('"')).collect();
        wanted.iter().all(|column| columns.contains(column))
    }
}

/// The keys of an object or of a list's first object; values are passed over.
struct Keys(BTreeSet<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor { in_list: false })
    }
}

struct KeysVisitor {
    in_list: bool,
}

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, IgnoredAny)) = map.next_entry()? {
            keys.insert(key);
        }
        Ok(Keys(keys))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Keys, A::Error> {
        if self.in_list {
            return Err(de::Error::invalid_type(de::Unexpected::Seq, &self));
        }
        let first = list.next_element_seed(Self { in_list: true })?;
        while let Some(IgnoredAny) = list.next_element()? {}
        Ok(first.unwrap_or(Keys(BTreeSet::new())))
    }
}

impl<'de> de::DeserializeSeed<'de> for KeysVisitor {
    type Value = Keys;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Keys, D::Error> {
        deserializer.deserialize_any(self)
    }
}
