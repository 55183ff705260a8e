//! Reads: one item, ranges, and batches.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use backon::BackoffBuilder;
use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;

use super::patience::backoff;
use super::{Item, Store};
use crate::error::{Cause, StoreError};
use crate::keys::{Key, Range};

/// Most keys in one `BatchGetItem`.
pub(crate) const BATCH: usize = 100;

/// Order in which a range is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    OldestFirst,
    NewestFirst,
}

/// Whether a read may miss a write of the last moment, at half the price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consistency {
    Strong,
    Eventual,
}

impl Store {
    /// Returns one item, or `None` if it does not exist.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        key: Key,
        consistency: Consistency,
    ) -> Result<Option<T>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(key.into()))
            .consistent_read(consistency == Consistency::Strong)
            .send()
            .await
            .map_err(|error| StoreError::of_call("GetItem", &error))?;
        Ok(answer.item.map(serde_dynamo::from_item).transpose()?)
    }

    /// Returns all items of a range, a page at a time. `page` bounds how many are read by one call, not how many there
    /// are in all.
    pub(crate) fn query<T: DeserializeOwned>(
        &self,
        range: Range,
        order: Order,
        consistency: Consistency,
        page: Option<usize>,
    ) -> impl Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
        pages(
            self.items_of(range)
                .scan_index_forward(order == Order::OldestFirst)
                .consistent_read(consistency == Consistency::Strong)
                .set_limit(page.map(|items| i32::try_from(items).unwrap_or(i32::MAX))),
        )
    }

    /// Returns all items of a range, oldest first and strongly consistent.
    pub(crate) async fn all<T: DeserializeOwned>(&self, range: Range) -> Result<Vec<T>, StoreError> {
        self.query(range, Order::OldestFirst, Consistency::Strong, None).try_concat().await
    }

    /// Returns the keys of a range's items, strongly consistent.
    pub(crate) fn keys_of(&self, range: Range) -> impl Stream<Item = Result<Key, StoreError>> + use<> {
        pages(self.items_of(range).projection_expression("pk, sk").consistent_read(true))
            .map_ok(page_items)
            .try_flatten()
    }

    /// Returns the items of all partitions whose key begins with a text. Reads the whole table, so it is for the
    /// operator alone.
    pub(crate) fn scan<T: DeserializeOwned>(
        &self,
        partitions: &str,
    ) -> impl Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
        let scan = self.client.scan().table_name(&*self.table).consistent_read(true);
        let scan = scan.filter_expression("begins_with(pk, :partitions)");
        let scan = scan.expression_attribute_values(":partitions", AttributeValue::S(partitions.to_owned()));
        stream::try_unfold(scan.into_paginator().send(), |mut pages| async move {
            let page = pages.try_next().await.map_err(|error| StoreError::of_call("Scan", &error))?;
            let items = page.map(|page| serde_dynamo::from_items(page.items.unwrap_or_default())).transpose()?;
            Ok(items.map(|items| (items, pages)))
        })
    }

    fn items_of(&self, range: Range) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :pk AND sk BETWEEN :first AND :last")
            .expression_attribute_values(":pk", AttributeValue::S(range.pk))
            .expression_attribute_values(":first", AttributeValue::S(range.first))
            .expression_attribute_values(":last", AttributeValue::S(range.last))
    }

    /// Returns the items with these keys, at most [`BATCH`], in the keys' order.
    ///
    /// The read is eventually consistent. A key may have been found by a read that saw more, so a missing item is asked
    /// for again, strongly consistent.
    pub(crate) async fn batch_get(&self, keys: &[Key]) -> Result<Vec<Item>, StoreError> {
        let mut found = self.batch_get_existing(keys.to_vec(), Consistency::Eventual).await?;
        let missing: Vec<_> = keys.iter().filter(|key| !found.contains_key(*key)).cloned().collect();
        if !missing.is_empty() {
            found.extend(self.batch_get_existing(missing, Consistency::Strong).await?);
        }
        keys.iter()
            .map(|key| found.remove(key).ok_or(StoreError::Corrupt("an item that a pointer names is missing")))
            .collect()
    }

    /// Returns those items that exist of at most [`BATCH`] keys.
    pub(crate) async fn batch_get_existing(
        &self,
        keys: Vec<Key>,
        consistency: Consistency,
    ) -> Result<HashMap<Key, Item>, StoreError> {
        let mut found = HashMap::with_capacity(keys.len());
        let mut asked = Some(keys.into_iter().map(Item::from).collect::<Vec<_>>());
        let mut waits = backoff(8).build();
        while let Some(keys) = asked.take() {
            let request = KeysAndAttributes::builder()
                .set_keys(Some(keys))
                .consistent_read(consistency == Consistency::Strong)
                .build()
                .expect("keys are set");
            let mut answer = self
                .client
                .batch_get_item()
                .request_items(&*self.table, request)
                .send()
                .await
                .map_err(|error| StoreError::of_call("BatchGetItem", &error))?;
            for item in answer.responses.as_mut().and_then(|tables| tables.remove(&*self.table)).unwrap_or_default() {
                found.insert(Key::of(&item)?, item);
            }
            asked = answer.unprocessed_keys.and_then(|mut tables| tables.remove(&*self.table)).map(|left| left.keys);
            if asked.is_some() {
                let throttled = || StoreError::Unavailable { operation: "BatchGetItem", cause: Cause::Throttled };
                tokio::time::sleep(waits.next().ok_or_else(throttled)?).await;
            }
        }
        Ok(found)
    }
}

/// Returns the pages of a query, to their end.
fn pages<T: DeserializeOwned>(query: QueryFluentBuilder) -> impl Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
    stream::try_unfold(query.into_paginator().send(), |mut pages| async move {
        let page = pages.try_next().await.map_err(|error| StoreError::of_call("Query", &error))?;
        let items = page.map(|page| serde_dynamo::from_items(page.items.unwrap_or_default())).transpose()?;
        Ok(items.map(|items| (items, pages)))
    })
}

/// Returns the items of a page, one by one.
pub(crate) fn page_items<T>(page: Vec<T>) -> impl Stream<Item = Result<T, StoreError>> {
    stream::iter(page.into_iter().map(Ok))
}

/// Returns the first items of a stream of pages, and reads it no further than to the last of them.
pub(crate) fn first_items<T: Send + 'static>(
    pages: impl Stream<Item = Result<Vec<T>, StoreError>> + Send + 'static,
    limit: usize,
) -> impl Stream<Item = Result<Vec<T>, StoreError>> + Send + 'static {
    stream::try_unfold((pages.boxed(), limit), |(mut pages, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let page = pages.try_next().await?;
        Ok(page.map(|mut page| {
            page.truncate(left);
            let left = left - page.len();
            (page, (pages, left))
        }))
    })
}
