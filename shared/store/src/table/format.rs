//! The format of stored items.
//!
//! Every item has the number of its format in the attribute `v`. The rule that makes a change of a release, in either
//! direction, safe:
//!
//! - A release reads every format since 1. An item without a number is from before 1.0 and is read like format 1.
//! - A release writes items that the release before it can read. A shape changes over three releases: the first reads
//!   and writes both forms (expand), `posture upgrade` rewrites older items (migrate), and a later one drops the old
//!   form (contract).
//! - An item keeps the attributes and values that a release does not know, and its higher number, when that release
//!   changes it.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Item, merge};
use crate::StoreError;
use crate::keys::Key;
use crate::kinds::kind_of;

/// The format that this release writes: that of release 1.1. Any change of a stored shape needs a new number.
pub const FORMAT: u32 = 2;

/// Name of the attribute that contains the format.
pub(crate) const VERSION: &str = "v";

/// Returns a value with its key and format, as an item.
pub(crate) fn item<T: Serialize>(key: Key, value: &T) -> Result<Item, StoreError> {
    debug_assert!(kind_of(&key).is_some(), "kinds.rs lacks the kind of an item that is written");
    let mut item: Item = serde_dynamo::to_item(value)?;
    item.extend(Item::from(key));
    item.insert(VERSION.to_owned(), AttributeValue::N(FORMAT.to_string()));
    Ok(item)
}

/// Returns what this release understands of a stored item with values of type `T`.
pub(crate) fn understood<T: Serialize + DeserializeOwned>(item: &Item) -> Result<Item, StoreError> {
    let value: T = serde_dynamo::from_item(item.clone())?;
    Ok(serde_dynamo::to_item(value)?)
}

/// Returns the format of an item; 0 if it does not name one.
pub(crate) fn format_of(item: &Item) -> u32 {
    let number = item.get(VERSION).and_then(|value| value.as_n().ok());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Returns a new item that keeps those parts of a stored one that this release does not know.
///
/// `understood` is what this release knows of the stored item. The key is that of the new item, and the format is never
/// lower than before.
pub(crate) fn keeping(stored: &Item, understood: Item, mut item: Item) -> Item {
    let format = format_of(stored).max(FORMAT);
    let key = ["pk", "sk"].map(|name| item.remove_entry(name));
    let merged = merge(AttributeValue::M(stored.clone()), Some(AttributeValue::M(understood)), AttributeValue::M(item));
    let AttributeValue::M(mut merged) = merged else { unreachable!("maps are merged to a map") };
    merged.extend(key.into_iter().flatten());
    merged.insert(VERSION.to_owned(), AttributeValue::N(format.to_string()));
    merged
}
