//! Rows of tables as the admin centres export them: by column names, in any case and order.

use std::collections::BTreeMap;

use chrono::{NaiveDate, NaiveTime};
use model::Timestamp;
use serde_json::Value;

use crate::file::{DateOrder, Input, RowKey, Unreadable, WithoutOffset, read_day, read_time_in};

/// The cells of a row by the names of their columns, in lower case and without blanks around them.
pub(crate) struct Columns {
    cells: BTreeMap<String, String>,
    /// The order of day and month in the dates of the file.
    order: Option<DateOrder>,
}

/// Columns with the dates of logs and usage reports.
const DATES: [&str; 4] = ["date (utc)", "date", "report refresh date", "last activity date"];

impl Columns {
    /// Reads the rows of a table; a malformed row is `None`.
    pub(crate) fn of_table(
        input: Input<'_>,
    ) -> Result<impl Iterator<Item = Result<Option<Self>, Unreadable>>, Unreadable> {
        let order = input.date_order(&DATES)?;
        let lower = |(name, cell): (String, String)| (name.trim().to_lowercase(), cell.trim().to_owned());
        let of = move |row: BTreeMap<String, String>| Self { cells: row.into_iter().map(lower).collect(), order };
        Ok(input.log_table()?.map(move |row| row.map(|row| row.map(of))))
    }

    /// Returns a key of the row's whole content, for tables whose rows have no identifiers.
    pub(crate) fn key(&self) -> RowKey {
        let cells: Vec<&str> = self.cells.iter().flat_map(|(name, cell)| [name.as_str(), cell.as_str()]).collect();
        RowKey::of(&cells.join("\n"))
    }

    /// Returns the text of a column. Returns `None` if there is no such column or the cell is empty.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.cells.get(column).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Returns the names and values in numbered columns: `start1name` with `start1value`, `start2name` and so on.
    pub(crate) fn pairs<'a>(
        &'a self,
        start: &'a str,
        name: &'a str,
        value: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.cells.iter().filter_map(move |(column, cell)| {
            let number = column.strip_prefix(start)?.strip_suffix(name)?;
            Some((cell.as_str(), self.text(&format!("{start}{number}{value}"))?))
        })
    }

    /// Returns the time of a column, in any form of Excel. The exports are in UTC.
    pub(crate) fn time(&self, column: &str) -> Option<Timestamp> {
        read_time_in(&Value::from(self.text(column)?), WithoutOffset::IsUtc, self.order).ok()
    }

    /// Returns the day of a column, in any form of Excel.
    pub(crate) fn day(&self, column: &str) -> Option<NaiveDate> {
        read_day(self.text(column)?, self.order)
    }

    /// Returns the first moment (UTC) of the day of a column.
    pub(crate) fn start_of_day(&self, column: &str) -> Option<Timestamp> {
        self.day(column)?.and_time(NaiveTime::MIN).and_utc().try_into().ok()
    }

    /// Returns the whole number of a column, which may have decimals of 0. Returns `None` if there is none.
    pub(crate) fn number(&self, column: &str) -> Option<u32> {
        let text = self.text(column)?;
        text.strip_suffix(".0").or_else(|| text.strip_suffix(",0")).unwrap_or(text).parse().ok()
    }

    /// Returns whether a column has text that is not a whole number.
    pub(crate) fn is_no_number(&self, column: &str) -> bool {
        self.text(column).is_some() && self.number(column).is_none()
    }
}
