//! Lists of rows, read one at a time. A malformed row is skipped and reported by the reader; it does not abort the file.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::limits::LARGEST_PART;

/// Largest number of rows that [`rows`] keeps. The tools assess some hundred controls.
const MOST_ROWS: usize = 100_000;

/// A seed that passes the rows of a list to a closure as they are read; a malformed row is `None`.
///
/// A single row is a list of one, and null is an empty list, because PowerShell's `ConvertTo-Json` writes them like this.
pub(crate) struct EachRow<F, T> {
    take: F,
    row: PhantomData<T>,
}

/// Returns a seed for a list that passes its rows to `take`.
pub(crate) fn each_row<T: DeserializeOwned, F: FnMut(Option<T>)>(take: F) -> EachRow<F, T> {
    EachRow { take, row: PhantomData }
}

/// Reads the rows of a list that is small enough to be kept, for `#[serde(deserialize_with)]`.
pub(crate) fn rows<'de, D, T>(deserializer: D) -> Result<Vec<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let mut rows = Vec::new();
    let mut surplus = 0;
    let take = |row| if rows.len() < MOST_ROWS { rows.push(row) } else { surplus += 1 };
    each_row(take).deserialize(deserializer)?;
    if surplus == 0 { Ok(rows) } else { Err(D::Error::custom("more rows than any tool writes")) }
}

impl<'de, F, T> DeserializeSeed<'de> for EachRow<F, T>
where
    T: DeserializeOwned,
    F: FnMut(Option<T>),
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F, T> Visitor<'de> for EachRow<F, T>
where
    T: DeserializeOwned,
    F: FnMut(Option<T>),
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(Element(row)) = list.next_element()? {
            (self.take)(row);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut row: A) -> Result<(), A::Error> {
        let mut members = String::new();
        while let Some((name, value)) = row.next_entry::<String, Box<RawValue>>()? {
            if members.len() + value.get().len() > LARGEST_PART {
                return Err(A::Error::custom("a row that is larger than any tool writes"));
            }
            let separator = if members.is_empty() { "" } else { "," };
            members.extend([separator, &Value::from(name).to_string(), ":", value.get()]);
        }
        (self.take)(serde_json::from_str(&format!("{{{members}}}")).ok());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// An element of a list: a row, or `None` if it is malformed.
struct Element<T>(Option<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Element<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(text.get()).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a list of numbers in objects.
    fn read(json: &str) -> Result<Vec<Option<u8>>, serde_json::Error> {
        #[derive(serde::Deserialize)]
        struct Number {
            n: u8,
        }
        let mut numbers = Vec::new();
        let take = |row: Option<Number>| numbers.push(row.map(|row| row.n));
        each_row(take).deserialize(&mut serde_json::Deserializer::from_reader(json.as_bytes()))?;
        Ok(numbers)
    }

    #[test]
    fn a_malformed_row_does_not_end_the_list() {
        assert_eq!(
            read(r#"[{"n": 1}, {"n": 1000}, {}, "n", {"n": 2, "m": [{}]}]"#).unwrap(),
            [Some(1), None, None, None, Some(2)]
        );
        assert!(read("7").is_err() && read("[{},").is_err());
    }

    #[test]
    fn a_single_row_is_a_list_of_one_and_null_an_empty_list() {
        assert_eq!(read(r#"{"n": 1, "a \"name\"": {"n": 2}}"#).unwrap(), [Some(1)]);
        assert_eq!(read(r#"{"n": "one"}"#).unwrap(), [None]);
        assert_eq!(read("{}").unwrap(), [None]);
        assert_eq!(read("null").unwrap(), []);
    }
}
