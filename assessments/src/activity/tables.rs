//! Rows of tables as the admin centres export them: by column names, in any case and order.

use std::collections::BTreeMap;

use model::Timestamp;

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

    /// Returns the time of a column.
    pub(crate) fn time(&self, column: &str) -> Option<Timestamp> {
        self.text(column)?.parse().ok()
    }

    /// Returns the whole number of a column.
    pub(crate) fn number(&self, column: &str) -> Option<u32> {
        self.text(column)?.parse().ok()
    }
}

/// Returns the truth value of a cell.
pub(crate) fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}
