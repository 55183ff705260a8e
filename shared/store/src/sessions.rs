//! Sessions of members who signed in.

use chrono::{DateTime, TimeDelta};
use futures_util::future::try_join;
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::Found;
use super::{MemberRecord, Organization, Store, StoreError};
use model::{Actor, MemberId, OrganizationId, Role, Secret, Timestamp};

/// Hours that a session lasts at most.
pub const SESSION_HOURS: i64 = 12;
/// Minutes after which a session ends without a request.
pub const IDLE_MINUTES: i64 = 60;
/// Seconds between two writes of a session that is in use, so that few of its requests write.
const PROLONGED: i64 = 5 * 60;
/// Sessions that are ended in one transaction, which may have 100 actions.
const ENDED_AT_ONCE: usize = 90;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    pub(crate) member_id: MemberId,
    /// When it ends without a further request, in seconds since 1970. DynamoDB deletes the item some time later.
    pub(crate) expires_at: i64,
    /// When it ends in any case, in seconds since 1970. Missing in sessions of release 1.0, which are not prolonged.
    #[serde(default)]
    pub(crate) ends_at: Option<i64>,
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

/// The sessions of one organization. The audit trail records their beginning, and their end by signing out.
#[derive(Debug)]
pub struct Sessions(Organization);

impl Session {
    /// Returns the session of a member who sent a request, if it has to be written for it.
    fn prolonged(self, now: Timestamp) -> Option<Self> {
        let expires_at = idle_end(now).min(self.ends_at?);
        (expires_at - self.expires_at >= PROLONGED).then_some(Self { expires_at, ..self })
    }
}

/// Returns when a session ends after its last request, in seconds since 1970.
fn idle_end(now: Timestamp) -> i64 {
    (now.to_datetime() + TimeDelta::minutes(IDLE_MINUTES)).timestamp()
}

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
        let ends_at = (now.to_datetime() + TimeDelta::hours(SESSION_HOURS)).timestamp();
        let expires_at = idle_end(now);
        let name = self.0.member(&member_id).await?.map_or_else(|| member_id.to_string(), |member| member.name);
        let actor = Actor::member(&member_id, name, Role::Unknown);
        let deed = Deed::new(AuditAction::MemberSignedIn, &member_id);
        let session = Session { member_id, expires_at, ends_at: Some(ends_at) };
        let actions = vec![store.create(partition.session(&secret.hash()), &session)?];
        self.0.by(&actor, now).commit(actions, || deed).await?;
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
        let key = partition.session(&secret.hash());
        let session = store.get_unexpired::<Session>(key.clone(), now);
        let (session, found) = try_join(session, self.0.member(member)).await?;
        let Some(session) = session.filter(|session| session.member_id == *member && found.is_some()) else {
            return Ok(None);
        };
        if let Some(prolonged) = session.prolonged(now) {
            // If it fails, or the session was ended meanwhile, it ends as it would have. The function that makes PDFs may
            // not write sessions.
            let _ = store.transact(vec![store.write_existing(key, &prolonged)?]).await;
        }
        Ok(found)
    }

    /// Ends a session of a member. Does nothing if there is no such session.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end(&self, secret: &Secret, member: &MemberId, now: Timestamp) -> Result<(), StoreError> {
        let Some(found) = self.member(secret, member, now).await? else { return Ok(()) };
        let Organization { store, partition, .. } = &self.0;
        let actions = vec![store.erase_existing(partition.session(&secret.hash()))];
        let deed = || Deed::new(AuditAction::MemberSignedOut, member);
        self.0.by(&found.actor(), now).commit(actions, deed).await.map(drop)
    }

    /// Ends all sessions of a member, and returns their number.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_of(&self, member: &MemberRecord, now: Timestamp) -> Result<usize, StoreError> {
        let Organization { store, partition, .. } = &self.0;
        let found: Vec<Found<Session>> = store.all_unexpired(partition.sessions(), now).await?;
        let own: Vec<_> = found.into_iter().filter(|found| found.value.member_id == member.member_id).collect();
        for sessions in own.chunks(ENDED_AT_ONCE) {
            let actions = sessions.iter().map(|session| store.erase(session.key.clone())).collect();
            let deed = || {
                let number = sessions.len().to_string();
                Deed::new(AuditAction::MemberSignedOutEverywhere, &member.member_id).with(
                    "sessions",
                    Some(number),
                    None,
                )
            };
            self.0.by(&member.actor(), now).commit(actions, deed).await?;
        }
        Ok(own.len())
    }

    /// Returns the sessions that have not ended.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn open(&self, now: Timestamp) -> Result<Vec<OpenSession>, StoreError> {
        let Organization { store, partition, .. } = &self.0;
        let found: Vec<Found<Session>> = store.all_unexpired(partition.sessions(), now).await?;
        let open = |Found { key, value: Session { member_id, expires_at, .. } }| {
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
