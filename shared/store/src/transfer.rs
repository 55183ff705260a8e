//! The move of an organization to another table: its items leave and arrive as they are stored.
//!
//! Items keep their keys, their formats, and everything that this release does not know, so identifiers, links and tags
//! are the same in the other table. API keys and sessions stay behind, and so does the value of the gateway key. The
//! items outside of the partition that lead to members and invitations move with it. The one that leads to its schedules
//! is made from them on arrival: whoever looks moves it at any time, and with it the schedules.
//!
//! Nothing of an organization is visible before it has arrived: it has no record and no keys, and no one leads to it. An
//! item in its partition says how much has arrived, so that an interrupted arrival continues.

use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::ready;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use model::{ImportId, OrganizationId, Timestamp};
use serde::{Deserialize, Serialize};

use super::arriving::Arriving;
use super::billable::StoredChunk;
use super::imports::ImportItem;
use super::invitations::StoredInvitation;
use super::keys::{self, Key, Partition};
use super::kinds::kind_of;
use super::organizations::Registered;
use super::reports::ReportItem;
use super::stored::Stored;
use super::table::{AT_ONCE, Decoded, Found, Item, Transaction, has_expired, item, keeping, understood};
use super::{Membership, Operator, Organization, OrganizationRecord, StoreError, StoredReport, UsersChunk};

/// The attributes of reports, and of pointers to them, that share a part of the body.
const BEGINNING: &str = "beginning";
const SHARED_BODY: &str = "sharedBody";
/// The attribute of the organization that stays behind.
const USAGE_PLAN_KEY: &str = "usagePlanKey";

/// An item as it is stored. As JSON, it has DynamoDB's own form.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredItem(serde_dynamo::Item);

/// A text that an item contains compressed.
pub enum StoredText {
    /// A report, without the name of its tenant.
    Report(Box<StoredReport>),
    /// Some of the billable users of a tenant, as a JSON list. The place is that of the list among the others.
    BillableUsers {
        /// The tenant and the number of the list.
        place: String,
        /// The list.
        json: Vec<u8>,
    },
    /// The outcome of an import, as a JSON object.
    Import(ImportId, Vec<u8>),
}

/// Why an organization does not arrive.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The organization exists, or its partition has items of another origin.
    #[error("organization {0} exists already, or was deleted in part")]
    Exists(OrganizationId),
    /// Another archive of the organization has arrived in part.
    #[error("another archive of organization {0} was imported in part")]
    Unfinished(OrganizationId),
    /// An item belongs to something else.
    #[error("an item does not belong to organization {0}")]
    Foreign(OrganizationId),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// An organization that arrives.
pub struct Arrival {
    organization: Organization,
    arriving: Arriving,
}

impl Operator {
    /// Returns the items of an organization's partition that move with it, in the order of their keys, a page at a time:
    /// all, or those after the position of an item. What has expired stays behind.
    pub fn items(
        &self,
        organization: &OrganizationId,
        after: Option<&str>,
        now: Timestamp,
    ) -> impl Stream<Item = Result<Vec<StoredItem>, StoreError>> + use<> {
        let organization = self.0.organization(organization);
        let moving = move |item: &Item| Key::of(item).is_ok_and(|key| moves(&key)) && !has_expired(item, now);
        let pages = organization.store.items(organization.partition.everything_after(after));
        pages.and_then(move |page| {
            let organization = organization.clone();
            async move { organization.unshared(page.into_iter().filter(moving).collect()).await }
        })
    }

    /// Returns the items that arrive last: those outside of the partition that lead to the members and invitations of the
    /// organization, and the organization itself. `None` if it does not exist.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn last_items(
        &self,
        organization: &OrganizationId,
        now: Timestamp,
    ) -> Result<Option<Vec<StoredItem>>, StoreError> {
        let organization = self.0.organization(organization);
        let Some(mut own) = self.0.get_item(organization.partition.organization()).await? else { return Ok(None) };
        own.remove(USAGE_PLAN_KEY);
        let members = organization.members().await?;
        let members = members.iter().map(|member| keys::membership(&member.identity, organization.id()));
        let invitations = organization.stored_invitations().await?;
        let invitations = invitations.iter().map(|invitation| keys::invitation_lookup(&invitation.hash));
        let leading = stream::iter(members.chain(invitations).collect::<Vec<_>>());
        let leading = leading.map(|key| self.0.get_item(key)).buffered(AT_ONCE);
        let mut items: Vec<_> =
            leading.try_filter_map(|item| ready(Ok(item.filter(|item| !has_expired(item, now))))).try_collect().await?;
        items.push(own);
        Ok(Some(items.into_iter().map(StoredItem::from).collect()))
    }

    /// Returns a text that changes with every change of an organization that is recorded in the audit trail at or after a
    /// moment, and with every step of a removal. Two equal ones around a read mean that it has seen one state.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn state(&self, organization: &OrganizationId, since: Timestamp) -> Result<String, StoreError> {
        let organization = self.0.organization(organization);
        let entries = self.0.keys_of(organization.partition.audit_trail_since(since));
        let entries = entries.try_fold(0_usize, |entries, _| ready(Ok(entries + 1))).await?;
        let mut corrections: Vec<_> = organization.corrections().await?.into_iter().collect();
        corrections.sort();
        Ok(format!("{entries} {:08x}", crc32fast::hash(format!("{corrections:?}").as_bytes())))
    }

    /// Begins the arrival of an organization from an archive, or continues it.
    ///
    /// # Errors
    /// If the organization exists or arrives from another archive, or the store fails.
    pub async fn receive(&self, organization: &OrganizationId, archive: &str) -> Result<Arrival, TransferError> {
        let organization = self.0.organization(organization);
        let (store, partition) = (&organization.store, &organization.partition);
        let found: Option<Arriving> = store.get(partition.arriving()).await?;
        let arriving = match found {
            Some(arriving) if arriving.archive == archive => arriving,
            Some(_) => return Err(TransferError::Unfinished(organization.id)),
            None => {
                let is_empty = store.items(partition.everything()).try_all(|page| ready(page.is_empty())).await?;
                let begun = Arriving { archive: archive.to_owned(), parts: 0 };
                let begin = vec![store.create(partition.arriving(), &begun)?];
                if !is_empty || store.transact(begin).await? != Transaction::Done {
                    return Err(TransferError::Exists(organization.id));
                }
                begun
            }
        };
        Ok(Arrival { organization, arriving })
    }
}

impl Organization {
    /// Returns items with whole reports: a report that shares a part of its body leaves with all of it.
    async fn unshared(&self, mut items: Vec<Item>) -> Result<Vec<StoredItem>, StoreError> {
        let mut sharing = Vec::new();
        for (place, item) in items.iter_mut().enumerate() {
            if item.contains_key(BEGINNING) {
                sharing.push((place, Key::of(item)?, ReportItem::decoded(item.clone())?));
            }
            item.remove(SHARED_BODY);
        }
        let bodies = self.shared_bodies(sharing.iter().map(|(.., report)| report)).await?;
        for (place, key, report) in sharing {
            let shared = report.shared_key(&self.partition).and_then(|of| bodies.get(&of));
            let understood = understood::<ReportItem>(&items[place])?;
            let whole = item(key.clone(), &report.whole(&key, shared)?)?;
            items[place] = keeping(&items[place], understood, whole);
        }
        Ok(items.into_iter().map(StoredItem::from).collect())
    }
}

impl Arrival {
    /// Returns the number of parts that have arrived.
    pub fn parts(&self) -> usize {
        self.arriving.parts
    }

    /// Adds the items of the next part.
    ///
    /// # Errors
    /// If an item belongs to something else, or the store fails.
    pub async fn add(&mut self, items: Vec<StoredItem>) -> Result<(), TransferError> {
        self.write(items, StoredItem::is_part_of).await?;
        self.arriving.parts += 1;
        let Organization { store, partition, .. } = &self.organization;
        Ok(store.put(partition.arriving(), &self.arriving).await?)
    }

    /// Completes the arrival with the items that arrive last, and returns the organization, which has a new key at the
    /// gateway.
    ///
    /// # Errors
    /// If an item belongs to something else, or the store fails.
    pub async fn complete(
        self,
        last: Vec<StoredItem>,
        usage_plan_key: String,
    ) -> Result<OrganizationRecord, TransferError> {
        let Organization { store, partition, id } = &self.organization;
        let foreign = || TransferError::Foreign(id.clone());
        let (own, leading): (Vec<_>, Vec<_>) =
            last.into_iter().partition(|item| item.key().is_ok_and(|key| key == partition.organization()));
        let [own] = <[_; 1]>::try_from(own).map_err(|_| foreign())?;
        let mut own = Item::from(own);
        own.insert(USAGE_PLAN_KEY.to_owned(), AttributeValue::S(usage_plan_key));
        let registered = Registered { organization_id: id.clone() };
        let mut visible = vec![store.create_stored(own), store.create(keys::registered(id), &registered)?];
        visible.extend(self.organization.lead_to(self.organization.schedules().await?.as_ref())?);
        // It exists already if the last attempt was interrupted afterwards.
        store.transact(visible).await?;
        self.write(leading, StoredItem::is_last_of).await?;
        let record = self.organization.record().await?.ok_or_else(foreign)?;
        // One of an earlier release may not be followed yet.
        store.as_operator().watch(id).await?;
        store.delete(partition.arriving()).await?;
        Ok(record)
    }

    /// Writes items that all belong to the organization.
    async fn write(
        &self,
        items: Vec<StoredItem>,
        belongs: fn(&StoredItem, &OrganizationId) -> bool,
    ) -> Result<(), TransferError> {
        let Organization { store, id, .. } = &self.organization;
        if !items.iter().all(|item| belongs(item, id)) {
            return Err(TransferError::Foreign(id.clone()));
        }
        let writes = stream::iter(items).map(|item| store.put_item(item.into())).buffer_unordered(AT_ONCE);
        Ok(writes.try_collect().await?)
    }
}

impl StoredItem {
    /// Returns the position of the item in its partition.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it has no key.
    pub fn position(&self) -> Result<String, StoreError> {
        Ok(self.key()?.sk)
    }

    /// Returns whether the item may be in a part of an archive of an organization.
    pub fn is_part_of(&self, organization: &OrganizationId) -> bool {
        self.key().is_ok_and(|key| Partition::of(organization).holds(&key) && moves(&key))
    }

    /// Returns whether the item may be among the last ones of an archive of an organization: the organization itself, or
    /// an item outside of the partitions that leads to a member or an invitation of it.
    pub fn is_last_of(&self, organization: &OrganizationId) -> bool {
        let Ok(key) = self.key() else { return false };
        if key == Partition::of(organization).organization() {
            return true;
        }
        if key.pk.starts_with(keys::IDENTITIES) {
            let membership = self.read::<Membership>();
            return key.sk == format!("ORG#{organization}")
                && membership.is_ok_and(|membership| membership.value.organization_id == *organization);
        }
        self.read::<StoredInvitation>().is_ok_and(|Found { value: invitation, .. }| {
            key == keys::invitation_lookup(&invitation.hash) && invitation.record.organization_id == *organization
        })
    }

    /// Returns the text that the item contains compressed, if it is of a kind that does.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the item is damaged.
    pub fn text(&self) -> Result<Option<StoredText>, StoreError> {
        let key = self.key()?;
        Ok(match key.sk.split_once('#') {
            Some(("REPORT", _)) => {
                let report = self.read::<ReportItem>()?.value.named(key, String::new(), None)?;
                Some(StoredText::Report(Box::new(report)))
            }
            Some(("BILLABLE", place)) => {
                let json = UsersChunk::from(self.read::<StoredChunk>()?).json()?;
                Some(StoredText::BillableUsers { place: place.to_owned(), json })
            }
            Some(("IMPORT", _)) => {
                let import = self.read::<ImportItem>()?.value;
                let json = import.fragment(key).inflate()?;
                Some(StoredText::Import(import.import_id, json))
            }
            _ => None,
        })
    }

    fn key(&self) -> Result<Key, StoreError> {
        let text = |name| match self.0.get(name) {
            Some(serde_dynamo::AttributeValue::S(text)) => Ok(text.clone()),
            _ => Err(StoreError::Corrupt("an item has no key")),
        };
        Ok(Key { pk: text("pk")?, sk: text("sk")? })
    }

    fn read<T: Stored + Send + 'static>(&self) -> Result<Found<T>, StoreError> {
        Found::decoded(Item::from(self.clone()))
    }
}

/// Returns whether an item with this key moves. Items of a kind that this release does not know do.
fn moves(key: &Key) -> bool {
    kind_of(key).is_none_or(|kind| kind.moves)
}

impl From<Item> for StoredItem {
    fn from(item: Item) -> Self {
        Self(item.into())
    }
}

impl From<StoredItem> for Item {
    fn from(item: StoredItem) -> Self {
        item.0.into()
    }
}

impl fmt::Debug for StoredItem {
    /// Leaves out the content, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredItem").finish_non_exhaustive()
    }
}
