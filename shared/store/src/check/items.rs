//! Examines every item by itself: its shape, its key, and the text that it contains.

use std::collections::{HashMap, HashSet};

use futures_util::TryStreamExt;
use model::ReportId;
use serde::Deserialize;

use super::Inspection;
use crate::keys::{Key, Range};
use crate::kinds::kind_of;
use crate::stored::Stored;
use crate::table::{Decoded, FORMAT, Found, Item, format_of};
use crate::{Damage, Organization, ReportSummary, Store, StoreError};

pub(crate) const LATER: &str = "a later release wrote the item, and this release cannot read it";

/// Returns the damage of an item of any kind, or `None` if this release can use it.
pub(crate) fn damage_of(item: &Item) -> Result<Option<Damage>, StoreError> {
    let key = Key::of(item)?;
    let is_later = format_of(item) > FORMAT;
    let Some(kind) = kind_of(&key) else {
        return Ok((!is_later).then(|| Damage::of(key, "no release wrote items of this kind")));
    };
    match (kind.examine)(item.clone()) {
        Ok(()) => Ok(None),
        Err(_) if is_later => Ok(Some(Damage::of(key, LATER))),
        Err(StoreError::Damaged(damage)) => Ok(Some(damage)),
        Err(_) => Ok(Some(Damage::of(key, "the item cannot be used"))),
    }
}

/// Reads an item as a value, and everything in the value.
pub(crate) fn examine<T: Stored + Send + 'static>(item: Item) -> Result<(), StoreError> {
    let Found { key, value } = Found::<T>::decoded(item)?;
    value.examine(key)
}

/// The part of a report's item that is read without its body.
#[derive(Deserialize)]
struct OnlySummary {
    summary: ReportSummary,
}

impl Organization {
    /// Examines every item of the organization, and passes the summaries of its reports on.
    pub(super) async fn inspect_items(
        &self,
        found: &mut Inspection,
        mut visit: impl FnMut(ReportSummary),
    ) -> Result<(), StoreError> {
        // Reports come before what they share, and many refer to the same part.
        let (mut referred, mut shared) = (HashMap::<Key, Vec<ReportId>>::new(), HashSet::new());
        let mut pages = std::pin::pin!(self.store.items(self.partition.everything()));
        while let Some(page) = pages.try_next().await? {
            for item in page {
                let key = Key::of(&item)?;
                match damage_of(&item)? {
                    Some(damage) => found.damaged(&damage),
                    None => shared.extend(self.partition.all_shared_bodies().contains(&key).then_some(key)),
                }
                if self.partition.all_reports().contains(&Key::of(&item)?) {
                    found.reports += 1;
                    let Ok(OnlySummary { summary }) = serde_dynamo::from_item(item) else { continue };
                    if let Some(digest) = &summary.shared_body {
                        let key = self.partition.shared_body(&summary.service_tenant_id, digest);
                        referred.entry(key).or_default().push(summary.report_id.clone());
                    }
                    visit(summary);
                }
            }
        }
        for (_, reports) in referred.into_iter().filter(|(key, _)| !shared.contains(key)) {
            let what = "the part of the body that the report shares is missing or damaged";
            reports.into_iter().for_each(|report| found.expect(false, report, what));
        }
        Ok(())
    }
}

impl Store {
    /// Returns the values of a range's items, without damaged ones, which [`Organization::inspect_items`] finds.
    pub(crate) async fn intact<T: Decoded>(&self, range: Range) -> Result<Vec<T>, StoreError> {
        // Page by page: an item as stored takes several times the memory of its value.
        let decoded = |page: Vec<Item>| page.into_iter().filter_map(|item| T::decoded(item).ok()).collect::<Vec<_>>();
        self.items(range).map_ok(decoded).try_concat().await
    }

    /// Returns an item's value; `None` if it does not exist or is damaged.
    pub(crate) async fn get_intact<T: Decoded>(&self, key: Key) -> Result<Option<T>, StoreError> {
        match self.get(key).await {
            Err(StoreError::Damaged(_)) => Ok(None),
            read => read,
        }
    }
}
