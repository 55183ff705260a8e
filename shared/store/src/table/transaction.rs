//! Transactions: all of their actions are done, or none.

use std::collections::HashSet;
use std::mem;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::builders::{DeleteBuilder, PutBuilder};
use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, Delete, Put, TransactWriteItem};
use backon::Retryable;
use model::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::format::{keeping, understood};
use super::patience::{Patience, backoff};
use super::read::Consistency;
use super::unchanged::Unchanged;
use super::{Item, Store, item};
use crate::error::{Cause, StoreError};
use crate::keys::Key;

/// One write of a transaction, with its condition.
#[derive(Debug, Clone)]
pub(crate) struct Action {
    write: TransactWriteItem,
    source: Option<Source>,
}

/// The stored item from which a written one is made, if it exists.
#[derive(Debug, Clone)]
struct Source {
    key: Key,
    /// Returns what this release knows of the item.
    understood: fn(&Item) -> Result<Item, StoreError>,
}

impl Action {
    /// Keeps those parts of a stored item with values of type `T` that this release does not know.
    pub(crate) fn keeping<T: Serialize + DeserializeOwned>(self, key: Key) -> Self {
        Self { source: Some(Source { key, understood: understood::<T> }), ..self }
    }
}

/// Number of attempts of a transaction that conflicts with others.
const CONFLICTS: usize = 8;

const EXISTS: &str = "attribute_exists(pk)";
const IS_NEW: &str = "attribute_not_exists(pk)";
const VERSION_IS: &str = "version = :version";
const REVISION_IS: &str = "summary.revision = :version";

/// The result of a transaction that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Transaction {
    Done,
    /// Nothing was written. Contains for each action whether its condition failed.
    Refused(Vec<bool>),
}

impl Store {
    /// Writes all or nothing. Retries while another transaction is working on the same items, or the table lacks
    /// capacity.
    ///
    /// Written items keep those parts of their sources that this release does not know. The sources are read here,
    /// after their values were read for the change: the condition of an action notices if they differ from those.
    pub(crate) async fn transact(&self, actions: Vec<Action>) -> Result<Transaction, StoreError> {
        let actions = self.with_unknown_parts(actions).await?;
        let attempt = || async {
            match self.client.transact_write_items().set_transact_items(Some(actions.clone())).send().await {
                Ok(_) => Ok(Transaction::Done),
                Err(error) => cancellation(&error),
            }
        };
        let between_others = || async { attempt.retry(backoff(CONFLICTS)).when(StoreError::is_conflict).await };
        self.patiently(Patience::Write, between_others).await
    }

    /// Returns the writes of actions whose items keep the unknown parts of their sources.
    async fn with_unknown_parts(&self, actions: Vec<Action>) -> Result<Vec<TransactWriteItem>, StoreError> {
        // Several items can be made from one.
        let keys: HashSet<_> =
            actions.iter().filter_map(|action| action.source.as_ref()).map(|of| of.key.clone()).collect();
        let stored = self.batch_get_existing(keys.into_iter().collect(), Consistency::Strong).await?;
        let writes = actions.into_iter().map(|Action { mut write, source }| {
            let found = source.and_then(|source| Some((stored.get(&source.key)?, source.understood)));
            if let Some((stored, understood)) = found
                && let Some(put) = &mut write.put
                // A damaged item has no parts to keep.
                && let Ok(understood) = understood(stored)
            {
                put.item = keeping(stored, understood, mem::take(&mut put.item));
            }
            write
        });
        Ok(writes.collect())
    }

    /// Writes an item, replacing an existing one.
    pub(crate) fn write<T: Serialize + DeserializeOwned>(&self, key: Key, value: &T) -> Result<Action, StoreError> {
        Ok(self.put_if(key.clone(), value, |put| put)?.keeping::<T>(key))
    }

    /// Writes a look-up, which has no parts to keep, so that whoever writes it need not be allowed to read it.
    pub(crate) fn write_lookup<T: Serialize>(&self, key: Key, value: &T) -> Result<Action, StoreError> {
        self.put_if(key, value, |put| put)
    }

    /// Writes an item that must not exist yet.
    pub(crate) fn create<T: Serialize>(&self, key: Key, value: &T) -> Result<Action, StoreError> {
        self.put_if(key, value, |put| put.condition_expression(IS_NEW))
    }

    /// Writes an item over an existing one.
    pub(crate) fn write_existing<T: Serialize + DeserializeOwned>(
        &self,
        key: Key,
        value: &T,
    ) -> Result<Action, StoreError> {
        Ok(self.put_if(key.clone(), value, |put| put.condition_expression(EXISTS))?.keeping::<T>(key))
    }

    /// Writes an item as it is, which must not exist yet.
    pub(crate) fn create_stored(&self, item: Item) -> Action {
        let put = Put::builder().table_name(&*self.table).set_item(Some(item)).condition_expression(IS_NEW);
        TransactWriteItem::builder().put(put.build().expect("table and item are set")).build().into()
    }

    /// Writes an item as it is, or deletes it, if it is still as it was read, or still missing.
    pub(crate) fn replace_stored(&self, key: Key, read: Option<&Item>, item: Option<Item>) -> Action {
        let (condition, names, values) = match read.map(Unchanged::since) {
            Some(Unchanged { condition, names, values }) => (condition, Some(names), Some(values)),
            None => (IS_NEW.to_owned(), None, None),
        };
        let Some(item) = item else {
            return self.erase_if(key, |delete| {
                let delete = delete.condition_expression(condition).set_expression_attribute_names(names);
                delete.set_expression_attribute_values(values)
            });
        };
        let put = Put::builder().table_name(&*self.table).set_item(Some(item)).condition_expression(condition);
        let put = put.set_expression_attribute_names(names).set_expression_attribute_values(values);
        TransactWriteItem::builder().put(put.build().expect("table and item are set")).build().into()
    }

    /// Writes an item over a certain version, or as a new item if no version was seen.
    pub(crate) fn succeed<T: Serialize + DeserializeOwned>(
        &self,
        key: Key,
        value: &T,
        seen: Option<u64>,
    ) -> Result<Action, StoreError> {
        match seen {
            Some(version) => self.replace(key, value, version),
            None => self.create(key, value),
        }
    }

    /// Writes an item over a certain version.
    pub(crate) fn replace<T: Serialize + DeserializeOwned>(
        &self,
        key: Key,
        value: &T,
        version: u64,
    ) -> Result<Action, StoreError> {
        self.replace_if(key, value, VERSION_IS, version)
    }

    /// Writes a report over a certain revision.
    pub(crate) fn replace_revision<T: Serialize + DeserializeOwned>(
        &self,
        key: Key,
        report: &T,
        revision: u64,
    ) -> Result<Action, StoreError> {
        self.replace_if(key, report, REVISION_IS, revision)
    }

    fn replace_if<T: Serialize + DeserializeOwned>(
        &self,
        key: Key,
        value: &T,
        condition: &str,
        version: u64,
    ) -> Result<Action, StoreError> {
        let is_seen = |put: PutBuilder| {
            put.condition_expression(condition).expression_attribute_values(":version", number(version))
        };
        Ok(self.put_if(key.clone(), value, is_seen)?.keeping::<T>(key))
    }

    fn put_if<T: Serialize>(
        &self,
        key: Key,
        value: &T,
        condition: impl FnOnce(PutBuilder) -> PutBuilder,
    ) -> Result<Action, StoreError> {
        let put = condition(Put::builder().table_name(&*self.table).set_item(Some(item(key, value)?)));
        let put = put.build().expect("table and item are set");
        Ok(TransactWriteItem::builder().put(put).build().into())
    }

    /// Deletes an item, if it exists.
    pub(crate) fn erase(&self, key: Key) -> Action {
        self.erase_if(key, |delete| delete)
    }

    /// Deletes an item that must exist.
    pub(crate) fn erase_existing(&self, key: Key) -> Action {
        self.erase_if(key, |delete| delete.condition_expression(EXISTS))
    }

    /// Deletes an item that must have a certain version.
    pub(crate) fn erase_version(&self, key: Key, version: u64) -> Action {
        self.erase_if(key, |delete| {
            delete.condition_expression(VERSION_IS).expression_attribute_values(":version", number(version))
        })
    }

    /// Writes nothing, and fails the transaction if an item does not exist.
    pub(crate) fn require(&self, key: Key) -> Action {
        let check =
            ConditionCheck::builder().table_name(&*self.table).set_key(Some(key.into())).condition_expression(EXISTS);
        TransactWriteItem::builder().condition_check(check.build().expect("all fields are set")).build().into()
    }

    /// Writes nothing, and fails the transaction if an item does not have a certain version.
    pub(crate) fn require_version(&self, key: Key, version: u64) -> Action {
        self.require_if(key, VERSION_IS, version)
    }

    /// Writes nothing, and fails the transaction if a report does not have a certain revision.
    pub(crate) fn require_revision(&self, key: Key, revision: u64) -> Action {
        self.require_if(key, REVISION_IS, revision)
    }

    fn require_if(&self, key: Key, condition: &str, version: u64) -> Action {
        let check = ConditionCheck::builder()
            .table_name(&*self.table)
            .set_key(Some(key.into()))
            .condition_expression(condition)
            .expression_attribute_values(":version", number(version));
        TransactWriteItem::builder().condition_check(check.build().expect("all fields are set")).build().into()
    }

    fn erase_if(&self, key: Key, condition: impl FnOnce(DeleteBuilder) -> DeleteBuilder) -> Action {
        let delete = condition(Delete::builder().table_name(&*self.table).set_key(Some(key.into())));
        TransactWriteItem::builder().delete(delete.build().expect("table and key are set")).build().into()
    }
}

impl From<TransactWriteItem> for Action {
    fn from(write: TransactWriteItem) -> Self {
        Self { write, source: None }
    }
}

/// Returns the version of an item whose version was read, or that is new. A new one begins with the time, so that it
/// never has a version that somebody saw of one that was removed.
pub(crate) fn next_version(read: Option<u64>, at: Timestamp) -> u64 {
    let first = || u64::try_from(at.to_datetime().timestamp_millis()).unwrap_or_default();
    read.unwrap_or_else(first) + 1
}

fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Translates a transaction that was not done: refused by a condition, or failed.
fn cancellation<R>(error: &SdkError<TransactWriteItemsError, R>) -> Result<Transaction, StoreError> {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) = error.as_service_error() else {
        return Err(StoreError::of_call("TransactWriteItems", error));
    };
    let codes: Vec<_> = cancelled.cancellation_reasons().iter().map(|reason| reason.code()).collect();
    let refused: Vec<_> = codes.iter().map(|code| *code == Some("ConditionalCheckFailed")).collect();
    if refused.contains(&true) {
        return Ok(Transaction::Refused(refused));
    }
    let causes = codes.into_iter().flatten().map(Cause::of_code);
    let passing = causes.into_iter().find(|cause| matches!(cause, Cause::Throttled | Cause::Conflict));
    Err(match passing {
        Some(cause) => StoreError::Unavailable { operation: "TransactWriteItems", cause },
        None => StoreError::of_call("TransactWriteItems", error),
    })
}
