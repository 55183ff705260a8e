//! Everything that a repair reads, and the differences between it and what should exist.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::TryStreamExt;
use model::ServiceTenantId;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Change, Plan};
use crate::check::{LATER, damage_of, owner};
use crate::keys::{Key, Range};
use crate::kinds::kind_of;
use crate::table::{Decoded, FORMAT, Item, format_of, item, keeping};
use crate::{Discrepancy, Organization, StoreError};

/// The items of an organization, and those outside of organizations that are about it.
pub(super) struct Contents {
    items: BTreeMap<Key, Read>,
    /// Look-ups that the organization's items lead to, but that name another organization.
    foreign: BTreeSet<Key>,
}

/// An item as read.
pub(super) struct Read {
    pub(super) item: Item,
    pub(super) state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Intact,
    Damaged,
    /// A later release wrote it, and this release cannot read it.
    Later,
}

impl Contents {
    pub(super) async fn read(organization: &Organization) -> Result<Self, StoreError> {
        let mut contents = Self { items: BTreeMap::new(), foreign: BTreeSet::new() };
        contents.read_range(organization, organization.partition.everything()).await?;
        let expected = contents.lookups_of(organization);
        let mut pages = std::pin::pin!(organization.store.outside());
        while let Some(page) = pages.try_next().await? {
            for item in page {
                let key = Key::of(&item)?;
                let owner = owner(&key, &item);
                if owner.as_ref() == Some(&organization.id) || (owner.is_none() && expected.contains(&key)) {
                    contents.items.insert(key, Read::new(item)?);
                } else if expected.contains(&key) {
                    contents.foreign.insert(key);
                }
            }
        }
        Ok(contents)
    }

    /// Reads the items of a range, also those that were read before.
    pub(super) async fn read_range(&mut self, organization: &Organization, range: Range) -> Result<(), StoreError> {
        let mut pages = std::pin::pin!(organization.store.items(range));
        while let Some(page) = pages.try_next().await? {
            for item in page {
                let key = Key::of(&item)?;
                let mut read = Read::new(item)?;
                // Bodies of intact reports are most of the data, and do not change.
                if read.state == State::Intact && organization.partition.all_reports().contains(&key) {
                    read.item.remove("tail");
                }
                self.items.insert(key, read);
            }
        }
        Ok(())
    }

    pub(super) fn get(&self, key: &Key) -> Option<&Read> {
        self.items.get(key)
    }

    /// Returns the items of a range, in the order of their keys.
    pub(super) fn range(&self, Range { pk, first, last }: Range) -> impl Iterator<Item = (&Key, &Read)> {
        self.items.range(Key { pk: pk.clone(), sk: first }..=Key { pk, sk: last })
    }

    /// Returns the keys of a range's items.
    pub(super) fn keys(&self, range: Range) -> Vec<Key> {
        self.range(range).map(|(key, _)| key.clone()).collect()
    }

    /// Returns the items outside of organizations whose partition keys have a prefix.
    pub(super) fn outside(&self, prefix: &'static str) -> impl Iterator<Item = (&Key, &Read)> {
        self.items.iter().filter(move |(key, _)| key.pk.starts_with(prefix))
    }

    /// Returns the values of those items of a range that can be used.
    pub(super) fn intact<T: Decoded>(&self, range: Range) -> Vec<T> {
        self.range(range).filter_map(|(_, read)| read.value()).collect()
    }

    /// Returns the value of an item, if it can be used.
    pub(super) fn value<T: Decoded>(&self, key: &Key) -> Option<T> {
        self.get(key)?.value()
    }

    pub(super) fn is_later(&self, key: &Key) -> bool {
        self.get(key).is_some_and(|read| read.state == State::Later)
    }

    pub(super) fn is_foreign(&self, key: &Key) -> bool {
        self.foreign.contains(key)
    }

    /// Returns the keys of the items that cannot be used.
    pub(super) fn damaged(&self) -> Vec<Key> {
        let damaged = self.items.iter().filter(|(_, read)| read.state == State::Damaged);
        damaged.map(|(key, _)| key.clone()).collect()
    }

    /// Returns the items that a later release wrote and this release cannot read.
    pub(super) fn later(&self) -> impl Iterator<Item = Discrepancy> {
        let later = self.items.iter().filter(|(_, read)| read.state == State::Later);
        later.map(|(key, _)| Discrepancy { subject: key.to_string(), what: LATER })
    }
}

impl Read {
    fn new(item: Item) -> Result<Self, StoreError> {
        let state = match damage_of(&item)? {
            None => State::Intact,
            Some(_) if format_of(&item) > FORMAT => State::Later,
            Some(_) => State::Damaged,
        };
        Ok(Self { item, state })
    }

    /// Returns the value, if the item can be used.
    pub(super) fn value<T: Decoded>(&self) -> Option<T> {
        if self.state == State::Intact { T::decoded(self.item.clone()).ok() } else { None }
    }

    /// Returns one attribute, if it can be read, whatever the others are.
    pub(super) fn part<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_dynamo::from_attribute_value(self.item.get(name)?.clone()).ok()
    }
}

impl Plan<'_> {
    /// Lets an item have a value, unless it has it already or a later release wrote it.
    pub(super) fn expect<T: Serialize>(
        &mut self,
        key: Key,
        value: &T,
        tenant: Option<&ServiceTenantId>,
    ) -> Result<(), StoreError> {
        let mut mended = item(key.clone(), value)?;
        let read = self.contents.get(&key);
        match read.map(|read| read.state) {
            Some(State::Later) => return Ok(()),
            Some(State::Intact) => {
                let stored = &self.contents.items[&key].item;
                let kind = kind_of(&key).ok_or(StoreError::Corrupt("an item to repair has no kind"))?;
                let understood = (kind.understood)(stored)?;
                if understood == (kind.understood)(&mended)? {
                    return Ok(());
                }
                mended = keeping(stored, understood, mended);
            }
            // A damaged item has no parts to keep.
            Some(State::Damaged) | None => {}
        }
        let original = read.map(|read| read.item.clone());
        let change = Change { original, mended: Some(mended), tenant: tenant.cloned(), report: None };
        self.changes.entry(key).or_insert(change);
        Ok(())
    }

    /// Sets an item aside, if it exists and no later release wrote it.
    pub(super) fn set_aside(&mut self, key: &Key, tenant: Option<ServiceTenantId>) {
        if let Some(read) = self.contents.get(key).filter(|read| read.state != State::Later) {
            let change = Change { original: Some(read.item.clone()), mended: None, tenant, report: None };
            self.changes.entry(key.clone()).or_insert(change);
        }
    }
}
