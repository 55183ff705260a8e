//! Lists of rows, taken one at a time. A row that is none is for its reader to report and does not end the file.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// Most rows that [`rows`] keeps. The tools assess some hundred controls.
const MOST_ROWS: usize = 100_000;

/// Hands on the rows of a list as they come, each as what it is, or as none when it is something else.
///
/// A single row stands for a list of one, and null for an empty list: PowerShell's `ConvertTo-Json` writes them so.
pub(crate) struct Each<F, T> {
    take: F,
    row: PhantomData<T>,
}

/// Hands the rows of a list to `take`, as a [`DeserializeSeed`] for the list.
pub(crate) fn each<T: DeserializeOwned, F: FnMut(Option<T>)>(take: F) -> Each<F, T> {
    Each { take, row: PhantomData }
}

/// The rows of a list that is small enough to be kept, for `#[serde(deserialize_with)]`.
pub(crate) fn rows<'de, D, T>(deserializer: D) -> Result<Vec<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let mut rows = Vec::new();
    let mut surplus = 0;
    let take = |row| if rows.len() < MOST_ROWS { rows.push(row) } else { surplus += 1 };
    each(take).deserialize(deserializer)?;
    if surplus == 0 { Ok(rows) } else { Err(D::Error::custom("more rows than any tool writes")) }
}

impl<'de, F, T> DeserializeSeed<'de> for Each<F, T>
where
    T: DeserializeOwned,
    F: FnMut(Option<T>),
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F, T> Visitor<'de> for Each<F, T>
where
    T: DeserializeOwned,
    F: FnMut(Option<T>),
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(Row(row)) = list.next_element()? {
            (self.take)(row);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, map: A) -> Result<(), A::Error> {
        let row = Value::deserialize(MapAccessDeserializer::new(map))?;
        (self.take)(T::deserialize(row).ok());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// An element of a list: a row, or none where the element is something else.
struct Row<T>(Option<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Row<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(text.get()).ok()))
    }
}
