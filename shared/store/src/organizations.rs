//! Organizations, and the register that lists them for the operator.

use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};

use super::table::{Consistency, Order, Transaction, page_items};
use super::{Organization, Store, StoreError, keys};
use model::{OrganizationId, Timestamp};

/// An organization, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationRecord {
    /// Identifier.
    pub organization_id: OrganizationId,
    /// Display name.
    pub name: String,
    /// Value of the gateway key whose usage plan entry limits the organization.
    pub usage_plan_key: String,
    /// When the organization was made.
    pub created_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Registered {
    organization_id: OrganizationId,
}

impl Store {
    /// Makes an organization, whole or not at all. False where its identifier is taken.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn create_organization(&self, record: &OrganizationRecord) -> Result<bool, StoreError> {
        let id = &record.organization_id;
        let actions = vec![
            self.create(self.organization(id).partition.organization(), record)?,
            self.create(keys::registered(id), &Registered { organization_id: id.clone() })?,
        ];
        match self.transact(actions).await? {
            Transaction::Done => Ok(true),
            Transaction::Refused(_) => Ok(false),
        }
    }

    /// All organizations, oldest first: for the operator alone.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn organizations(&self) -> Result<Vec<OrganizationRecord>, StoreError> {
        let registered = self.query(keys::register(), Order::OldestFirst, Consistency::Strong, None);
        let registered: Vec<Registered> = registered.map_ok(page_items).try_flatten().try_collect().await?;
        let mut organizations = Vec::with_capacity(registered.len());
        for Registered { organization_id } in registered {
            // One that is deleted in this moment is no longer there.
            organizations.extend(self.organization(&organization_id).record().await?);
        }
        Ok(organizations)
    }
}

impl Organization {
    /// The organization itself.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn record(&self) -> Result<Option<OrganizationRecord>, StoreError> {
        self.store.get(self.partition.organization(), Consistency::Strong).await
    }

    /// The name of an organization that exists, as one that owns a key does.
    ///
    /// # Errors
    /// When the organization is missing or the store fails.
    pub async fn name(&self) -> Result<String, StoreError> {
        let record = self.record().await?.ok_or(StoreError::Corrupt("the organization of a key is missing"))?;
        Ok(record.name)
    }
}
