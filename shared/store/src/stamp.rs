//! The format of a data file, and the release that wrote it.
//!
//! A table in AWS is shared by releases: during a deployment, and after a rollback. A data file has one writer at a time,
//! so the file itself says whether a release may use it.

use std::pin::pin;

use futures_util::TryStreamExt;
use model::{Actor, OrganizationId, Timestamp};
use serde::{Deserialize, Serialize};

use super::table::{FORMAT, Upgrade};
use super::{Operator, StoreError, keys};

/// The stamp of a data file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stamp {
    format: u32,
    release: String,
}

/// Why a data file is not used. It is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A later release wrote it, in a format that this release may misread.
    #[error(
        "the data was written by release {release} in format {format}, but this release reads formats up to {FORMAT}: \
         use release {release} or a later one, or another file"
    )]
    Newer {
        /// Format of the data.
        format: u32,
        /// The release that wrote it last.
        release: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Operator {
    /// Prepares the data of a file for this release: rewrites items of earlier formats, and records the release that
    /// writes the file from now on. Returns what was rewritten.
    ///
    /// # Errors
    /// [`DataError::Newer`] if a later format is in use, or the store fails.
    pub async fn take_over(&self, release: &str) -> Result<Upgrade, DataError> {
        let Self(store) = self;
        let stamp: Option<Stamp> = store.get(keys::stamp()).await?;
        if let Some(Stamp { format, release }) = stamp.clone().filter(|stamp| stamp.format > FORMAT) {
            return Err(DataError::Newer { format, release });
        }
        let is_current = stamp.as_ref().is_some_and(|stamp| stamp.format == FORMAT);
        let upgrade = if is_current { Upgrade::default() } else { self.upgrade(None, |_| {}).await? };
        let now = Stamp { format: FORMAT, release: release.to_owned() };
        if stamp.as_ref() != Some(&now) {
            store.put(keys::stamp(), &now).await?;
        }
        Ok(upgrade)
    }

    /// Rewrites the items of earlier formats in the partition of one organization, or all of them, also those outside
    /// of partitions, stores the results of newest reports that have none, and lets every organization with a tenant be
    /// looked at. Calls `progress` after every item.
    ///
    /// An item is only written over the item that was read, so other writers lose nothing.
    ///
    /// # Errors
    /// If the store fails. Another call continues with the items that are left.
    pub async fn upgrade(
        &self,
        organization: Option<&OrganizationId>,
        progress: impl Fn(Upgrade),
    ) -> Result<Upgrade, StoreError> {
        let range = organization.map(|id| self.0.organization(id).partition.everything());
        let mut upgrade = self.0.rewrite_older(range, &progress).await?;
        let organizations = match organization {
            Some(id) => vec![id.clone()],
            None => self.organization_ids().await?,
        };
        for id in organizations {
            upgrade = upgrade.and(self.collect_results(&id).await?);
            self.watch(&id).await?;
        }
        Ok(upgrade)
    }

    /// Lets an organization be looked at, if it has a tenant.
    pub(super) async fn watch(&self, id: &OrganizationId) -> Result<(), StoreError> {
        let organization = self.0.organization(id);
        if pin!(self.0.keys_of(organization.partition.tenants())).try_next().await?.is_none() {
            return Ok(());
        }
        let now = Timestamp::try_from(chrono::Utc::now()).map_err(|_| StoreError::Corrupt("the clock is wrong"))?;
        organization.by(&Actor::service(), now).watch().await
    }
}
