//! What a file looks like from outside: enough to recognize its format, at the price of one pass and no tree.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Unreadable;

/// Outline of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outline {
    /// JSON with the keys of the object or of the list's first object.
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
                let keys = serde_json::from_str(text).map(|Keys(keys)| keys);
                keys.or_else(none_if_no_objects).map(Self::Json)
            }
            Some(_) => Ok(Self::Table(text.lines().next().unwrap_or_default().to_owned())),
        }
    }

    /// What the file is, where nothing more is known of it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Json(_) => "JSON",
            Self::Table(_) => "text",
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

/// JSON whose list holds something else than objects is valid all the same, and has no keys.
fn none_if_no_objects(error: serde_json::Error) -> Result<BTreeSet<String>, Unreadable> {
    if error.is_data() { Ok(BTreeSet::new()) } else { Err(Unreadable::json(error)) }
}

/// The keys of an object or of a list's first object; values are passed over.
struct Keys(BTreeSet<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

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
        let first = list.next_element::<Keys>()?;
        while let Some(IgnoredAny) = list.next_element()? {}
        Ok(first.unwrap_or(Keys(BTreeSet::new())))
    }
}
