//! A file of a known format, for its reader.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::Deserializer;

use super::encoding::Text;
use super::error::Unreadable;
use super::shape::Shape;
use super::table::TableRows;
use super::time::{DateOrder, ShownOrder, order_of};

/// The text of a file, and its shape.
pub(crate) struct Input<'a> {
    shape: &'a Shape,
    /// Opens the file at its beginning. One text is read at a time, because texts can share a position in the file.
    text: &'a dyn Fn() -> Result<Text<'a>, Unreadable>,
}

impl<'a> Input<'a> {
    /// Creates the input of a file of this shape, from a function that opens it at its beginning.
    pub(crate) fn new(shape: &'a Shape, text: &'a dyn Fn() -> Result<Text<'a>, Unreadable>) -> Self {
        Self { shape, text }
    }

    /// Returns the order of day and month in the dates of a table: that of the first date in one of these columns that
    /// shows it. Returns `None` if no date does, or if the dates do not need it.
    pub(crate) fn date_order(&self, columns: &[&str]) -> Result<Option<DateOrder>, Unreadable> {
        if !columns.iter().any(|column| self.shape.is_table_with(&[column])) {
            return Ok(None);
        }
        let is_date = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
        for row in TableRows::<BTreeMap<String, String>>::read((self.text)()?, self.shape.delimiter())?.of_log() {
            let row = match row {
                Err(Unreadable::TableCutOff { .. }) => None,
                row => row?,
            };
            for (_, date) in row.iter().flatten().filter(|(name, _)| is_date(name)) {
                match order_of(date) {
                    ShownOrder::Either => {}
                    ShownOrder::NotNeeded => return Ok(None),
                    ShownOrder::Only(order) => return Ok(Some(order)),
                }
            }
        }
        Ok(None)
    }

    /// Returns the shape of the file.
    pub(crate) fn shape(&self) -> &'a Shape {
        self.shape
    }

    /// Reads JSON into a value that is kept completely in memory.
    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<T, Unreadable> {
        self.json_into(PhantomData::<T>)
    }

    /// Reads JSON into a seed that consumes it as it is read, such as [`each_row`](super::each_row).
    pub(crate) fn json_into<S: for<'de> DeserializeSeed<'de, Value = T>, T>(self, seed: S) -> Result<T, Unreadable> {
        let mut json = Deserializer::from_reader((self.text)()?);
        let value = seed.deserialize(&mut json).map_err(Unreadable::json)?;
        json.end().map_err(Unreadable::json)?;
        Ok(value)
    }

    /// Reads JSON values that follow each other, as in JSON lines, each into a seed of its own.
    pub(crate) fn json_values<S: for<'de> DeserializeSeed<'de, Value = T>, T>(
        self,
        mut seed: impl FnMut() -> S,
        mut take: impl FnMut(T),
    ) -> Result<(), Unreadable> {
        let mut json = Deserializer::from_reader((self.text)()?);
        loop {
            take(seed().deserialize(&mut json).map_err(Unreadable::json)?);
            match json.end() {
                Ok(()) => return Ok(()),
                // Another value follows.
                Err(error) if error.is_syntax() => {}
                Err(error) => return Err(Unreadable::json(error)),
            }
        }
    }

    /// Reads the rows of a table of results, whose first row names the columns, in any order. The table has to be whole.
    ///
    /// A malformed row is `None`. Rows of empty cells, which Excel writes, are skipped. An empty cell is a missing field.
    pub(crate) fn table<T: DeserializeOwned>(self) -> Result<TableRows<'a, T>, Unreadable> {
        TableRows::read((self.text)()?, self.shape.delimiter())
    }

    /// Reads the rows of a log or a usage report like [`table`](Self::table). Its rows count even if the table is cut
    /// off; the last one is malformed then.
    pub(crate) fn log_table<T: DeserializeOwned>(
        self,
    ) -> Result<impl Iterator<Item = Result<Option<T>, Unreadable>>, Unreadable> {
        let rows = TableRows::read((self.text)()?, self.shape.delimiter())?.of_log();
        Ok(rows.map(|row| match row {
            Err(Unreadable::TableCutOff { .. }) => Ok(None),
            row => row,
        }))
    }
}
