//! Rewrites items of earlier formats, while the service runs.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Serialize;

use super::format::{FORMAT, VERSION, format_of, keeping};
use super::patience::{CONTENDERS, Patience};
use super::unchanged::Unchanged;
use super::write::AT_ONCE;
use super::{Item, Store};
use crate::keys::{Key, Range};
use crate::kinds::kind_of;
use crate::{Cause, StoreError};

/// Condition for items of earlier formats, and of none.
const IS_OLDER: &str = "attribute_not_exists(#v) OR #v < :format";

/// The result of an upgrade, or its progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Upgrade {
    /// Items that were rewritten.
    pub rewritten: usize,
    /// Newest reports whose results were stored, because an earlier release had written them.
    pub collected: usize,
    /// Items of earlier formats that cannot be read, and were left as they are, and newest reports that cannot be read.
    pub unreadable: usize,
}

impl Upgrade {
    /// Returns the sum of two results.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            rewritten: self.rewritten + other.rewritten,
            collected: self.collected + other.collected,
            unreadable: self.unreadable + other.unreadable,
        }
    }
}

impl Store {
    /// Rewrites all items of earlier formats: those of a range, or those of the whole table.
    pub(crate) async fn rewrite_older(
        &self,
        range: Option<Range>,
        progress: impl Fn(Upgrade),
    ) -> Result<Upgrade, StoreError> {
        let mut done = Upgrade::default();
        let mut pages = self.older(range);
        while let Some(keys) = pages.try_next().await? {
            let mut rewrites = stream::iter(keys).map(|key| self.rewrite(key)).buffer_unordered(AT_ONCE);
            while let Some(rewritten) = rewrites.try_next().await? {
                match rewritten {
                    Rewritten::Done => done.rewritten += 1,
                    Rewritten::Unreadable => done.unreadable += 1,
                    Rewritten::NotNeeded => {}
                }
                progress(done);
            }
        }
        Ok(done)
    }

    /// Returns the keys of items of earlier formats, a page at a time.
    fn older(&self, range: Option<Range>) -> BoxStream<'static, Result<Vec<Key>, StoreError>> {
        let format = AttributeValue::N(FORMAT.to_string());
        let keys = |page: Vec<Item>| page.iter().map(Key::of).collect();
        let pages = match range {
            Some(range) => {
                let query = self.items_of(range).projection_expression("pk, sk").filter_expression(IS_OLDER);
                let query = query.expression_attribute_names("#v", VERSION);
                self.pages(query.expression_attribute_values(":format", format), &[]).boxed()
            }
            None => {
                let scan = self.client.scan().projection_expression("pk, sk").filter_expression(IS_OLDER);
                let scan = scan.expression_attribute_names("#v", VERSION);
                self.scanned(scan.expression_attribute_values(":format", format)).boxed()
            }
        };
        pages.map(move |page| keys(page?)).boxed()
    }

    /// Rewrites one item, unless another writer did.
    async fn rewrite(&self, key: Key) -> Result<Rewritten, StoreError> {
        for _ in 0..CONTENDERS {
            let stored = self.get_item(key.clone()).await?.filter(|item| format_of(item) < FORMAT);
            let Some(stored) = stored else { return Ok(Rewritten::NotNeeded) };
            let Some(Ok(understood)) = kind_of(&key).map(|kind| (kind.understood)(&stored)) else {
                return Ok(Rewritten::Unreadable);
            };
            let mut item = understood.clone();
            item.extend(Item::from(key.clone()));
            if self.put_over(&stored, keeping(&stored, understood, item)).await? {
                return Ok(Rewritten::Done);
            }
        }
        Err(StoreError::Contended("upgrading an item"))
    }

    /// Writes an item if the stored one is still the same in every attribute. Returns whether it was.
    async fn put_over(&self, stored: &Item, item: Item) -> Result<bool, StoreError> {
        let Unchanged { condition, names, values } = Unchanged::since(stored);
        let put = self.client.put_item().table_name(&*self.table).set_item(Some(item)).condition_expression(condition);
        let put = put.set_expression_attribute_names(Some(names)).set_expression_attribute_values(Some(values));
        let call = || async { put.clone().send().await.map_err(|error| StoreError::of_call("PutItem", &error)) };
        match self.patiently(Patience::Write, call).await {
            Ok(_) => Ok(true),
            Err(StoreError::Refused { cause: Cause::Code(code), .. }) if code == "ConditionalCheckFailedException" => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

enum Rewritten {
    Done,
    Unreadable,
    NotNeeded,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_added() {
        let result = |rewritten, collected, unreadable| Upgrade { rewritten, collected, unreadable };
        assert_eq!(result(1, 2, 3).and(result(10, 20, 30)), result(11, 22, 33));
    }
}
