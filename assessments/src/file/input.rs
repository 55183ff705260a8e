//! A file of a known format, for its reader.

use std::io::BufRead;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed};
use serde_json::{Deserializer, Map, Value};

use super::encoding::Text;
use super::error::Unreadable;
use super::shape::{Shape, excel_delimiter};

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

    /// Reads JSON into a value that is kept completely in memory.
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

    /// Reads JSON values that follow each other, as in JSON lines, each into a seed of its own.
    pub(crate) fn json_values<S: for<'de> DeserializeSeed<'de, Value = T>, T>(
        self,
        mut seed: impl FnMut() -> S,
        mut take: impl FnMut(T),
    ) -> Result<(), Unreadable> {
        let mut json = Deserializer::from_reader(self.text);
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

    /// Reads the rows of a table, whose first row names the columns, in any order. A malformed row is `None`. Rows of
    /// empty cells, which Excel writes, are skipped. An empty cell is a missing field.
    pub(crate) fn table<T: DeserializeOwned>(
        self,
    ) -> Result<impl Iterator<Item = Result<Option<T>, Unreadable>>, Unreadable> {
        let mut text = self.text;
        let first = text.fill_buf().map_err(Unreadable::io)?;
        let line = first.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if excel_delimiter(&first[..line]).is_some() {
            text.consume(line);
        }
        let mut table = csv::ReaderBuilder::new().delimiter(self.shape.delimiter()).from_reader(text);
        let header = table.headers().map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => Unreadable::io(error),
            _ => Unreadable::Encoding,
        })?;
        let columns: Vec<String> = header.iter().map(|column| column.trim().to_owned()).collect();
        let rows = table.into_records().map(move |record| match record.map_err(csv::Error::into_kind) {
            Ok(record) => Ok(Some(object(&columns, &record))),
            Err(csv::ErrorKind::Io(error)) => Err(Unreadable::io(error)),
            Err(_) => Ok(None),
        });
        let is_blank =
            |row: &Result<Option<Map<String, Value>>, Unreadable>| matches!(row, Ok(Some(cells)) if cells.is_empty());
        let rows = rows.filter(move |row| !is_blank(row));
        Ok(rows.map(|row| row.map(|row| row.and_then(|cells| T::deserialize(Value::Object(cells)).ok()))))
    }
}

/// Returns a row as an object of the texts that are not empty, without white space around them.
fn object(columns: &[String], record: &csv::StringRecord) -> Map<String, Value> {
    let cells = columns.iter().zip(record).map(|(column, cell)| (column, cell.trim()));
    cells.filter(|(_, cell)| !cell.is_empty()).map(|(column, cell)| (column.clone(), cell.into())).collect()
}
