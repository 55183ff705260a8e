//! API keys: found by their hash, listed and managed by their organization.

use chrono::NaiveDate;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::{AT_ONCE, Transaction};
use super::{AdminWriter, Organization, Store, StoreError, keys};
use model::{ApiKey, DisplayName, KeyHash, KeyId, KeyScope, OrganizationId, ServiceTenantId, Timestamp, Wire};

/// The attribute of a look-up with the day of the key's last use.
const LAST_USED_ON: &str = "lastUsedOn";

/// The access that a key grants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LookUp", into = "LookUp")]
pub struct Access {
    /// The organization that owns the key.
    pub organization_id: OrganizationId,
    /// The rights of the key there.
    pub rights: KeyRights,
    /// The key.
    pub key_id: KeyId,
    /// Value of the gateway key whose usage plan entry limits the organization.
    pub usage_plan_key: String,
    /// The last day on which the key was used.
    pub last_used_on: Option<NaiveDate>,
}

/// The rights of a key in its organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRights {
    /// Read everything.
    Read,
    /// Import files: of one tenant, or of all.
    Import(Option<ServiceTenantId>),
}

/// The item by which a key is found.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LookUp {
    /// The organization of a key that reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    organization_id: Option<OrganizationId>,
    /// The organization of a key that imports. A release without scopes takes every key for one that reads: it finds no
    /// organization here, and refuses the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imports_into: Option<OrganizationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service_tenant_id: Option<ServiceTenantId>,
    key_id: KeyId,
    usage_plan_key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_used_on: Option<NaiveDate>,
}

impl TryFrom<LookUp> for Access {
    type Error = &'static str;

    fn try_from(found: LookUp) -> Result<Self, Self::Error> {
        let LookUp { organization_id, imports_into, service_tenant_id, key_id, usage_plan_key, last_used_on } = found;
        let (organization_id, rights) = match (organization_id, imports_into) {
            (Some(organization), None) => (organization, KeyRights::Read),
            (None, Some(organization)) => (organization, KeyRights::Import(service_tenant_id)),
            _ => return Err("the key grants nothing that this release knows"),
        };
        Ok(Self { organization_id, rights, key_id, usage_plan_key, last_used_on })
    }
}

impl From<Access> for LookUp {
    fn from(Access { organization_id, rights, key_id, usage_plan_key, last_used_on }: Access) -> Self {
        let (organization_id, imports_into, service_tenant_id) = match rights {
            KeyRights::Read => (Some(organization_id), None, None),
            KeyRights::Import(tenant) => (None, Some(organization_id), tenant),
        };
        Self { organization_id, imports_into, service_tenant_id, key_id, usage_plan_key, last_used_on }
    }
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
    /// Its rights.
    #[serde(default)]
    pub scope: KeyScope,
    /// The only tenant that it imports for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tenant_id: Option<ServiceTenantId>,
}

impl ApiKeyListing {
    pub(crate) fn new(key_id: KeyId, description: Option<String>, created_at: Timestamp, rights: &KeyRights) -> Self {
        let (scope, service_tenant_id) = match rights {
            KeyRights::Read => (KeyScope::Read, None),
            KeyRights::Import(tenant) => (KeyScope::Import, tenant.clone()),
        };
        Self { key_id, description, created_at, scope, service_tenant_id }
    }

    /// Returns what the key may do, or `None` if this release does not know it.
    pub(crate) fn rights(&self) -> Option<KeyRights> {
        match self.scope {
            KeyScope::Read => Some(KeyRights::Read),
            KeyScope::Import => Some(KeyRights::Import(self.service_tenant_id.clone())),
            KeyScope::Unknown => None,
        }
    }
}

/// A key as listed, with its last use.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyInUse {
    /// The key.
    #[serde(flatten)]
    pub listing: ApiKeyListing,
    /// The last day on which it was used. `None` if it never was, since days are noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_on: Option<NaiveDate>,
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
    /// The organization has no such tenant to import for.
    #[error("the organization has no such tenant")]
    NoTenant,
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

    /// Notes the day on which a key is used, unless it is noted already or the key was deleted.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn note_use(&self, key: &ApiKey, on: NaiveDate) -> Result<(), StoreError> {
        self.advance(keys::key_lookup(&key.hash()), LAST_USED_ON, &on.to_string()).await
    }
}

impl Access {
    /// Returns whether a use on a day has to be noted: once a day.
    pub fn is_first_use(&self, on: NaiveDate) -> bool {
        self.last_used_on.is_none_or(|last| last < on)
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

    /// Returns a key, or `None` if there is none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn key(&self, id: &KeyId) -> Result<Option<ApiKeyListing>, StoreError> {
        self.store.get(self.partition.api_key(id)).await
    }

    /// Returns all keys with their last uses, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn keys_in_use(&self) -> Result<Vec<KeyInUse>, StoreError> {
        let stored: Vec<StoredKey> = self.store.all(self.partition.api_keys()).await?;
        let in_use = stored.into_iter().map(|StoredKey { listing, hash }| async move {
            let access: Option<Access> = self.store.get(keys::key_lookup(&hash)).await?;
            Ok(KeyInUse { listing, last_used_on: access.and_then(|access| access.last_used_on) })
        });
        stream::iter(in_use).buffered(AT_ONCE).try_collect().await
    }
}

impl AdminWriter {
    /// Creates a key that reads. Its look-up and its listing are written together or not at all.
    ///
    /// # Errors
    /// If the organization does not exist or the store fails.
    pub async fn create_key(&self, description: Option<DisplayName>) -> Result<CreatedKey, KeyError> {
        self.create_key_for(description, KeyRights::Read).await
    }

    /// Creates a key for what it may do, like [`Self::create_key`].
    ///
    /// # Errors
    /// If the organization or the tenant does not exist or the store fails.
    pub async fn create_key_for(
        &self,
        description: Option<DisplayName>,
        rights: KeyRights,
    ) -> Result<CreatedKey, KeyError> {
        let organization = self.record().await?.ok_or(KeyError::NoOrganization)?;
        if let KeyRights::Import(Some(tenant)) = &rights
            && self.tenant(tenant).await?.is_none()
        {
            return Err(KeyError::NoTenant);
        }
        let key = ApiKey::generate().map_err(|_| StoreError::NoRandomness)?;
        let description = description.map(String::from);
        let listing = ApiKeyListing::new(KeyId::generate(self.at), description, self.at, &rights);
        let access = Access {
            organization_id: self.id.clone(),
            rights,
            key_id: listing.key_id.clone(),
            usage_plan_key: organization.usage_plan_key,
            last_used_on: None,
        };
        let stored = StoredKey { listing: listing.clone(), hash: key.hash() };
        let actions = vec![
            self.store.require(self.partition.organization()),
            self.store.create(self.partition.api_key(&listing.key_id), &stored)?,
            self.store.create(keys::key_lookup(&stored.hash), &access)?,
        ];
        let deed = || {
            let (description, tenant) = (listing.description.clone(), listing.service_tenant_id.as_ref());
            let deed = Deed::new(AuditAction::ApiKeyCreated, &listing.key_id).with("description", None, description);
            match listing.scope {
                KeyScope::Import => {
                    let deed = deed.with("scope", None, Some(Wire(listing.scope).to_string()));
                    deed.with("tenant", None, tenant.map(ToString::to_string))
                }
                KeyScope::Read | KeyScope::Unknown => deed,
            }
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

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn a_key_that_imports_has_no_organization_for_a_release_without_scopes() {
        let tenant = || Some("ten_1".parse().unwrap());
        for (rights, organization) in [
            (KeyRights::Read, json!("org_1")),
            (KeyRights::Import(None), json!(null)),
            (KeyRights::Import(tenant()), json!(null)),
        ] {
            let (organization_id, key_id) = ("org_1".parse().unwrap(), "key_1".parse().unwrap());
            let access =
                Access { organization_id, rights, key_id, usage_plan_key: "value".to_owned(), last_used_on: None };
            let stored = to_value(&access).unwrap();
            assert_eq!(stored["organizationId"], organization);
            assert_eq!(from_value::<Access>(stored).unwrap(), access);
        }
        let earlier = json!({ "organizationId": "org_1", "keyId": "key_1", "usagePlanKey": "value" });
        assert_eq!(from_value::<Access>(earlier).unwrap().rights, KeyRights::Read);
    }

    #[test]
    fn a_key_that_grants_nothing_known_is_refused() {
        for organizations in [json!({}), json!({ "organizationId": "org_1", "importsInto": "org_1" })] {
            let mut stored = json!({ "keyId": "key_1", "usagePlanKey": "value" });
            stored.as_object_mut().unwrap().extend(organizations.as_object().unwrap().clone());
            assert!(from_value::<Access>(stored.clone()).is_err(), "{stored}");
        }
    }
}
