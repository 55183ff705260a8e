//! A file of a known format, for its reader.

use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::Deserializer;

use super::encoding::Text;
use super::error::Unreadable;
use super::shape::Shape;

/// The text of a file from its beginning, and its shape.
pub(crate) struct Input<'a> {
    text: Text<'a>,
    shape: &'a Shape,
}

impl<'a> Input<'a> {
    pub(crate) fn new(text: Text<'a>, shape: &'a Shape) -> Self {
        Self { text, shape }
    }

    /// Returns the shape of the file.
    pub(crate) fn shape(&self) -> &'a Shape {
        self.shape
    }

    /// Reads JSON into a value that is kept in memory as a whole.
    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<T, Unreadable> {
        self.json_into(PhantomData::<T>)
    }

    /// Reads JSON into a seed that consumes it as it is read, such as [`each_row`](super::each_row).
    pub(crate) fn json_into<S: for<'de> DeserializeSeed<'de, Value = T>, T>(self, seed: S) -> Result<T, Unreadable> {
        let mut json = Deserializer::from_reader(self.text);
        let value = seed.deserialize(&mut json).map_err(Unreadable::json)?;
        json.end().map_err(Unreadable::json)?;
        Ok(value)
    }

    /// Reads the rows of a table, whose first row names the columns. A malformed row is `None`.
    pub(crate) fn table<T: DeserializeOwned>(self) -> impl Iterator<Item = Result<Option<T>, Unreadable>> {
        let table = csv::ReaderBuilder::new().delimiter(self.shape.delimiter()).from_reader(self.text);
        table.into_deserialize().map(|row| match row.map_err(csv::Error::into_kind) {
            Ok(row) => Ok(Some(row)),
            Err(csv::ErrorKind::Io(error)) => Err(Unreadable::io(error)),
            Err(_) => Ok(None),
        })
    }
}
