//! Lists as the provider's directory interface, Graph, returns them: page by page, each page a file.

use std::{array, fmt};

use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::read::{Input, Outline, Unreadable, each};

/// What stands before the name of the list in a page's context.
const METADATA: &str = "$metadata#";

/// A list that is read.
pub(crate) struct Listing {
    /// Its name in the context of a page.
    pub(crate) name: &'static str,
    /// What its rows have that no other list's rows have, for pages that were saved without their context.
    pub(crate) keys: &'static [&'static str],
}

impl Listing {
    /// Whether a file is a page of this list, a bare list of its rows, or a single row.
    pub(crate) fn recognizes(&self, outline: &Outline) -> bool {
        match outline.text("@odata.context").and_then(|context| context.split_once(METADATA)) {
            Some((_, context)) => list_name(context) == self.name,
            None => ["", "value/"].iter().any(|place| {
                let paths: Vec<String> = self.keys.iter().map(|key| [place, *key].concat()).collect();
                outline.is_json_with(&paths.iter().map(String::as_str).collect::<Vec<_>>())
            }),
        }
    }
}

/// The name of the list in a context, without the properties that were asked for and without that it is a single row.
fn list_name(context: &str) -> &str {
    context.split_once('(').map_or(context, |(name, _)| name).trim_end_matches("/$entity")
}

/// How much of a list the files hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Pages after which the list goes on.
    open: usize,
    /// Pages at which it ends.
    last: usize,
    /// How many rows it has, where a page tells.
    total: Option<u64>,
}

impl Extent {
    /// A page that is the list's last, or that the list goes on after.
    pub(crate) fn of_page(goes_on: bool, total: Option<u64>) -> Self {
        Self { open: usize::from(goes_on), last: usize::from(!goes_on), total }
    }

    /// The pages of both.
    pub(crate) fn join(&mut self, other: Self) {
        self.open += other.open;
        self.last += other.last;
        self.total = self.total.max(other.total);
    }

    /// Whether there is any page at all.
    pub(crate) fn is_known(&self) -> bool {
        self.open + self.last > 0
    }

    /// Whether these rows are the whole list, as far as the pages tell: its last page is among them, and no fewer rows
    /// than a page says there are.
    ///
    /// Pages name neither themselves nor each other. So a missing page before the last one shows only where the list
    /// was asked for with `$count=true`.
    pub(crate) fn is_whole(&self, rows: usize) -> bool {
        self.last > 0 && self.total.is_none_or(|total| u64::try_from(rows).is_ok_and(|rows| rows >= total))
    }
}

/// What tells a row from the others of its list, however often the page that it is of comes: a digest of the row's
/// identifier, or of its text where it has none that can be read. Short, since a log has millions of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowKey([u8; 16]);

impl RowKey {
    /// The first half of a SHA-256.
    pub(crate) fn of(text: &str) -> Self {
        let digest = Sha256::digest(text);
        Self(array::from_fn(|index| digest[index]))
    }
}

/// A row as it should be, or what tells one that is not from the others.
struct PageRow<T>(Result<T, RowKey>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for PageRow<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(text.get()).map_err(|_| RowKey::of(text.get()))))
    }
}

/// Hands the rows of a page to `take`.
pub(crate) fn read_page<T: DeserializeOwned>(
    input: Input<'_>,
    mut take: impl FnMut(Result<T, RowKey>),
) -> Result<Extent, Unreadable> {
    let take = |row: Option<PageRow<T>>| take(row.map_or_else(|| Err(RowKey::of("")), |PageRow(row)| row));
    if input.outline().is_json_with(&["value"]) {
        return input.json_into(Page(each(take)));
    }
    input.json_into(each(take))?;
    Ok(Extent::of_page(false, None))
}

/// A page, whose rows go to the seed.
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
        let (mut rows, mut goes_on, mut total) = (Some(self.0), false, None);
        while let Some(key) = page.next_key::<String>()? {
            match (key.as_str(), rows.take()) {
                ("value", Some(rows)) => page.next_value_seed(rows)?,
                (key, unread) => {
                    rows = unread;
                    match key {
                        "@odata.nextLink" => goes_on = page.next_value::<Option<IgnoredAny>>()?.is_some(),
                        "@odata.count" => total = page.next_value::<Option<u64>>()?,
                        _ => page.next_value::<IgnoredAny>().map(drop)?,
                    }
                }
            }
        }
        Ok(Extent::of_page(goes_on, total))
    }
}
