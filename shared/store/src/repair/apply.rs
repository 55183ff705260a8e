//! Makes the changes of a repair.

use std::collections::{BTreeMap, HashSet};

use aws_sdk_dynamodb::types::AttributeValue;
use model::{EventKind, ServiceTenantId};
use serde::Serialize;

use super::tenants::{Listed, Tenants};
use super::{Change, Repair};
use crate::audit::{AuditAction, Deed};
use crate::events::EventContent;
use crate::keys::Key;
use crate::table::{Action, Item, Transaction};
use crate::{AdminWriter, StoreError};

/// Changes of one transaction, which has up to 100 actions: a change can need a check of its report, too.
const AT_ONCE: usize = 40;
/// Size of the items of one transaction in bytes: DynamoDB accepts 4 MB, also of what conditions compare with.
const LARGEST: usize = 3 << 19;

/// The result of a repair: numbers of items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Repaired {
    /// Items that were written as they should be.
    pub rebuilt: usize,
    /// Items that were deleted.
    pub set_aside: usize,
    /// Items that were left, because they or their tenants had changed since they were read.
    pub refused: usize,
}

type Changes = Vec<(Key, Change)>;

impl AdminWriter {
    /// Makes the changes of a repair, with one entry in the audit trail and an event before and after, if there are any.
    ///
    /// Works in steps. After an interruption, plan the repair again: what is done is not found again.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn repair(&self, repair: Repair) -> Result<Repaired, StoreError> {
        let Repair { changes, mut tenants, completes_results, .. } = repair;
        let mut done = Repaired::default();
        if changes.is_empty() {
            return Ok(done);
        }
        let set_aside = changes.values().filter(|change| change.mended.is_none()).count();
        let deed = || {
            let number = |items: usize| Some(items.to_string());
            let deed = Deed::new(AuditAction::DataRepaired, &self.id);
            deed.with("items rebuilt", None, number(changes.len() - set_aside)).with(
                "items set aside",
                None,
                number(set_aside),
            )
        };
        self.commit(Vec::new(), deed).await?;
        // Results whose positions are not those of the list must not be written.
        let relists = changes.contains_key(&self.partition.controls());
        let mut of_tenants: BTreeMap<Option<ServiceTenantId>, Changes> = BTreeMap::new();
        for (key, change) in changes {
            of_tenants.entry(change.tenant.clone()).or_default().push((key, change));
        }
        // The list comes first: without a tenant.
        for (tenant, mut changes) in of_tenants {
            if relists && done.refused > 0 {
                done.refused += changes.extract_if(.., |(key, _)| self.partition.all_results().contains(key)).count();
            }
            self.repair_one(tenant.as_ref(), changes, &mut tenants, &mut done).await?;
        }
        if completes_results && done.refused == 0 {
            self.complete_results().await?;
        }
        // The event of the entry came before the steps: who has read everything since then reads it again.
        if done.rebuilt + done.set_aside > 0 {
            let told = self.tell(self.new_event(), EventKind::DataRepaired, &EventContent::default())?;
            self.store.transact(vec![self.mark_tenants()?, told]).await?;
        }
        Ok(done)
    }

    /// Changes the items that are about one tenant, or about none.
    async fn repair_one(
        &self,
        tenant: Option<&ServiceTenantId>,
        mut changes: Changes,
        tenants: &mut Tenants,
        done: &mut Repaired,
    ) -> Result<(), StoreError> {
        // A tenant that is not removed is changed with each of the others.
        let listed = tenant.filter(|tenant| tenants.listed.contains_key(tenant));
        let own_key = listed.map(|tenant| self.partition.tenant(tenant));
        let place = changes.iter().position(|(key, _)| Some(key) == own_key.as_ref());
        let mut own = place.map(|place| changes.remove(place).1);
        for chunk in chunks(changes) {
            let mut rebuilt = chunk.iter().filter(|(_, change)| change.mended.is_some()).count();
            let set_aside = chunk.len() - rebuilt;
            let own = own.take();
            rebuilt += usize::from(own.is_some());
            let mut actions = self.actions(&chunk)?;
            if let Some(tenant) = tenant {
                actions.extend(self.guards(tenant, &chunk, own, tenants)?);
            }
            match self.store.transact(actions).await? {
                Transaction::Done => {
                    done.rebuilt += rebuilt;
                    done.set_aside += set_aside;
                }
                Transaction::Refused(_) => done.refused += rebuilt + set_aside,
            }
        }
        Ok(())
    }

    /// Returns the actions that change items, if they and the reports that they are derived from are as they were read.
    fn actions(&self, chunk: &[(Key, Change)]) -> Result<Vec<Action>, StoreError> {
        let changed: HashSet<_> = chunk.iter().map(|(key, _)| key).collect();
        let reports: HashSet<_> = chunk.iter().filter_map(|(_, change)| change.report.as_ref()).collect();
        let reports = reports.into_iter().filter(|(key, _)| !changed.contains(key));
        let checks = reports.map(|(key, revision)| self.store.require_revision(key.clone(), *revision));
        let changes = chunk.iter().map(|(key, change)| self.change(key, change));
        Ok(changes.chain(checks).collect())
    }

    fn change(&self, key: &Key, Change { original, mended, .. }: &Change) -> Action {
        self.store.replace_stored(key.clone(), original.as_ref(), mended.clone())
    }

    /// Returns the actions that let a tenant have a new version, if it still has the version that was read, and mark its
    /// changes.
    fn guards(
        &self,
        id: &ServiceTenantId,
        chunk: &[(Key, Change)],
        own: Option<Change>,
        tenants: &mut Tenants,
    ) -> Result<Vec<Action>, StoreError> {
        let mut actions = vec![self.mark_reports(id)?, self.mark_tenants()?];
        let Some(Listed { record, version }) = tenants.listed.get_mut(id) else {
            let removed = self.partition.removed_tenant(id);
            if !chunk.iter().any(|(key, _)| *key == removed) {
                actions.push(self.store.require(removed));
            }
            return Ok(actions);
        };
        let key = self.partition.tenant(id);
        if let (None, Some(Change { original, mended, .. })) = (*version, own) {
            *version = Some(record.version);
            actions.push(self.store.replace_stored(key, original.as_ref(), mended));
            return Ok(actions);
        }
        let seen = version.unwrap_or(record.version);
        record.version = seen + 1;
        *version = Some(record.version);
        actions.push(self.store.replace(key, record, seen)?);
        Ok(actions)
    }
}

/// Divides changes into those of one transaction each.
fn chunks(changes: Changes) -> Vec<Changes> {
    let (mut chunks, mut size) = (vec![Vec::new()], 0);
    for (key, change) in changes {
        let added = [&change.original, &change.mended].into_iter().flatten().map(size_of).sum::<usize>();
        if chunks.last().is_some_and(|chunk: &Changes| chunk.len() == AT_ONCE || size + added > LARGEST) {
            chunks.push(Vec::new());
            size = 0;
        }
        size += added;
        if let Some(chunk) = chunks.last_mut() {
            chunk.push((key, change));
        }
    }
    chunks
}

/// Returns about how many bytes an item has.
fn size_of(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + size_of_value(value)).sum()
}

fn size_of_value(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::M(fields) => size_of(fields),
        AttributeValue::L(elements) => elements.iter().map(size_of_value).sum(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;

    use super::*;

    /// Returns how many changes each transaction has, of items with a value.
    fn lengths(changes: u32, value: &AttributeValue) -> Vec<usize> {
        let item = Item::from([("name".to_owned(), value.clone())]);
        let change = |number: u32| {
            let key = Key { pk: "ORG#org_1".to_owned(), sk: format!("TENANT#ten_{number}") };
            (key, Change { original: Some(item.clone()), mended: None, tenant: None, report: None })
        };
        chunks((0..changes).map(change).collect()).iter().map(Vec::len).collect()
    }

    #[test]
    fn a_transaction_has_at_most_40_changes() {
        assert_eq!(lengths(81, &AttributeValue::Null(true)), [40, 40, 1]);
        assert_eq!(lengths(80, &AttributeValue::Null(true)), [40, 40]);
    }

    #[test]
    fn a_transaction_has_at_most_one_and_a_half_megabytes() {
        // Two items with a name of four bytes.
        let half = LARGEST / 2 - 4;
        let text = |size: usize| AttributeValue::S("x".repeat(size));
        let values: [&dyn Fn(usize) -> AttributeValue; 4] = [
            &text,
            &|size| AttributeValue::B(Blob::new(vec![0; size])),
            &|size| AttributeValue::L(vec![AttributeValue::Bool(true), text(size - 8)]),
            &|size| AttributeValue::M([("part".to_owned(), text(size - 4))].into()),
        ];
        for value in values {
            assert_eq!(lengths(5, &value(half)), [2, 2, 1]);
            assert_eq!(lengths(3, &value(half + 1)), [1, 1, 1]);
        }
    }
}
