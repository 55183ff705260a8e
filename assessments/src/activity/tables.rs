//! Rows of tables as the admin centres export them: by column names, in any case and order.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use model::Timestamp;
use serde_json::Value;

use crate::file::{WithoutOffset, read_boolean, read_day, read_time};

/// The cells of a row by the names of their columns, in lower case and without blanks around them.
pub(crate) struct Columns(BTreeMap<String, String>);

impl Columns {
    /// Takes the cells of a row.
    pub(crate) fn of(row: BTreeMap<String, String>) -> Self {
        Self(row.into_iter().map(|(name, cell)| (name.trim().to_lowercase(), cell.trim().to_owned())).collect())
    }

    /// Returns the text of a column. Returns `None` if there is no such column or the cell is empty.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.0.get(column).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Returns the cells of all columns whose names begin and end with these texts.
    pub(crate) fn named<'a>(&'a self, start: &'a str, end: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let cells = self.0.iter().filter(move |(name, _)| name.starts_with(start) && name.ends_with(end));
        cells.map(|(name, cell)| (name.as_str(), cell.as_str()))
    }

    /// Returns the time of a column, in any form of Excel. The exports are in UTC.
    pub(crate) fn time(&self, column: &str) -> Option<Timestamp> {
        read_time(&Value::from(self.text(column)?), WithoutOffset::IsUtc).ok()
    }

    /// Returns the day of a column, in any form of Excel.
    pub(crate) fn day(&self, column: &str) -> Option<NaiveDate> {
        read_day(self.text(column)?)
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
