//! Rows of tables. A row that is cut off is never a row.

use std::marker::PhantomData;

use csv::{StringRecord, StringRecordsIntoIter};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::encoding::Text;
use super::error::Unreadable;
use super::limits::TableEnd;
use super::shape::skip_preamble;

/// The rows of a table, read one at a time; a malformed row is `None`.
pub(crate) struct TableRows<'a, T> {
    columns: Vec<String>,
    records: StringRecordsIntoIter<Text<'a>>,
    /// The next record, read ahead because only the last one can be cut off.
    ahead: Option<csv::Result<StringRecord>>,
    /// Number of rows so far.
    rows: usize,
    /// Whether the last row may lack a line break.
    is_log: bool,
    row: PhantomData<T>,
}

impl<'a, T: DeserializeOwned> TableRows<'a, T> {
    pub(super) fn read(mut text: Text<'a>, delimiter: u8) -> Result<Self, Unreadable> {
        skip_preamble(&mut text).map_err(Unreadable::io)?;
        let mut table = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text);
        let header = table.headers().map_err(unreadable)?;
        let columns: Vec<String> = header.iter().map(|column| column.trim().to_owned()).collect();
        let records = table.into_records();
        let mut rows = Self { columns, records, ahead: None, rows: 0, is_log: false, row: PhantomData };
        rows.ahead = rows.next_filled();
        Ok(rows)
    }

    /// Accepts a last row without a line break, because some logs are exported without it.
    pub(super) fn of_log(self) -> Self {
        Self { is_log: true, ..self }
    }

    /// Returns the next record with content.
    fn next_filled(&mut self) -> Option<csv::Result<StringRecord>> {
        let is_blank = |record: &StringRecord| record.iter().all(|cell| cell.trim().is_empty());
        self.records.by_ref().find(|record| !record.as_ref().is_ok_and(is_blank))
    }

    /// Returns why the last record of the table cannot be used, if it is cut off.
    fn cut_off(&self, last: &StringRecord) -> Option<Unreadable> {
        let row = self.rows;
        match self.records.reader().get_ref().get_ref().table_end() {
            _ if last.len() < self.columns.len() => Some(Unreadable::TableCutOff { row }),
            TableEnd::WithinQuotes => Some(Unreadable::TableCutOff { row }),
            TableEnd::WithinCell if !self.is_log => Some(Unreadable::NoLineBreak { row }),
            TableEnd::WithinCell | TableEnd::AfterRow => None,
        }
    }

    /// Returns a row of the texts that are not empty, without white space around them.
    fn row(&self, record: &StringRecord) -> Option<T> {
        if record.len() != self.columns.len() {
            return None;
        }
        let cells = self.columns.iter().zip(record).map(|(column, cell)| (column, cell.trim()));
        let filled = cells.filter(|(_, cell)| !cell.is_empty());
        let row: Map<_, _> = filled.map(|(column, cell)| (column.clone(), Value::from(cell))).collect();
        T::deserialize(Value::Object(row)).ok()
    }
}

impl<T: DeserializeOwned> Iterator for TableRows<'_, T> {
    type Item = Result<Option<T>, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = match self.ahead.take()? {
            Ok(record) => record,
            Err(error) => return Some(Err(unreadable(error))),
        };
        self.ahead = self.next_filled();
        self.rows += 1;
        match self.cut_off(&record).filter(|_| self.ahead.is_none()) {
            Some(error) => Some(Err(error)),
            None => Some(Ok(self.row(&record))),
        }
    }
}

fn unreadable(error: csv::Error) -> Unreadable {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => Unreadable::io(error),
        _ => Unreadable::Encoding,
    }
}
