//! A list, combined from its pages.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use crate::file::{Extent, Input, RowKey, Unreadable, read_page};

/// An item of a list.
pub(super) trait ListItem: Ord + Sized {
    /// Returns the identifier of the item within its list.
    fn id(&self) -> &str;

    /// Merges another item with the same identifier. The order of the two does not matter: the greater one is kept.
    fn join(&mut self, other: Self) {
        raise(self, other);
    }
}

/// Keeps the greater value, so that the order of the files does not matter. Any value is greater than `None`.
pub(super) fn raise<T: Ord>(value: &mut T, other: T) {
    if other > *value {
        *value = other;
    }
}

/// A list, as far as the files contain it. The order of its pages does not matter, and neither do repeated pages.
pub(super) struct PagedList<R> {
    rows: BTreeMap<String, R>,
    extent: Extent,
    unreadable: BTreeSet<RowKey>,
}

impl<R> Default for PagedList<R> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), extent: Extent::default(), unreadable: BTreeSet::new() }
    }
}

impl<R: ListItem> PagedList<R> {
    /// Reads a page of the list.
    pub(super) fn read(input: Input<'_>) -> Result<Self, Unreadable>
    where
        R: DeserializeOwned,
    {
        let mut page = Self::default();
        page.extent = read_page(input, |row| match row {
            Ok(row) => page.take(row),
            Err(key) => page.add_unreadable(key),
        })?;
        Ok(page)
    }

    /// Creates a page with these rows.
    pub(super) fn of(rows: impl IntoIterator<Item = R>, extent: Extent) -> Self {
        let mut page = Self { extent, ..Self::default() };
        rows.into_iter().for_each(|row| page.take(row));
        page
    }

    /// Counts a malformed row.
    pub(super) fn add_unreadable(&mut self, key: RowKey) {
        self.unreadable.insert(key);
    }

    /// Adds a row.
    pub(super) fn take(&mut self, row: R) {
        let id = row.id().to_ascii_lowercase();
        match self.rows.get_mut(&id) {
            Some(known) => known.join(row),
            None => drop(self.rows.insert(id, row)),
        }
    }

    /// Adds the pages of another list.
    pub(super) fn join(&mut self, other: Self) {
        if self.rows.is_empty() {
            self.rows = other.rows;
        } else {
            other.rows.into_values().for_each(|row| self.take(row));
        }
        self.extent.join(other.extent);
        self.unreadable.extend(other.unreadable);
    }

    /// Returns the rows with their ids, in order of their ids.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&str, &R)> + Clone {
        self.rows.iter().map(|(id, row)| (id.as_str(), row))
    }

    /// Returns the row with an id, which has to be in lower case.
    pub(super) fn row(&self, id: &str) -> Option<&R> {
        self.rows.get(id)
    }

    /// Returns how much of the list the files contain.
    pub(super) fn state(&self) -> ListState {
        ListState { extent: self.extent, rows: self.rows.len(), unreadable: self.unreadable.len() }
    }
}

/// How much of a list the files contain, whatever its rows.
#[derive(Clone, Copy, Default)]
pub(super) struct ListState {
    pub(super) extent: Extent,
    /// Number of different rows.
    pub(super) rows: usize,
    /// Number of different malformed rows.
    pub(super) unreadable: usize,
}

impl ListState {
    /// Returns whether the files contain any page of the list.
    pub(super) fn is_known(self) -> bool {
        self.extent.is_known()
    }

    /// Returns whether the files contain some pages of the list, but not all.
    pub(super) fn is_partial(self) -> bool {
        self.is_known() && !self.extent.is_whole(self.rows + self.unreadable)
    }
}
