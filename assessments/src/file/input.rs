//! A file of a known format, as its reader takes it.

use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::Deserializer;

use super::outline::Outline;
use super::text::Text;
use super::unreadable::Unreadable;

/// The text of a file, from its beginning, and its outline.
pub(crate) struct Input<'a> {
    text: Text<'a>,
    outline: &'a Outline,
}

impl<'a> Input<'a> {
    pub(super) fn new(text: Text<'a>, outline: &'a Outline) -> Self {
        Self { text, outline }
    }

    /// What is known of the file already.
    pub(crate) fn outline(&self) -> &'a Outline {
        self.outline
    }

    /// Reads JSON that fits in memory, or of which only that much is kept.
    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<T, Unreadable> {
        self.json_into(PhantomData::<T>)
    }

    /// Reads JSON into what takes it as it comes, such as [`each`](super::each).
    pub(crate) fn json_into<S: for<'de> DeserializeSeed<'de, Value = T>, T>(self, seed: S) -> Result<T, Unreadable> {
        let mut json = Deserializer::from_reader(self.text);
        let value = seed.deserialize(&mut json).map_err(Unreadable::json)?;
        json.end().map_err(Unreadable::json)?;
        Ok(value)
    }

    /// Reads the rows of a table, whose first row names the columns: none for a row that is not as it should be.
    pub(crate) fn table<T: DeserializeOwned>(self) -> impl Iterator<Item = Result<Option<T>, Unreadable>> {
        let table = csv::ReaderBuilder::new().delimiter(self.outline.delimiter()).from_reader(self.text);
        table.into_deserialize().map(|row| match row.map_err(csv::Error::into_kind) {
            Ok(row) => Ok(Some(row)),
            Err(csv::ErrorKind::Io(error)) => Err(Unreadable::io(error)),
            Err(_) => Ok(None),
        })
    }
}
