//! The golden table, to be damaged and checked.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::golden::Golden;
use super::{Item, sample, with_items};
use crate::support::TestApp;

/// A discrepancy: its subject and its description.
pub(super) type Found = (String, &'static str);

/// The golden table, in which a check finds nothing.
pub(super) struct Checked {
    pub(super) app: TestApp,
    pub(super) golden: Vec<Item>,
    pub(super) stored: Vec<HashMap<String, AttributeValue>>,
}

impl Checked {
    pub(super) async fn new() -> Self {
        let golden = Golden::newest().items;
        let app = with_items(golden.clone()).await;
        let stored = app.items().await;
        let checked = Self { app, golden, stored };
        assert_eq!(checked.found().await, []);
        checked
    }

    /// Returns the first item of a kind.
    pub(super) fn first(&self, kind: &str) -> Item {
        self.golden.iter().find(|item| item.kind() == kind).unwrap().clone()
    }

    /// Returns each discrepancy once, in order.
    pub(super) async fn found(&self) -> Vec<Found> {
        let store = &self.app.app.store;
        let within = store.organization(&sample::organization()).inspect().await.unwrap().discrepancies;
        let outside = store.inspect_outside().await.unwrap().into_iter().map(|(_, found)| found);
        let mut found: Vec<_> = within.into_iter().chain(outside).map(|found| (found.subject, found.what)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns what is found while an item is in the table.
    pub(super) async fn with(&self, item: Item) -> Vec<Found> {
        self.app.put(item.0).await;
        self.found_before_it_is_undone().await
    }

    /// Returns what is found while an item is missing.
    pub(super) async fn without(&self, item: &Item) -> Vec<Found> {
        self.app.delete(&item.0).await;
        self.found_before_it_is_undone().await
    }

    async fn found_before_it_is_undone(&self) -> Vec<Found> {
        let found = self.found().await;
        self.app.restore(&self.stored).await;
        found
    }
}

pub(super) fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub(super) fn number(number: impl ToString) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub(super) fn name(item: &Item) -> String {
    let (pk, sk) = item.key();
    format!("{pk} {sk}")
}
