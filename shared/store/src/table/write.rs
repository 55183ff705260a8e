//! Writes of single items that need no transaction.

use std::future::ready;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::TryStreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::format::{keeping, understood};
use super::patience::Patience;
use super::{Item, Store, item};
use crate::StoreError;
use crate::keys::{Key, Range};

/// Number of items that are written or deleted concurrently, one call each.
pub(crate) const AT_ONCE: usize = 8;

impl Store {
    /// Writes one item, replacing an existing one.
    pub(crate) async fn put<T: Serialize>(&self, key: Key, value: &T) -> Result<(), StoreError> {
        self.put_item(item(key, value)?).await
    }

    /// Writes one item, which keeps those parts of an earlier one that this release does not know.
    pub(crate) async fn put_keeping<T: Serialize + DeserializeOwned>(
        &self,
        key: Key,
        value: &T,
        earlier: Option<Key>,
    ) -> Result<(), StoreError> {
        let mut item = item(key, value)?;
        if let Some(earlier) = earlier
            && let Some(stored) = self.get_item(earlier).await?
            && let Ok(understood) = understood::<T>(&stored)
        {
            item = keeping(&stored, understood, item);
        }
        self.put_item(item).await
    }

    /// Sets an attribute of an existing item, unless it has that value or a greater one.
    pub(crate) async fn advance(&self, key: Key, attribute: &str, value: &str) -> Result<(), StoreError> {
        let request = self.client.update_item().table_name(&*self.table).set_key(Some(key.into()));
        let request = request
            .update_expression("SET #attribute = :value")
            .condition_expression("attribute_exists(pk) AND (attribute_not_exists(#attribute) OR #attribute < :value)")
            .expression_attribute_names("#attribute", attribute)
            .expression_attribute_values(":value", AttributeValue::S(value.to_owned()));
        match request.send().await {
            Err(error)
                if error.as_service_error().is_some_and(UpdateItemError::is_conditional_check_failed_exception) =>
            {
                Ok(())
            }
            updated => updated.map(drop).map_err(|error| StoreError::of_call("UpdateItem", &error)),
        }
    }

    /// Writes one item as it is, replacing an existing one.
    pub(crate) async fn put_item(&self, item: Item) -> Result<(), StoreError> {
        let request = self.client.put_item().table_name(&*self.table).set_item(Some(item));
        let call = || async { request.clone().send().await.map_err(|error| StoreError::of_call("PutItem", &error)) };
        self.patiently(Patience::Write, call).await.map(drop)
    }

    /// Deletes one item, if it exists.
    pub(crate) async fn delete(&self, key: Key) -> Result<(), StoreError> {
        let request = self.client.delete_item().table_name(&*self.table).set_key(Some(key.into()));
        let call = || async { request.clone().send().await.map_err(|error| StoreError::of_call("DeleteItem", &error)) };
        self.patiently(Patience::Write, call).await.map(drop)
    }

    /// Deletes a range's items except those to keep, and returns how many it deleted.
    pub(crate) async fn delete_range(&self, range: Range, keep: impl Fn(&Key) -> bool) -> Result<usize, StoreError> {
        self.keys_of(range)
            .try_filter(|key| ready(!keep(key)))
            .map_ok(|key| async { self.delete(key).await.map(|()| 1) })
            .try_buffer_unordered(AT_ONCE)
            .try_fold(0, |deleted, one| ready(Ok(deleted + one)))
            .await
    }
}
