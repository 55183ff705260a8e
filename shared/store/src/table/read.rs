//! Reads: one item, ranges, and batches.

use std::collections::{HashMap, VecDeque};
use std::future::ready;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::scan::builders::ScanFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};

use super::patience::Patience;
use super::{Item, Store};
use crate::Damage;
use crate::error::{Cause, StoreError};
use crate::keys::{Key, PARTITIONS, Range};
use crate::stored::Stored;

/// Most keys in one `BatchGetItem`.
pub(crate) const BATCH: usize = 100;

/// Growth factor of the pages of a query that has to be read further than expected.
const PAGE_GROWTH: usize = 10;
/// Beyond this number of items, a page is as large as DynamoDB makes it: 1 MB.
const LARGEST_LIMIT: usize = 1_000;
/// Number of items at most on a page of whole ranges, which may be all of an organization.
const AT_ONCE: i32 = 500;

/// Order in which a range is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    OldestFirst,
    NewestFirst,
}

/// Whether a read may miss the most recent writes, at half the price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consistency {
    Strong,
    Eventual,
}

/// A value with the key of its item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<T> {
    pub(crate) key: Key,
    pub(crate) value: T,
}

/// The value of an item, alone or with its key.
pub(crate) trait Decoded: Sized + Send + 'static {
    /// Returns the item's value, or an error that names the item.
    fn decoded(item: Item) -> Result<Self, StoreError>;
}

impl<T: Stored + Send + 'static> Decoded for Found<T> {
    fn decoded(item: Item) -> Result<Self, StoreError> {
        let key = Key::of(&item)?;
        match serde_dynamo::from_item::<_, T>(item) {
            Ok(value) if value.belongs_at(&key) => Ok(Self { key, value }),
            Ok(_) => Err(Damage::of(key, "an item has the content of another").into()),
            // Its message may repeat stored content.
            Err(_) => Err(Damage::of(key, "an item has an unexpected shape").into()),
        }
    }
}

impl<T: Stored + Send + 'static> Decoded for T {
    fn decoded(item: Item) -> Result<Self, StoreError> {
        Found::decoded(item).map(|Found { value, .. }| value)
    }
}

impl Store {
    /// Returns one item, or `None` if it does not exist. Strongly consistent.
    pub(crate) async fn get<T: Decoded>(&self, key: Key) -> Result<Option<T>, StoreError> {
        self.get_item(key).await?.map(T::decoded).transpose()
    }

    /// Returns one item as it is stored, or `None` if it does not exist. Strongly consistent.
    pub(crate) async fn get_item(&self, key: Key) -> Result<Option<Item>, StoreError> {
        let request = self.client.get_item().table_name(&*self.table).set_key(Some(key.into())).consistent_read(true);
        let call = || async { request.clone().send().await.map_err(|error| StoreError::of_call("GetItem", &error)) };
        Ok(self.patiently(Patience::First, call).await?.item)
    }

    /// Returns all items of a range, a page at a time, strongly consistent. `sizes` limits the first pages, for a caller
    /// that expects to need no more. Later pages grow, so skipping many items takes few calls.
    pub(crate) fn query<T: Decoded>(
        &self,
        range: Range,
        order: Order,
        sizes: &[usize],
    ) -> impl Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
        self.pages(self.ordered(range, order), sizes).map(decoded)
    }

    /// Returns all items of a range, oldest first.
    pub(crate) async fn all<T: Decoded>(&self, range: Range) -> Result<Vec<T>, StoreError> {
        self.query(range, Order::OldestFirst, &[]).try_concat().await
    }

    /// Returns the keys of a range's items.
    pub(crate) fn keys_of(&self, range: Range) -> impl Stream<Item = Result<Key, StoreError>> + use<> {
        let pages = self.pages(self.items_of(range).projection_expression("pk, sk"), &[]);
        pages.map_ok(page_items).try_flatten().and_then(|item| ready(Key::of(&item)))
    }

    /// Returns the items of a range as they are stored, a page at a time.
    pub(crate) fn items(&self, range: Range) -> impl Stream<Item = Result<Vec<Item>, StoreError>> + use<> {
        // For each page without a limit, the embedded engine reads all of the range that is left.
        self.pages(self.items_of(range).limit(AT_ONCE), &[])
    }

    /// Returns the items outside of the organizations' partitions as they are stored. Reads the whole table, so only
    /// the operator may use it.
    pub(crate) fn outside(&self) -> impl Stream<Item = Result<Vec<Item>, StoreError>> + use<> {
        let scan = self.client.scan().filter_expression("NOT begins_with(pk, :organizations)");
        self.scanned(scan.expression_attribute_values(":organizations", AttributeValue::S(PARTITIONS.to_owned())))
    }

    /// Returns all pages of a scan.
    pub(super) fn scanned(&self, scan: ScanFluentBuilder) -> impl Stream<Item = Result<Vec<Item>, StoreError>> + use<> {
        let scan = scan.table_name(&*self.table).consistent_read(true);
        stream::try_unfold((self.clone(), Some(scan)), |(store, scan)| async move {
            let Some(scan) = scan else { return Ok(None) };
            let call = || async { scan.clone().send().await.map_err(|error| StoreError::of_call("Scan", &error)) };
            let page = store.patiently(Patience::Begun, call).await?;
            let items = page.items.ok_or(unreadable("Scan"))?;
            let next = page.last_evaluated_key.map(|last| scan.set_exclusive_start_key(Some(last)));
            Ok(Some((items, (store, next))))
        })
    }

    /// Returns the query of a range's items in an order.
    pub(super) fn ordered(&self, range: Range, order: Order) -> QueryFluentBuilder {
        self.items_of(range).scan_index_forward(order == Order::OldestFirst)
    }

    /// Returns all pages of a query.
    pub(super) fn pages(
        &self,
        query: QueryFluentBuilder,
        sizes: &[usize],
    ) -> impl Stream<Item = Result<Vec<Item>, StoreError>> + use<> {
        let mut sizes: VecDeque<_> = sizes.iter().copied().collect();
        let largest = *query.get_limit();
        let state = (self.clone(), Some(query), sizes.pop_front(), sizes, Patience::First);
        stream::try_unfold(state, move |(store, query, limit, mut sizes, patience)| async move {
            let Some(query) = query else { return Ok(None) };
            let query = query.set_limit(limit.map(|items| i32::try_from(items).unwrap_or(i32::MAX)).or(largest));
            let call = || async { query.clone().send().await.map_err(|error| StoreError::of_call("Query", &error)) };
            let page = store.patiently(patience, call).await?;
            // A response without items contains an empty list.
            let items = page.items.ok_or(unreadable("Query"))?;
            // An empty page is not the end if there is a key to continue from.
            let next = page.last_evaluated_key.map(|last| query.set_exclusive_start_key(Some(last)));
            let grown = limit.and_then(|items| items.checked_mul(PAGE_GROWTH)).filter(|items| *items <= LARGEST_LIMIT);
            let limit = sizes.pop_front().or(grown);
            Ok(Some((items, (store, next, limit, sizes, Patience::Begun))))
        })
    }

    pub(super) fn items_of(&self, range: Range) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(&*self.table)
            .consistent_read(true)
            .key_condition_expression("pk = :pk AND sk BETWEEN :first AND :last")
            .expression_attribute_values(":pk", AttributeValue::S(range.pk))
            .expression_attribute_values(":first", AttributeValue::S(range.first))
            .expression_attribute_values(":last", AttributeValue::S(range.last))
    }

    /// Returns the items with these keys, at most [`BATCH`], in the keys' order.
    ///
    /// The read is eventually consistent. If an item is missing, it is read again, strongly consistent, because the key
    /// may come from a newer read.
    pub(crate) async fn batch_get(&self, keys: &[Key]) -> Result<Vec<Option<Item>>, StoreError> {
        let mut found = self.batch_get_existing(keys.to_vec(), Consistency::Eventual).await?;
        let missing: Vec<_> = keys.iter().filter(|key| !found.contains_key(*key)).cloned().collect();
        if !missing.is_empty() {
            found.extend(self.batch_get_existing(missing, Consistency::Strong).await?);
        }
        Ok(keys.iter().map(|key| found.remove(key)).collect())
    }

    /// Returns those items that exist, for at most [`BATCH`] keys.
    pub(super) async fn batch_get_existing(
        &self,
        keys: Vec<Key>,
        consistency: Consistency,
    ) -> Result<HashMap<Key, Item>, StoreError> {
        let mut found = HashMap::with_capacity(keys.len());
        let mut asked = keys.into_iter().map(Item::from).collect::<Vec<_>>();
        let mut waiting = self.waiting(Patience::Begun);
        while !asked.is_empty() {
            let (items, left) = match self.batch_get_some(asked.clone(), consistency).await {
                Err(error) if error.is_throttling() => {
                    waiting.wait(error).await?;
                    continue;
                }
                response => response?,
            };
            if !items.is_empty() {
                waiting.progressed();
            }
            for item in items {
                found.insert(Key::of(&item)?, item);
            }
            asked = left;
            if !asked.is_empty() {
                waiting.wait(throttled("BatchGetItem")).await?;
            }
        }
        Ok(found)
    }

    /// Returns the items of one call, and the keys that it left out for lack of capacity.
    async fn batch_get_some(
        &self,
        keys: Vec<Item>,
        consistency: Consistency,
    ) -> Result<(Vec<Item>, Vec<Item>), StoreError> {
        let keys = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(consistency == Consistency::Strong)
            .build()
            .expect("keys are set");
        let request = self.client.batch_get_item().request_items(&*self.table, keys);
        let response = request.send().await.map_err(|error| StoreError::of_call("BatchGetItem", &error))?;
        let items = response.responses.and_then(|mut tables| tables.remove(&*self.table));
        let left = response.unprocessed_keys.and_then(|mut tables| tables.remove(&*self.table)).map(|left| left.keys);
        match (items, left) {
            (None, None) => Err(unreadable("BatchGetItem")),
            (items, left) => Ok((items.unwrap_or_default(), left.unwrap_or_default())),
        }
    }
}

fn decoded<T: Decoded>(page: Result<Vec<Item>, StoreError>) -> Result<Vec<T>, StoreError> {
    page?.into_iter().map(T::decoded).collect()
}

fn unreadable(operation: &'static str) -> StoreError {
    StoreError::Unavailable { operation, cause: Cause::UnreadableResponse }
}

fn throttled(operation: &'static str) -> StoreError {
    StoreError::Unavailable { operation, cause: Cause::Throttled }
}

/// Returns the items of a page, one by one.
pub(crate) fn page_items<T>(page: Vec<T>) -> impl Stream<Item = Result<T, StoreError>> {
    stream::iter(page.into_iter().map(Ok))
}

/// Returns the first items of a stream of pages, and reads the stream only up to the last of them.
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
