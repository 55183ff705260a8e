//! API keys: found by their hash, listed and managed by their organization.

use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::Transaction;
use super::{AdminWriter, Organization, Store, StoreError, keys};
use model::{ApiKey, DisplayName, KeyHash, KeyId, OrganizationId, Timestamp};

/// The access that a key grants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// The organization that owns the key.
    pub organization_id: OrganizationId,
    /// The key.
    pub key_id: KeyId,
    /// Value of the gateway key whose usage plan entry limits the organization.
    pub usage_plan_key: String,
}

/// A key as listed. Nothing in it reveals the key's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyListing {
    /// Identifier, for deletion.
    pub key_id: KeyId,
    /// Purpose of the key.
    pub description: Option<String>,
    /// When the key was created.
    pub created_at: Timestamp,
}

/// A new key, the only place with its text.
#[derive(Debug)]
pub struct CreatedKey {
    /// The full key, to be shown once.
    pub key: ApiKey,
    /// The key as listed from now on.
    pub listing: ApiKeyListing,
}

/// Why a key was not created or deleted.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The organization does not exist.
    #[error("the organization does not exist")]
    NoOrganization,
    /// The organization has no such key.
    #[error("the organization has no such API key")]
    NotFound,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredKey {
    #[serde(flatten)]
    pub(super) listing: ApiKeyListing,
    pub(super) hash: KeyHash,
}

impl Store {
    /// Returns the access that a key grants, or `None` if it was never created or is deleted.
    ///
    /// The read is strongly consistent, so a deleted key fails on the next request.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn access(&self, key: &ApiKey) -> Result<Option<Access>, StoreError> {
        self.get(keys::key_lookup(&key.hash())).await
    }
}

impl Organization {
    /// Returns all keys, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn keys(&self) -> Result<Vec<ApiKeyListing>, StoreError> {
        self.store.all(self.partition.api_keys()).await
    }
}

impl AdminWriter {
    /// Creates a key. Its look-up and its listing are written together or not at all.
    ///
    /// # Errors
    /// If the organization does not exist or the store fails.
    pub async fn create_key(&self, description: Option<DisplayName>) -> Result<CreatedKey, KeyError> {
        let organization = self.record().await?.ok_or(KeyError::NoOrganization)?;
        let key = ApiKey::generate().map_err(|_| StoreError::NoRandomness)?;
        let description = description.map(String::from);
        let listing = ApiKeyListing { key_id: KeyId::generate(self.at), description, created_at: self.at };
        let access = Access {
            organization_id: self.id.clone(),
            key_id: listing.key_id.clone(),
            usage_plan_key: organization.usage_plan_key,
        };
        let stored = StoredKey { listing: listing.clone(), hash: key.hash() };
        let actions = vec![
            self.store.require(self.partition.organization()),
            self.store.create(self.partition.api_key(&listing.key_id), &stored)?,
            self.store.create(keys::key_lookup(&stored.hash), &access)?,
        ];
        let deed = || {
            let description = listing.description.clone();
            Deed::new(AuditAction::ApiKeyCreated, &listing.key_id).with("description", None, description)
        };
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok(CreatedKey { key, listing }),
            Transaction::Refused(_) => Err(KeyError::NoOrganization),
        }
    }

    /// Deletes a key. It takes effect with the next request and cannot be undone.
    ///
    /// # Errors
    /// If there is no such key or the store fails.
    pub async fn delete_key(&self, id: &KeyId) -> Result<(), KeyError> {
        let listed = self.partition.api_key(id);
        let stored: StoredKey = self.store.get(listed.clone()).await?.ok_or(KeyError::NotFound)?;
        let actions = vec![self.store.erase(keys::key_lookup(&stored.hash)), self.store.erase_existing(listed)];
        let deed = || {
            let description = stored.listing.description.clone();
            Deed::new(AuditAction::ApiKeyDeleted, id).with("description", description, None)
        };
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok(()),
            // Another caller has deleted it since it was read.
            Transaction::Refused(_) => Err(KeyError::NotFound),
        }
    }
}
