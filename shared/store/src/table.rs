//! Reading and writing items, whatever they hold: every page to its end, every unprocessed key again.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::builders::DeleteBuilder;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, KeysAndAttributes, Put, TransactWriteItem, Update,
};
use backon::{BackoffBuilder, ExponentialBuilder, Retryable};
use futures_util::stream::{self, Stream, TryStreamExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::error::CONFLICT;
use super::keys::{Key, Range};

/// An item as the SDK reads and writes it.
pub(super) type Item = HashMap<String, AttributeValue>;

/// Most keys in one `BatchGetItem`.
pub(super) const BATCH: usize = 100;
/// Items that are written or deleted at a time, one call each.
pub(super) const AT_ONCE: usize = 8;
/// Attempts of a transaction after it met another.
const CONFLICTS: usize = 8;
/// Attempts to come through between others that change the same.
pub(super) const CONTENDERS: usize = 20;

/// The table. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(super) client: Client,
    table: Arc<str>,
}

/// Order in which a range is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    OldestFirst,
    NewestFirst,
}

/// Whether a read may miss a write of the last moment, at half the price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consistency {
    Strong,
    Eventual,
}

/// How a transaction ended that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Transaction {
    Done,
    /// Nothing was written: for each action, whether its condition did not hold.
    Refused(Vec<bool>),
}

impl Store {
    /// The table of that name, by a client that is connected.
    pub fn new(client: Client, table: &str) -> Self {
        Self { client, table: table.into() }
    }

    /// The table of that name, by a client of its own.
    pub fn connect(settings: &SdkConfig, table: &str) -> Self {
        Self::new(Client::new(settings), table)
    }

    /// One item.
    pub(super) async fn get<T: DeserializeOwned>(
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

    /// The items of a range, a page at a time. `page` bounds how many are read at once; it is no end.
    pub(super) fn query<T: DeserializeOwned>(
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

    /// The keys of a range's items, read strongly consistent.
    pub(super) fn keys_of(&self, range: Range) -> impl Stream<Item = Result<Key, StoreError>> + use<> {
        pages(self.items_of(range).projection_expression("pk, sk").consistent_read(true))
            .map_ok(page_items)
            .try_flatten()
    }

    /// The items of all partitions whose key begins with a text. Reads the whole table, for the operator alone.
    pub(super) fn scan<T: DeserializeOwned>(
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

    /// The items of at most [`BATCH`] keys, in the keys' order.
    ///
    /// The read is eventually consistent. A key may have been found by a read that saw more, so what is missing is
    /// asked for again, strongly.
    pub(super) async fn batch_get(&self, keys: &[Key]) -> Result<Vec<Item>, StoreError> {
        let mut found = HashMap::with_capacity(keys.len());
        for consistency in [Consistency::Eventual, Consistency::Strong] {
            let missing: Vec<_> = keys.iter().filter(|key| !found.contains_key(*key)).cloned().collect();
            if !missing.is_empty() {
                self.batch_get_into(&mut found, missing, consistency).await?;
            }
        }
        keys.iter()
            .map(|key| found.remove(key).ok_or(StoreError::Corrupt("an item that a pointer names is missing")))
            .collect()
    }

    async fn batch_get_into(
        &self,
        found: &mut HashMap<Key, Item>,
        keys: Vec<Key>,
        consistency: Consistency,
    ) -> Result<(), StoreError> {
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
                let throttled =
                    || StoreError::Unavailable { operation: "BatchGetItem", code: "unprocessed keys".into() };
                tokio::time::sleep(waits.next().ok_or_else(throttled)?).await;
            }
        }
        Ok(())
    }

    /// Writes one item, over what is there.
    pub(super) async fn put<T: Serialize>(&self, key: Key, value: &T) -> Result<(), StoreError> {
        let request = self.client.put_item().table_name(&*self.table).set_item(Some(item(key, value)?));
        request.send().await.map(drop).map_err(|error| StoreError::of_call("PutItem", &error))
    }

    /// Deletes one item, if it is there.
    pub(super) async fn delete(&self, key: Key) -> Result<(), StoreError> {
        let request = self.client.delete_item().table_name(&*self.table).set_key(Some(key.into()));
        request.send().await.map(drop).map_err(|error| StoreError::of_call("DeleteItem", &error))
    }

    /// Deletes a range's items, but for those to keep, and tells how many.
    pub(super) async fn delete_range(&self, range: Range, keep: impl Fn(&Key) -> bool) -> Result<usize, StoreError> {
        self.keys_of(range)
            .try_filter(|key| ready(!keep(key)))
            .map_ok(|key| async { self.delete(key).await.map(|()| 1) })
            .try_buffer_unordered(AT_ONCE)
            .try_fold(0, |deleted, one| ready(Ok(deleted + one)))
            .await
    }

    /// Sets attributes of an item that is there and, where one is named, has a certain attribute. False where it is not
    /// or has not.
    ///
    /// A transaction of one, since a call whose answer is lost is made again: of a transaction that tells what it did
    /// before, of any other call that its condition no longer holds.
    pub(super) async fn set(
        &self,
        key: Key,
        attributes: Item,
        has: Option<(&str, AttributeValue)>,
    ) -> Result<bool, StoreError> {
        let mut update = Update::builder().table_name(&*self.table).set_key(Some(key.into()));
        let mut assignments = Vec::with_capacity(attributes.len());
        for (number, (name, value)) in attributes.into_iter().enumerate() {
            assignments.push(format!("#{number} = :{number}"));
            update = update
                .expression_attribute_names(format!("#{number}"), name)
                .expression_attribute_values(format!(":{number}"), value);
        }
        update = update.update_expression(format!("SET {}", assignments.join(", ")));
        update = match has {
            None => update.condition_expression("attribute_exists(pk)"),
            Some((name, value)) => update
                .condition_expression("#has = :has")
                .expression_attribute_names("#has", name)
                .expression_attribute_values(":has", value),
        };
        let update = update.build().expect("table, key and expression are set");
        let outcome = self.transact(vec![TransactWriteItem::builder().update(update).build()]).await?;
        Ok(outcome == Transaction::Done)
    }

    /// Writes all or nothing. Where another transaction is at the same items, it is tried again.
    pub(super) async fn transact(&self, actions: Vec<TransactWriteItem>) -> Result<Transaction, StoreError> {
        let attempt = || async {
            match self.client.transact_write_items().set_transact_items(Some(actions.clone())).send().await {
                Ok(_) => Ok(Transaction::Done),
                Err(error) => cancellation(&error),
            }
        };
        attempt.retry(backoff(CONFLICTS)).when(StoreError::is_conflict).await
    }

    /// Writes an item that must not be there yet.
    pub(super) fn create<T: Serialize>(&self, key: Key, value: &T) -> Result<TransactWriteItem, StoreError> {
        let put = Put::builder()
            .table_name(&*self.table)
            .set_item(Some(item(key, value)?))
            .condition_expression("attribute_not_exists(pk)");
        Ok(TransactWriteItem::builder().put(put.build().expect("table and item are set")).build())
    }

    /// Writes an item over the one that has a certain version, or where there is none yet.
    pub(super) fn succeed<T: Serialize>(
        &self,
        key: Key,
        value: &T,
        seen: Option<u64>,
    ) -> Result<TransactWriteItem, StoreError> {
        match seen {
            Some(version) => self.replace(key, value, version),
            None => self.create(key, value),
        }
    }

    /// Writes an item over the one that has a certain version.
    pub(super) fn replace<T: Serialize>(
        &self,
        key: Key,
        value: &T,
        version: u64,
    ) -> Result<TransactWriteItem, StoreError> {
        let put = Put::builder()
            .table_name(&*self.table)
            .set_item(Some(item(key, value)?))
            .condition_expression(VERSION_IS)
            .expression_attribute_values(":version", AttributeValue::N(version.to_string()));
        Ok(TransactWriteItem::builder().put(put.build().expect("table and item are set")).build())
    }

    /// Deletes an item, if it is there.
    pub(super) fn erase(&self, key: Key) -> TransactWriteItem {
        self.erase_where(key, |delete| delete)
    }

    /// Deletes an item that has to be there.
    pub(super) fn erase_existing(&self, key: Key) -> TransactWriteItem {
        self.erase_where(key, |delete| delete.condition_expression("attribute_exists(pk)"))
    }

    /// Deletes an item that has a certain version.
    pub(super) fn erase_version(&self, key: Key, version: u64) -> TransactWriteItem {
        let version = AttributeValue::N(version.to_string());
        self.erase_where(key, |delete| {
            delete.condition_expression(VERSION_IS).expression_attribute_values(":version", version)
        })
    }

    fn erase_where(&self, key: Key, condition: impl FnOnce(DeleteBuilder) -> DeleteBuilder) -> TransactWriteItem {
        let delete = condition(Delete::builder().table_name(&*self.table).set_key(Some(key.into())));
        TransactWriteItem::builder().delete(delete.build().expect("table and key are set")).build()
    }

    /// Writes nothing, and lets the transaction fail where an item is missing.
    pub(super) fn require(&self, key: Key) -> TransactWriteItem {
        let check = ConditionCheck::builder()
            .table_name(&*self.table)
            .set_key(Some(key.into()))
            .condition_expression("attribute_exists(pk)");
        TransactWriteItem::builder().condition_check(check.build().expect("all fields are set")).build()
    }
}

/// The pages of a query, to their end.
fn pages<T: DeserializeOwned>(query: QueryFluentBuilder) -> impl Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
    stream::try_unfold(query.into_paginator().send(), |mut pages| async move {
        let page = pages.try_next().await.map_err(|error| StoreError::of_call("Query", &error))?;
        let items = page.map(|page| serde_dynamo::from_items(page.items.unwrap_or_default())).transpose()?;
        Ok(items.map(|items| (items, pages)))
    })
}

/// The items of a page, one by one.
pub(super) fn page_items<T>(page: Vec<T>) -> impl Stream<Item = Result<T, StoreError>> {
    stream::iter(page.into_iter().map(Ok))
}

const VERSION_IS: &str = "version = :version";

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("table", &self.table).finish_non_exhaustive()
    }
}

impl From<Key> for Item {
    fn from(key: Key) -> Self {
        Self::from([("pk".to_owned(), AttributeValue::S(key.pk)), ("sk".to_owned(), AttributeValue::S(key.sk))])
    }
}

impl Key {
    fn of(item: &Item) -> Result<Self, StoreError> {
        let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
        let key = text("pk").zip(text("sk")).map(|(pk, sk)| Self { pk, sk });
        key.ok_or(StoreError::Corrupt("an item has no key"))
    }
}

/// A value with its key, as an item.
pub(super) fn item<T: Serialize>(key: Key, value: &T) -> Result<Item, StoreError> {
    let mut item: Item = serde_dynamo::to_item(value)?;
    item.extend(Item::from(key));
    Ok(item)
}

/// Waits between attempts: doubling from 10 ms to half a second, each drawn at random so that writers that met once
/// do not meet again.
pub(super) fn backoff(attempts: usize) -> ExponentialBuilder {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(10))
        .with_max_delay(Duration::from_millis(500))
        .with_jitter()
        .with_max_times(attempts)
}

/// What a transaction that did not go through was refused or failed for.
fn cancellation<R>(error: &SdkError<TransactWriteItemsError, R>) -> Result<Transaction, StoreError> {
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            let codes: Vec<_> = cancelled.cancellation_reasons().iter().map(|reason| reason.code()).collect();
            let refused: Vec<_> = codes.iter().map(|code| *code == Some("ConditionalCheckFailed")).collect();
            if refused.contains(&true) {
                Ok(Transaction::Refused(refused))
            } else if codes.contains(&Some(CONFLICT)) {
                Err(StoreError::conflict())
            } else {
                Err(StoreError::of_call("TransactWriteItems", error))
            }
        }
        Some(TransactWriteItemsError::TransactionInProgressException(_)) => Err(StoreError::conflict()),
        _ => Err(StoreError::of_call("TransactWriteItems", error)),
    }
}
