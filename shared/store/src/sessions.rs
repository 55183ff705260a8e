//! Sessions of members who signed in.

use chrono::{DateTime, TimeDelta};
use futures_util::future::try_join;
use serde::{Deserialize, Serialize};

use super::table::Found;
use super::{MemberRecord, Organization, Store, StoreError};
use model::{MemberId, OrganizationId, Secret, Timestamp};

/// Hours that a session lasts.
pub const SESSION_HOURS: i64 = 12;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    pub(crate) member_id: MemberId,
    /// When it ends, in seconds since 1970. DynamoDB deletes the item some time later.
    pub(crate) expires_at: i64,
}

/// A session that has not ended, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    /// The member who signed in.
    pub member_id: MemberId,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// The item's key, by which two tables can be compared. It contains the hash of the secret.
    pub item: String,
}

/// The sessions of one organization. They are no changes of its data, so the audit trail does not record them.
#[derive(Debug)]
pub struct Sessions(Organization);

impl Store {
    /// Returns the sessions of one organization.
    pub fn sessions(&self, organization: &OrganizationId) -> Sessions {
        Sessions(self.organization(organization))
    }
}

impl Sessions {
    /// Begins a session of a member and returns its secret, whose hash is stored in the table.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn begin(&self, member_id: MemberId, now: Timestamp) -> Result<Secret, StoreError> {
        let Organization { store, partition, .. } = &self.0;
        let secret = Secret::generate().map_err(|_| StoreError::NoRandomness)?;
        let expires_at = (now.to_datetime() + TimeDelta::hours(SESSION_HOURS)).timestamp();
        store.put(partition.session(&secret.hash()), &Session { member_id, expires_at }).await?;
        Ok(secret)
    }

    /// Returns the member of a session. `None` if the session has ended, or the member was removed.
    ///
    /// Both are read strongly consistent on every request, so a removal, a new role and a sign-out apply to the next.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn member(
        &self,
        secret: &Secret,
        member: &MemberId,
        now: Timestamp,
    ) -> Result<Option<MemberRecord>, StoreError> {
        let Organization { store, partition, .. } = &self.0;
        let session = store.get_unexpired::<Session>(partition.session(&secret.hash()), now);
        let (session, found) = try_join(session, self.0.member(member)).await?;
        Ok(found.filter(|_| session.is_some_and(|session| session.member_id == *member)))
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end(&self, secret: &Secret) -> Result<(), StoreError> {
        let Organization { store, partition, .. } = &self.0;
        store.delete(partition.session(&secret.hash())).await
    }
    /// Returns the sessions that have not ended.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open(&self, now: Timestamp) -> Result<Vec<OpenSession>, StoreError> {
        let Organization { store, partition, .. } = &self.0;
        let found: Vec<Found<Session>> = store.all_unexpired(partition.sessions(), now).await?;
        let open = |Found { key, value: Session { member_id, expires_at } }| {
            let expires_at = DateTime::from_timestamp(expires_at, 0).and_then(|end| end.try_into().ok());
            OpenSession { member_id, expires_at, item: key.sk }
        };
        Ok(found.into_iter().map(open).collect())
    }

    /// Ends all sessions and returns their number.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_all(&self) -> Result<usize, StoreError> {
        let Organization { store, partition, .. } = &self.0;
        store.delete_range(partition.sessions(), |_| false).await
    }
}
