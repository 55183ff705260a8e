//! Recordings: many items that replace many others, visible all at once.
//!
//! The items of a recording carry its name in their keys. They are written first; then one item, the record, names the
//! recording as the current one, in place of the version that was seen before; then what earlier recordings left is
//! deleted. A crash leaves the old recording or the new one visible, and what it left behind is deleted by the next. Of
//! two that replace the same version one comes through; the other takes its items back, and starts over.

use aws_sdk_dynamodb::types::TransactWriteItem;
use backon::Retryable;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use serde::Serialize;
use uuid::Uuid;

use super::keys::{Key, Range};
use super::table::{AT_ONCE, CONTENDERS, Transaction, backoff};
use super::{Store, StoreError};

/// The version that follows the one that was seen, and a name for a recording of it. Names sort by their versions; those
/// of one version differ.
pub(super) fn after(seen: Option<u64>) -> (u64, String) {
    let version = seen.unwrap_or_default() + 1;
    (version, format!("{version:010}-{}", Uuid::now_v7().simple()))
}

/// Runs a read and the recording made of it, again where another recording came between.
pub(super) async fn between_others<T, F>(attempt: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    attempt.retry(backoff(CONTENDERS)).when(StoreError::is_contended).await
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
    ///
    /// # Errors
    /// [`StoreError::Contended`] when another recording took the place of the version that this one was to replace.
    pub(super) async fn record<T: Serialize>(
        &self,
        items: Vec<(Key, T)>,
        record: TransactWriteItem,
        (all, own): (Range, Range),
    ) -> Result<(), StoreError> {
        let writes = stream::iter(items).map(|(key, item)| async move { self.put(key, &item).await });
        writes.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        match self.transact(vec![record]).await? {
            Transaction::Done => self.delete_range(all.before(&own), |_| false).await.map(drop),
            Transaction::Refused(_) => {
                self.delete_range(own, |_| false).await?;
                Err(StoreError::Contended("recording"))
            }
        }
    }
}
