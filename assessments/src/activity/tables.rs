//! Rows of tables as the admin centres export them: by column names, in any case and order.

use std::collections::BTreeMap;

use chrono::{NaiveDate, NaiveTime};
use model::Timestamp;
use serde_json::Value;

use crate::file::{RowKey, WithoutOffset, read_boolean, read_day, read_time};

/// The cells of a row by the names of their columns, in lower case and without blanks around them.
pub(crate) struct Columns(BTreeMap<String, String>);

impl Columns {
    /// Takes the cells of a row.
    pub(crate) fn of(row: BTreeMap<String, String>) -> Self {
        Self(row.into_iter().map(|(name, cell)| (name.trim().to_lowercase(), cell.trim().to_owned())).collect())
    }

    /// Returns a key of the row's whole content, for tables whose rows have no identifiers.
    pub(crate) fn key(&self) -> RowKey {
        let cells: Vec<&str> = self.0.iter().flat_map(|(name, cell)| [name.as_str(), cell.as_str()]).collect();
        RowKey::of(&cells.join("\n"))
    }

    /// Returns the text of a column. Returns `None` if there is no such column or the cell is empty.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.0.get(column).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Returns the names and values in numbered columns: `start1name` with `start1value`, `start2name` and so on.
    pub(crate) fn pairs<'a>(
        &'a self,
        start: &'a str,
        name: &'a str,
        value: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().filter_map(move |(column, cell)| {
            let number = column.strip_prefix(start)?.strip_suffix(name)?;
            Some((cell.as_str(), self.text(&format!("{start}{number}{value}"))?))
        })
    }

    /// Returns the time of a column, in any form of Excel. The exports are in UTC.
    pub(crate) fn time(&self, column: &str) -> Option<Timestamp> {
        read_time(&Value::from(self.text(column)?), WithoutOffset::IsUtc).ok()
    }

    /// Returns the day of a column, in any form of Excel.
    pub(crate) fn day(&self, column: &str) -> Option<NaiveDate> {
        read_day(self.text(column)?)
    }

    /// Returns the first moment (UTC) of the day of a column.
    pub(crate) fn start_of_day(&self, column: &str) -> Option<Timestamp> {
        self.day(column)?.and_time(NaiveTime::MIN).and_utc().try_into().ok()
    }

    /// Returns the whole number of a column.
    pub(crate) fn number(&self, column: &str) -> Option<u32> {
        self.text(column)?.parse().ok()
    }
}

/// Returns the truth value of a cell.
pub(crate) fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => read_boolean(text),
    }
}
