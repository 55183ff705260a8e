//! Lists as Microsoft Graph returns them: in pages, one file per page.

use std::cell::RefCell;
use std::{array, fmt};

use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::error::Unreadable;
use super::input::Input;
use super::rows::each_row;
use super::unique::{Unique, repeated};

/// Names of the field with the rows of a page: that of Microsoft Graph, and those of tools and services that save its
/// lists.
pub(crate) const WRAPPERS: [&str; 3] = ["value", "results", "records"];

/// Field of PowerShell's objects with the fields that a cmdlet does not know.
pub(crate) const ADDITIONAL_PROPERTIES: &str = "AdditionalProperties";

/// How much of a list the files contain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Number of pages that link to a next page.
    open: usize,
    /// Number of pages that do not.
    last: usize,
    /// Number of pages that end before they are complete.
    cut_off: usize,
    /// Number of rows of the list, if a page states it.
    total: Option<u64>,
}

impl Extent {
    /// Returns the extent of one page.
    pub(crate) fn of_page(has_next: bool, total: Option<u64>) -> Self {
        Self { open: usize::from(has_next), last: usize::from(!has_next), cut_off: 0, total }
    }

    /// Returns the extent of a page that ends before it is complete.
    pub(crate) fn of_cut_off_page() -> Self {
        Self { cut_off: 1, ..Self::of_page(true, None) }
    }

    /// Adds the pages of another extent.
    pub(crate) fn join(&mut self, other: Self) {
        self.open += other.open;
        self.last += other.last;
        self.cut_off += other.cut_off;
        self.total = self.total.max(other.total);
    }

    /// Returns whether the files contain any page.
    pub(crate) fn is_known(&self) -> bool {
        self.open + self.last > 0
    }

    /// Returns the number of pages that end before they are complete.
    pub(crate) fn cut_off(&self) -> usize {
        self.cut_off
    }

    /// Returns whether this number of rows is the whole list, as far as the pages show: the last page is among them,
    /// and there are at least as many rows as a page states.
    ///
    /// Pages identify neither themselves nor each other. A missing page before the last one is noticed only if the list
    /// was requested with `$count=true`.
    pub(crate) fn is_whole(&self, rows: usize) -> bool {
        self.last > 0
            && self.cut_off == 0
            && self.total.is_none_or(|total| u64::try_from(rows).is_ok_and(|rows| rows >= total))
    }
}

/// Identifies a row of a list, even if its page occurs more than once: a digest of the row's identifier or, if the row
/// is malformed, of its text. It is short, because a log has millions of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowKey([u8; 16]);

impl RowKey {
    /// Returns the first half of a SHA-256 digest.
    pub(crate) fn of(text: &str) -> Self {
        let digest = Sha256::digest(text);
        Self(array::from_fn(|index| digest[index]))
    }
}

/// A row, or the key of a malformed one. `CAPITALIZED` says whether the file has names of PowerShell.
struct PageRow<T, const CAPITALIZED: bool>(Result<T, RowKey>);

impl<'de, T: DeserializeOwned, const CAPITALIZED: bool> Deserialize<'de> for PageRow<T, CAPITALIZED> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let as_it_is = || if CAPITALIZED { None } else { serde_json::from_str(text.get()).ok() };
        let row = as_it_is().or_else(|| of_powershell(text.get()));
        Ok(Self(row.ok_or_else(|| RowKey::of(text.get()))))
    }
}

/// Reads a row that PowerShell's cmdlets for Microsoft Graph returned: names begin with a capital letter, and fields
/// that the cmdlet does not know are in `AdditionalProperties`.
fn of_powershell<T: DeserializeOwned>(text: &str) -> Option<T> {
    let Unique(mut row) = serde_json::from_str(text).ok()?;
    to_graph_names(&mut row)?;
    T::deserialize(row).ok()
}

/// Renames the fields of a value as Microsoft Graph names them, at every level. Returns `None` if two fields get the same
/// name.
fn to_graph_names(value: &mut Value) -> Option<()> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(to_graph_names),
        Value::Object(fields) => {
            let (mut renamed, mut additional) = (Map::new(), Map::new());
            for (name, mut value) in std::mem::take(fields) {
                to_graph_names(&mut value)?;
                match value {
                    Value::Object(more) if name == ADDITIONAL_PROPERTIES => additional = more,
                    value => renamed.insert(graph_name(&name), value).is_none().then_some(())?,
                }
            }
            for (name, value) in additional {
                renamed.entry(name).or_insert(value);
            }
            *fields = renamed;
            Some(())
        }
        _ => Some(()),
    }
}

fn graph_name(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(characters).collect()
}

/// Reads a page, several of them, or the rows as JSON lines, and passes the rows to `take`; of a malformed row, only
/// the key. If the file ends before it is complete, the rows before its end count.
pub(crate) fn read_page<T: DeserializeOwned>(
    input: Input<'_>,
    take: impl FnMut(Result<T, RowKey>),
) -> Result<Extent, Unreadable> {
    if input.shape().has_capitalized_names() {
        read_rows::<T, true>(input, take)
    } else {
        read_rows::<T, false>(input, take)
    }
}

fn read_rows<T: DeserializeOwned, const CAPITALIZED: bool>(
    input: Input<'_>,
    mut take: impl FnMut(Result<T, RowKey>),
) -> Result<Extent, Unreadable> {
    let take = |row: Option<PageRow<T, CAPITALIZED>>| take(row.map_or_else(|| Err(RowKey::of("")), |PageRow(row)| row));
    // Each value of the file has a seed of its own, and all of them pass their rows on.
    let take = RefCell::new(take);
    let rows = || each_row(|row| take.borrow_mut()(row));
    let mut extent = Extent::default();
    let read = if WRAPPERS.iter().any(|name| input.shape().is_json_with_any_case(&[name])) {
        input.json_values(|| Page(rows()), |page| extent.join(page))
    } else {
        extent = Extent::of_page(false, None);
        input.json_values(rows, |()| {})
    };
    match read {
        Ok(()) => Ok(extent),
        Err(Unreadable::CutOff { .. }) => {
            extent.join(Extent::of_cut_off_page());
            Ok(extent)
        }
        Err(error) => Err(error),
    }
}

/// A seed for a page, which passes its rows to another seed.
struct Page<S>(S);

impl<'de, S: DeserializeSeed<'de, Value = ()>> DeserializeSeed<'de> for Page<S> {
    type Value = Extent;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Extent, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> Visitor<'de> for Page<S> {
    type Value = Extent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page of a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut page: A) -> Result<Extent, A::Error> {
        let mut rows = Some(self.0);
        let mut has_next = false;
        let mut total = None;
        while let Some(key) = page.next_key::<String>()? {
            match key.as_str() {
                key if WRAPPERS.iter().any(|name| key.eq_ignore_ascii_case(name)) => {
                    page.next_value_seed(rows.take().ok_or_else(repeated)?)?;
                }
                "@odata.nextLink" => has_next |= page.next_value::<Option<IgnoredAny>>()?.is_some(),
                "@odata.count" => total = total.max(page.next_value::<Option<u64>>()?),
                _ => page.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(Extent::of_page(has_next, total))
    }
}
