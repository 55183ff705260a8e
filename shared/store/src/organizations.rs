//! Organizations, and the register that lists them for the operator.

use std::future::ready;
use std::pin::pin;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::results::{Controls, ControlsItem};
use super::table::{AT_ONCE, Transaction};
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
    /// When the organization was created.
    pub created_at: Timestamp,
}

/// Why an organization was not created or deleted.
#[derive(Debug, thiserror::Error)]
pub enum OrganizationError {
    /// An organization with that identifier already exists.
    #[error("organization {0} already exists")]
    Exists(OrganizationId),
    /// The organization does not exist.
    #[error("organization {0} does not exist")]
    NotFound(OrganizationId),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Operations of the operator alone: create, list and delete organizations.
#[derive(Debug)]
pub struct Operator(pub(crate) Store);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Registered {
    pub(super) organization_id: OrganizationId,
}

impl Store {
    /// Returns what only the operator may do. No endpoint and no page calls it.
    pub fn as_operator(&self) -> Operator {
        Operator(self.clone())
    }
}

impl Operator {
    /// Creates an organization, completely or not at all.
    ///
    /// # Errors
    /// [`OrganizationError::Exists`] if its identifier is taken, or the store fails.
    pub async fn create_organization(&self, record: &OrganizationRecord) -> Result<(), OrganizationError> {
        let (Self(store), id) = (self, &record.organization_id);
        let partition = &store.organization(id).partition;
        // Reports that were written before the organization have no results yet.
        let has_reports = pin!(store.keys_of(partition.all_newest_of_tools())).try_next().await?.is_some();
        let actions = vec![
            store.create(partition.organization(), record)?,
            store.create(keys::registered(id), &Registered { organization_id: id.clone() })?,
            store.create(partition.controls(), &ControlsItem::new(0, !has_reports, &Controls::default())?)?,
        ];
        match store.transact(actions).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(_) => Err(OrganizationError::Exists(id.clone())),
        }
    }

    /// Returns all organizations, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn organizations(&self) -> Result<Vec<OrganizationRecord>, StoreError> {
        let Self(store) = self;
        let registered: Vec<Registered> = store.all(keys::register()).await?;
        let records = stream::iter(registered)
            .map(|Registered { organization_id: id }| async move { store.organization(&id).record().await })
            .buffered(AT_ONCE);
        // An organization that is being deleted may no longer exist.
        records.try_filter_map(|record| ready(Ok(record))).try_collect().await
    }
}

impl Operator {
    /// Returns the identifiers of all organizations, oldest first, also of those whose data is damaged.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn organization_ids(&self) -> Result<Vec<OrganizationId>, StoreError> {
        let keys: Vec<_> = self.0.keys_of(keys::register()).try_collect().await?;
        Ok(keys.into_iter().filter_map(|key| key.sk.parse().ok()).collect())
    }
}

impl Organization {
    /// Returns the organization itself, or `None` if it does not exist.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record(&self) -> Result<Option<OrganizationRecord>, StoreError> {
        self.store.get(self.partition.organization()).await
    }

    /// Returns the organization's name. For an organization that must exist, because it owns a key.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the organization does not exist, or the store fails.
    pub async fn name(&self) -> Result<String, StoreError> {
        let record = self.record().await?.ok_or(StoreError::Corrupt("the organization of a key is missing"))?;
        Ok(record.name)
    }
}
