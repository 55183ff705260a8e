//! Recordings: many items that replace many others, visible all at once.
//!
//! The items of a recording carry its name in their keys. They are written first; then one item, the record, names the
//! recording as the current one; then what earlier recordings left is deleted. A crash leaves the old recording or the
//! new one visible, and what it left behind is deleted by the next.

use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use serde::Serialize;
use uuid::Uuid;

use super::keys::{Key, Range};
use super::table::AT_ONCE;
use super::{Store, StoreError};

/// A new recording's name.
pub(super) fn name() -> String {
    Uuid::now_v7().simple().to_string()
}

/// A recording's pages, and an error at their end where items are missing: a newer recording took their place while
/// they were read, and part of a recording must not pass for the whole.
pub(super) fn whole<T: Send + 'static>(
    pages: impl Stream<Item = Result<Vec<T>, StoreError>> + Send + 'static,
    items: usize,
) -> impl Stream<Item = Result<Vec<T>, StoreError>> + Send + 'static {
    stream::try_unfold((pages.boxed(), items), |(mut pages, left)| async move {
        match pages.try_next().await? {
            Some(page) => {
                let left = left.saturating_sub(page.len());
                Ok(Some((page, (pages, left))))
            }
            None if left == 0 => Ok(None),
            None => Err(StoreError::Contended("reading a recording")),
        }
    })
}

impl Store {
    /// Writes a recording's items, then its record, then deletes the items of earlier ones.
    pub(super) async fn record<T: Serialize, R: Serialize>(
        &self,
        items: Vec<(Key, T)>,
        (record_key, record): (Key, &R),
        (all, current): (Range, &Range),
    ) -> Result<(), StoreError> {
        let writes = stream::iter(items).map(|(key, item)| async move { self.put(key, &item).await });
        writes.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        self.put(record_key, record).await?;
        self.delete_range(all, |key| current.contains(key)).await.map(drop)
    }
}
