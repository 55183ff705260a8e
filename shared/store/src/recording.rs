//! Recordings: many items that replace many others and become visible at once.
//!
//! The items of a recording carry its name in their keys. They are written first. Then one item, the record, names the
//! recording as the current one and replaces the version that was seen before. Then the items of earlier recordings are
//! deleted. After a crash, the old recording or the new one is visible, and the next recording deletes what was left.
//! If two recordings replace the same version, one succeeds; the other deletes its items and starts over.

use backon::Retryable;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use model::{Timestamp, time_ordered_id};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::audit::Deed;
use super::keys::{Key, Range};
use super::table::{AT_ONCE, Action, CONTENDERS, Transaction, backoff};
use super::{StoreError, Writer};

/// Returns the version after the one that was seen, and a unique name for its recording. Names sort by version.
pub(super) fn after(seen: Option<u64>, recorded_at: Timestamp) -> (u64, String) {
    let version = seen.unwrap_or_default() + 1;
    (version, format!("{version:010}-{}", time_ordered_id(recorded_at)))
}

/// Runs a read and the recording made from it. Runs both again if another recording was faster.
///
/// An attempt is on the heap, for the reason that a call is (`Store::patiently`).
pub(super) async fn between_others<T, F>(mut attempt: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let attempt = || Box::pin(attempt());
    attempt.retry(backoff(CONTENDERS)).when(|error| matches!(error, StoreError::Contended(_))).await
}

/// Returns a recording's pages, then an error if items are missing: a newer recording replaced them during the read,
/// and part of a recording must not pass for all of it.
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

/// An item of a recording.
pub(super) struct RecordedItem<T> {
    pub(super) key: Key,
    /// Key of the item that it replaces in the earlier recording, whose unknown parts it keeps.
    pub(super) earlier: Option<Key>,
    pub(super) value: T,
}

impl Writer {
    /// Writes a recording's items, then its record with its conditions, then deletes the items of earlier recordings.
    ///
    /// # Errors
    /// [`StoreError::Contended`] if another recording has already replaced the same version.
    pub(super) async fn record_items<T: Serialize + DeserializeOwned>(
        &self,
        items: Vec<RecordedItem<T>>,
        record: Vec<Action>,
        (all, own): (Range, Range),
        deed: Deed,
    ) -> Result<(), StoreError> {
        let writes = stream::iter(items).map(|RecordedItem { key, earlier, value }| async move {
            self.store.put_keeping(key, &value, earlier).await
        });
        writes.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        match self.commit(record, || deed).await? {
            Transaction::Done => self.store.delete_range(all.before(&own), |_| false).await.map(drop),
            Transaction::Refused(_) => {
                self.store.delete_range(own, |_| false).await?;
                Err(StoreError::Contended("recording"))
            }
        }
    }
}
