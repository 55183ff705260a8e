//! Recordings: many items that replace many others, visible all at once.
//!
//! The items of a recording carry its name in their keys. They are written first; then one item, the record, names the
//! recording as the current one; then what earlier recordings left is deleted. A crash leaves the old recording or the
//! new one visible, and what it left behind is deleted by the next.

use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys::{Key, Range};
use super::table::{Consistency, Order};
use super::{Store, StoreError};

/// Items that are written or deleted at a time.
const AT_ONCE: usize = 8;

/// A new recording's name.
pub(super) fn name() -> String {
    Uuid::now_v7().simple().to_string()
}

#[derive(Deserialize)]
struct Keyed {
    pk: String,
    sk: String,
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
        self.query::<Keyed>(all, Order::OldestFirst, Consistency::Strong, None)
            .map_ok(|page| stream::iter(page.into_iter().map(Ok)))
            .try_flatten()
            .try_filter(|key| std::future::ready(!(&current.first..=&current.last).contains(&&key.sk)))
            .try_for_each_concurrent(AT_ONCE, |key| self.delete(Key { pk: key.pk, sk: key.sk }))
            .await
    }
}
