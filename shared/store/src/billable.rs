//! Billable users of a tenant: chunks stored ready to send, and one record that names them.

use backon::Retryable;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::keys::Key;
use super::recording::{self, RecordedItem, whole};
use super::table::{CONTENDERS, Found, Order, backoff};
use super::tenant_changes::came_between;
use super::{Fragment, ITEM_LIMIT, Organization, StoreError, TenantError, TenantRecord, Writer};
use model::{BillableUser, BillableUsersHead, ServiceTenantId, Timestamp};

/// Users per chunk. A user has about 400 bytes of text, and a quarter of that deflated, so a chunk is far below the
/// limit of an item.
const CHUNK: usize = 500;

/// The billable users recorded for a tenant.
pub struct BillableUsers {
    /// When they were recorded.
    pub generated_at: Timestamp,
    /// Name of the recording, unique.
    pub recording: String,
    /// The users, in recorded order.
    pub users: BoxStream<'static, Result<Vec<UsersChunk>, StoreError>>,
}

/// Some of a tenant's billable users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsersChunk {
    /// Number of users.
    pub users: usize,
    /// Their JSON texts with commas between them.
    pub fragment: Fragment,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BillableRecord {
    generated_at: Timestamp,
    version: u64,
    pub(super) recording: String,
    pub(super) chunks: usize,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredChunk {
    users: usize,
    crc32: u32,
    length: u64,
    /// The users' JSON texts with commas between them, deflated.
    #[serde(with = "serde_bytes")]
    deflated: Vec<u8>,
}

impl StoredChunk {
    fn new(users: &[BillableUser]) -> Result<Self, StoreError> {
        let text = serde_json::to_vec(users).map_err(|_| StoreError::Corrupt("users cannot be written"))?;
        let Fragment { deflated, crc32, length, .. } = Fragment::stored(&text[1..text.len() - 1]);
        if deflated.len() + 1024 > ITEM_LIMIT {
            return Err(StoreError::TooLarge { what: "a chunk of billable users", size: deflated.len() });
        }
        Ok(Self { users: users.len(), crc32, length, deflated: deflated.into() })
    }
}

impl UsersChunk {
    /// Reads the users.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the stored bytes are damaged.
    pub fn open(&self) -> Result<Vec<BillableUser>, StoreError> {
        let users: Result<Vec<_>, _> = serde_json::from_slice(&self.json()?);
        let users = users.ok().filter(|users| users.len() == self.users);
        users.ok_or_else(|| self.fragment.unexpected("a chunk of users has an unexpected shape"))
    }

    /// Returns the users as a JSON list.
    pub(crate) fn json(&self) -> Result<Vec<u8>, StoreError> {
        Ok([b"[".as_slice(), &self.fragment.inflate()?, b"]"].concat())
    }
}

impl StoredChunk {
    /// Reads the users of the item with a key.
    pub(super) fn examined(self, key: Key) -> Result<(), StoreError> {
        UsersChunk::from(Found { key, value: self }).open().map(drop)
    }
}

impl From<Found<StoredChunk>> for UsersChunk {
    fn from(Found { key, value: StoredChunk { users, crc32, length, deflated } }: Found<StoredChunk>) -> Self {
        Self { users, fragment: Fragment::of_item(key, deflated, crc32, length) }
    }
}

impl BillableUsers {
    /// Returns the part of a response that precedes the users.
    pub fn head(&self, tenant: &TenantRecord) -> BillableUsersHead {
        BillableUsersHead {
            tenant_id: tenant.service_tenant_id.clone(),
            tenant_display_name: tenant.name.clone(),
            microsoft_tenant_id: tenant.provider_tenant_id.clone(),
            provider_tenant_id: tenant.provider_tenant_id.clone(),
            report_generated_at: self.generated_at,
        }
    }

    /// Returns the users that are billed: none for a paused tenant.
    pub fn billed(self, tenant: &TenantRecord) -> BoxStream<'static, Result<Vec<UsersChunk>, StoreError>> {
        if tenant.is_paused { stream::empty().boxed() } else { self.users }
    }

    /// Reads the users that are billed.
    ///
    /// # Errors
    /// As reads of the store. [`StoreError::Damaged`] if the stored bytes are damaged.
    pub async fn read(self, tenant: &TenantRecord) -> Result<Vec<BillableUser>, StoreError> {
        let chunks: Vec<_> = self.billed(tenant).try_concat().await?;
        Ok(chunks.iter().map(UsersChunk::open).collect::<Result<Vec<_>, _>>()?.concat())
    }
}

impl Organization {
    /// Returns the billable users recorded for a tenant, or `None` if none were recorded.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn billable_users(&self, tenant: &ServiceTenantId) -> Result<Option<BillableUsers>, StoreError> {
        Ok(self.billable_record(tenant).await?.map(|record| {
            let range = self.partition.billable_chunks(tenant, &record.recording);
            let pages = self.store.query::<Found<StoredChunk>>(range, Order::OldestFirst, &[]);
            let chunks = whole(pages, record.chunks).map_ok(|page| page.into_iter().map(UsersChunk::from).collect());
            BillableUsers { generated_at: record.generated_at, recording: record.recording, users: chunks.boxed() }
        }))
    }

    /// Returns whether all chunks exist that the record of a tenant's billable users counts. True without a record that
    /// can be read.
    pub(super) async fn has_whole_billable_users(&self, tenant: &ServiceTenantId) -> Result<bool, StoreError> {
        let record: Option<BillableRecord> = self.store.get_intact(self.partition.billable_users(tenant)).await?;
        let Some(record) = record else { return Ok(true) };
        let chunks = self.store.keys_of(self.partition.billable_chunks(tenant, &record.recording));
        Ok(chunks.try_collect::<Vec<_>>().await?.len() == record.chunks)
    }

    async fn billable_record(&self, tenant: &ServiceTenantId) -> Result<Option<BillableRecord>, StoreError> {
        self.store.get(self.partition.billable_users(tenant)).await
    }
}

impl Writer {
    /// Records the billable users of a tenant and replaces the previous recording.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant, also if it is removed meanwhile, or the store fails. The
    /// previous recording then remains.
    pub async fn record_billable_users(
        &self,
        tenant: &ServiceTenantId,
        users: &[BillableUser],
    ) -> Result<(), TenantError> {
        let chunks = users.chunks(CHUNK).map(StoredChunk::new).collect::<Result<Vec<_>, _>>()?;
        let attempt = || async {
            if self.tenant(tenant).await?.is_none() {
                return Err(TenantError::NotFound(tenant.to_string()));
            }
            let seen = self.billable_record(tenant).await?.map(|record| record.version);
            let (version, recording) = recording::after(seen, self.at);
            let key = |chunk| self.partition.billable_chunk(tenant, &recording, chunk);
            // A chunk is no successor of an earlier one: it has other users.
            let item = |(number, chunk): (_, &StoredChunk)| RecordedItem {
                key: key(number),
                earlier: None,
                value: chunk.clone(),
            };
            let items = chunks.iter().enumerate().map(item).collect();
            let own = self.partition.billable_chunks(tenant, &recording);
            let record = BillableRecord { generated_at: self.at, version, chunks: chunks.len(), recording };
            let record = self.store.succeed(self.partition.billable_users(tenant), &record, seen)?;
            // An erasure that has begun since would not find what is recorded now.
            let record = vec![record, self.store.require(self.partition.tenant(tenant))];
            let deed = Deed::new(AuditAction::BillableUsersRecorded, tenant);
            Ok(self.record_items(items, record, (self.partition.billable_recordings(tenant), own), deed).await?)
        };
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}
