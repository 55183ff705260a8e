//! The rows of a list, put together from its pages.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use crate::graph::{Extent, RowKey, read_page};
use crate::read::{Input, Unreadable};

/// A row of a list.
pub(super) trait Row {
    /// What tells the row from all others of the list.
    fn id(&self) -> &str;

    /// Takes in another row of the same id, whichever of the two came first.
    fn join(&mut self, other: Self);
}

/// A list, as far as the files hold it. Pages may come in any order, and more than once.
pub(super) struct List<R> {
    rows: BTreeMap<String, R>,
    extent: Extent,
    unreadable: BTreeSet<RowKey>,
}

impl<R> Default for List<R> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), extent: Extent::default(), unreadable: BTreeSet::new() }
    }
}

impl<R: Row> List<R> {
    /// A page of the list.
    pub(super) fn read(input: Input<'_>) -> Result<Self, Unreadable>
    where
        R: DeserializeOwned,
    {
        let mut page = Self::default();
        page.extent = read_page(input, |row| match row {
            Ok(row) => page.take(row),
            Err(key) => drop(page.unreadable.insert(key)),
        })?;
        Ok(page)
    }

    /// A page that holds these rows.
    pub(super) fn of(rows: impl IntoIterator<Item = R>, extent: Extent) -> Self {
        let mut page = Self { extent, ..Self::default() };
        rows.into_iter().for_each(|row| page.take(row));
        page
    }

    fn take(&mut self, row: R) {
        let id = row.id().to_ascii_lowercase();
        match self.rows.get_mut(&id) {
            Some(known) => known.join(row),
            None => drop(self.rows.insert(id, row)),
        }
    }

    /// The pages of both.
    pub(super) fn join(&mut self, other: Self) {
        if self.rows.is_empty() {
            self.rows = other.rows;
        } else {
            other.rows.into_values().for_each(|row| self.take(row));
        }
        self.extent.join(other.extent);
        self.unreadable.extend(other.unreadable);
    }

    /// The rows, by their ids.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&str, &R)> + Clone {
        self.rows.iter().map(|(id, row)| (id.as_str(), row))
    }

    /// The row of an id.
    pub(super) fn row(&self, id: &str) -> Option<&R> {
        self.rows.get(id)
    }

    pub(super) fn state(&self) -> State {
        State { extent: self.extent, rows: self.rows.len(), unreadable: self.unreadable.len() }
    }
}

/// How much of a list there is, whatever its rows.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) extent: Extent,
    /// Different rows that were read.
    pub(super) rows: usize,
    /// Different rows that were none.
    pub(super) unreadable: usize,
}

impl State {
    /// Whether any page of the list is among the files.
    pub(super) fn is_known(self) -> bool {
        self.extent.is_known()
    }

    /// Whether pages are among the files, and not all of them.
    pub(super) fn is_partial(self) -> bool {
        self.is_known() && !self.extent.is_whole(self.rows + self.unreadable)
    }
}
