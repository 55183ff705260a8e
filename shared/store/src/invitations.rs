//! Invitations: links that make the first person who signs in with them a member.

use chrono::{DateTime, TimeDelta};
use serde::{Deserialize, Serialize};

use super::audit::Deed;
use super::table::Transaction;
use super::{AdminWriter, AuditAction, MemberRecord, Membership, Organization, Store, StoreError, keys};
use model::{
    Actor, Choice, DisplayName, IdentityHash, InvitationId, MemberId, OrganizationId, Role, Secret, SecretHash,
    Timestamp,
};

/// Number of days for which an invitation is open.
pub const INVITATION_DAYS: i64 = 7;

/// An invitation as listed, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationRecord {
    /// Identifier.
    pub invitation_id: InvitationId,
    /// The organization.
    pub organization_id: OrganizationId,
    /// Role of the new member.
    pub role: Role,
    /// The invited person, in the inviter's words.
    pub note: Option<String>,
    /// Name of the inviter.
    pub invited_by: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends, in seconds since 1970. DynamoDB deletes the item some time later.
    pub expires_at: i64,
}

impl InvitationRecord {
    /// Returns when it ends.
    pub fn expires(&self) -> Option<Timestamp> {
        DateTime::from_timestamp(self.expires_at, 0)?.try_into().ok()
    }
}

/// A person who signed in, as the issuer describes them.
pub struct Person {
    /// Issuer and subject.
    pub identity: IdentityHash,
    /// Name. Shown, never trusted.
    pub name: String,
    /// E-mail address. Shown, never trusted.
    pub email: Option<String>,
}

/// Why an invitation was not created or accepted.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// There is no such organization.
    #[error("the organization does not exist")]
    NoOrganization,
    /// The invitation never existed, or is used, revoked or expired.
    #[error("the invitation is used, revoked or older than {INVITATION_DAYS} days: ask for a new one")]
    Ended,
    /// The person is already a member of the organization; the invitation stays open.
    #[error("you are already a member of the organization")]
    AlreadyMember(Membership),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Stored twice: under the organization, and under the secret's hash.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredInvitation {
    #[serde(flatten)]
    pub(crate) record: InvitationRecord,
    pub(crate) hash: SecretHash,
}

impl Store {
    /// Returns the open invitation that a link's secret belongs to. One with a role that this release does not know is
    /// not open in it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn invitation(&self, secret: &Secret, now: Timestamp) -> Result<Option<InvitationRecord>, StoreError> {
        let key = keys::invitation_lookup(&secret.hash());
        let stored: Option<StoredInvitation> = self.get_unexpired(key, now).await?;
        Ok(stored.map(|stored| stored.record).filter(|record| record.role.is_known()))
    }

    /// Makes a person a member with the invitation's role, and ends the invitation. The new member is the actor.
    ///
    /// # Errors
    /// If the invitation is not open, the person is already a member, or the store fails.
    pub async fn accept_invitation(
        &self,
        secret: &Secret,
        person: Person,
        now: Timestamp,
    ) -> Result<Membership, InvitationError> {
        let invitation = self.invitation(secret, now).await?.ok_or(InvitationError::Ended)?;
        let organization = self.organization(&invitation.organization_id);
        let membership =
            Membership { organization_id: invitation.organization_id.clone(), member_id: MemberId::generate(now) };
        let lookup = keys::membership(&person.identity, &membership.organization_id);
        if let Some(membership) = self.get(lookup.clone()).await? {
            return Err(InvitationError::AlreadyMember(membership));
        }
        let member = MemberRecord {
            member_id: membership.member_id.clone(),
            name: person.name,
            email: person.email,
            role: invitation.role,
            identity: person.identity,
            joined_at: now,
            confirmed_at: None,
            confirmation: None,
            version: 1,
        };
        let actions = vec![
            self.erase_existing(keys::invitation_lookup(&secret.hash())),
            self.erase_existing(organization.partition.invitation(&invitation.invitation_id)),
            self.require(organization.partition.organization()),
            self.create(organization.partition.member(&member.member_id), &member)?,
            self.create(lookup, &membership)?,
        ];
        let actor = Actor::member(&member.member_id, member.name.clone(), member.role);
        let deed = || {
            let name = Some(member.name.clone());
            let role = Some(member.role.to_string());
            Deed::new(AuditAction::MemberJoined, &member.member_id).with("name", None, name).with("role", None, role)
        };
        match organization.by(&actor, now).commit(actions, deed).await? {
            Transaction::Done => Ok(membership),
            Transaction::Refused(_) => Err(InvitationError::Ended),
        }
    }
}

impl Organization {
    /// Returns the open invitations, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn invitations(&self, now: Timestamp) -> Result<Vec<InvitationRecord>, StoreError> {
        let open: Vec<StoredInvitation> = self.store.all_unexpired(self.partition.invitations(), now).await?;
        Ok(open.into_iter().map(|stored| stored.record).collect())
    }

    pub(crate) async fn stored_invitations(&self) -> Result<Vec<StoredInvitation>, StoreError> {
        self.store.all(self.partition.invitations()).await
    }
}

impl AdminWriter {
    /// Creates an invitation. Returns its secret, which exists nowhere else, and the invitation as listed.
    ///
    /// # Errors
    /// If the organization does not exist or the store fails.
    pub async fn invite(
        &self,
        role: Role,
        note: Option<DisplayName>,
    ) -> Result<(Secret, InvitationRecord), InvitationError> {
        let secret = Secret::generate().map_err(|_| StoreError::NoRandomness)?;
        let record = InvitationRecord {
            invitation_id: InvitationId::generate(self.at),
            organization_id: self.id.clone(),
            role,
            note: note.map(String::from),
            invited_by: self.actor.name().to_owned(),
            created_at: self.at,
            expires_at: (self.at.to_datetime() + TimeDelta::days(INVITATION_DAYS)).timestamp(),
        };
        let stored = StoredInvitation { record, hash: secret.hash() };
        let actions = vec![
            self.store.require(self.partition.organization()),
            self.store.create(self.partition.invitation(&stored.record.invitation_id), &stored)?,
            self.store.create(keys::invitation_lookup(&stored.hash), &stored)?,
        ];
        let deed = || {
            let role = Some(role.to_string());
            let note = stored.record.note.clone();
            let deed = Deed::new(AuditAction::MemberInvited, &stored.record.invitation_id).with("role", None, role);
            if note.is_some() { deed.with("note", None, note) } else { deed }
        };
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok((secret, stored.record)),
            Transaction::Refused(_) => Err(InvitationError::NoOrganization),
        }
    }

    /// Revokes an invitation.
    ///
    /// # Errors
    /// If the invitation is already used, revoked or expired, or the store fails.
    pub async fn revoke_invitation(&self, id: &InvitationId) -> Result<(), InvitationError> {
        let listed = self.partition.invitation(id);
        let stored: Option<StoredInvitation> = self.store.get(listed.clone()).await?;
        let stored = stored.ok_or(InvitationError::Ended)?;
        let actions = vec![self.store.erase(keys::invitation_lookup(&stored.hash)), self.store.erase_existing(listed)];
        let deed = || Deed::new(AuditAction::InvitationRevoked, id);
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(_) => Err(InvitationError::Ended),
        }
    }
}
