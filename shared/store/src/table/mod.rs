//! The table: reads and writes of items of any content.
//!
//! Reads continue to the end of every range and repeat requests for items that DynamoDB left out. Every call waits
//! while the table lacks capacity.

mod expiry;
mod format;
mod merge;
mod patience;
mod read;
mod response;
mod transaction;
mod unchanged;
mod upgrade;
mod write;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::StoreError;
use super::keys::Key;
use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;

pub use expiry::EXPIRES_AT;
pub(super) use expiry::has_expired;
pub use format::FORMAT;
pub(super) use format::{format_of, item, keeping, understood};
pub(super) use merge::{Nested, Parts, merge};
pub(super) use patience::{CONTENDERS, backoff};
pub(super) use read::{BATCH, Decoded, Found, Order, first_items, page_items};
pub(super) use transaction::{Action, Transaction, next_version};
pub use upgrade::Upgrade;
pub(super) use write::AT_ONCE;

/// An item as the SDK reads and writes it.
pub(super) type Item = HashMap<String, AttributeValue>;

/// The table. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    client: Client,
    table: Arc<str>,
    deadline: Option<SystemTime>,
    shares_equal_bodies: bool,
}

impl Store {
    /// Returns the table with that name, using an existing client. Damaged responses are detected and requested again.
    pub fn new(client: Client, table: &str) -> Self {
        Self { client: response::checked(&client), table: table.into(), deadline: None, shares_equal_bodies: false }
    }

    /// Returns the same table, whose new reports share parts of their bodies with equal ones. No earlier release than 1.1
    /// reads such reports.
    #[must_use]
    pub fn sharing_equal_bodies(self, shares: bool) -> Self {
        Self { shares_equal_bodies: shares, ..self }
    }

    pub(crate) fn shares_equal_bodies(&self) -> bool {
        self.shares_equal_bodies
    }

    /// Returns the table of a function, using its own client. `SHARE_EQUAL_REPORTS` of its environment says whether new
    /// reports [share](Self::sharing_equal_bodies) parts of their bodies.
    pub fn connect(settings: &SdkConfig, table: &str) -> Self {
        let shares = std::env::var("SHARE_EQUAL_REPORTS").is_ok_and(|shares| shares == "true");
        Self::new(Client::new(settings), table).sharing_equal_bodies(shares)
    }
}

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
    pub(super) fn of(item: &Item) -> Result<Self, StoreError> {
        let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
        let key = text("pk").zip(text("sk")).map(|(pk, sk)| Self { pk, sk });
        key.ok_or(StoreError::Corrupt("an item has no key"))
    }
}
