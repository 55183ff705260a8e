//! The rows of a source, each once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Rows by their identifiers. A row that is in two pages counts once, if it is the same in both.
pub(super) struct List<T> {
    /// `None` for a row that two pages have in different versions.
    rows: BTreeMap<String, Option<T>>,
    unreadable: usize,
}

/// The identifier of a row.
#[derive(Deserialize)]
struct Identified {
    id: String,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), unreadable: 0 }
    }
}

impl<T: DeserializeOwned + PartialEq> List<T> {
    /// Adds a row of a page.
    pub(super) fn take(&mut self, row: &str) {
        match (serde_json::from_str::<Identified>(row), serde_json::from_str(row)) {
            (Ok(Identified { id }), Ok(row)) => self.insert(id.to_ascii_lowercase(), row),
            _ => self.unreadable += 1,
        }
    }

    /// Adds a row. One that has changed between two pages is not known in any version.
    pub(super) fn insert(&mut self, id: String, row: T) {
        match self.rows.entry(id) {
            Entry::Vacant(entry) => drop(entry.insert(Some(row))),
            Entry::Occupied(mut entry) => drop(entry.get_mut().take_if(|known| *known != row)),
        }
    }

    /// Returns the rows in order of their identifiers.
    pub(super) fn rows(&self) -> impl Iterator<Item = &T> + Clone {
        self.rows.values().flatten()
    }

    /// Returns the rows with their identifiers in lower case.
    pub(super) fn by_id(&self) -> impl Iterator<Item = (&str, &T)> + Clone {
        self.rows.iter().filter_map(|(id, row)| Some((id.as_str(), row.as_ref()?)))
    }

    /// Returns the row with an identifier in lower case.
    pub(super) fn get(&self, id: &str) -> Option<&T> {
        self.rows.get(id)?.as_ref()
    }

    /// Returns the number of rows that are malformed or changed.
    pub(super) fn unreadable(&self) -> usize {
        self.unreadable + self.rows.values().filter(|row| row.is_none()).count()
    }
}
