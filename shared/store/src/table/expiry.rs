//! Items that expire: reads leave them out.
//!
//! DynamoDB deletes an expired item hours or days later, and in a restored table it deletes nothing until its time to
//! live is turned on.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{Stream, StreamExt, TryStreamExt};
use model::Timestamp;

use super::{Decoded, Item, Order, Store};
use crate::error::StoreError;
use crate::keys::{Key, Range};

/// The attribute with the end of an item, in seconds since 1970. DynamoDB deletes items by it.
pub const EXPIRES_AT: &str = "expiresAt";

impl Store {
    /// Returns one item, or `None` if it does not exist or has expired. Strongly consistent.
    pub(crate) async fn get_unexpired<T: Decoded>(&self, key: Key, now: Timestamp) -> Result<Option<T>, StoreError> {
        let item = self.get_item(key).await?.filter(|item| !has_expired(item, now));
        item.map(T::decoded).transpose()
    }

    /// Returns the items of a range that have not expired, like [`Store::query`].
    pub(crate) fn query_unexpired<T: Decoded>(
        &self,
        range: Range,
        order: Order,
        sizes: &[usize],
        now: Timestamp,
    ) -> impl Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
        self.pages(self.ordered(range, order), sizes).map(move |page| {
            let current = page?.into_iter().filter(|item| !has_expired(item, now));
            current.map(T::decoded).collect()
        })
    }

    /// Returns all items of a range that have not expired, oldest first.
    pub(crate) async fn all_unexpired<T: Decoded>(&self, range: Range, now: Timestamp) -> Result<Vec<T>, StoreError> {
        self.query_unexpired(range, Order::OldestFirst, &[], now).try_concat().await
    }
}

/// Returns whether an item has expired.
pub(crate) fn has_expired(item: &Item, now: Timestamp) -> bool {
    let expires_at = match item.get(EXPIRES_AT) {
        Some(AttributeValue::N(seconds)) => seconds.parse::<i64>().ok(),
        _ => None,
    };
    expires_at.is_some_and(|end| end <= now.to_datetime().timestamp())
}
