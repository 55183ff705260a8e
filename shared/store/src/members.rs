//! Members of an organization, and the look-up of a member for a person who signed in.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::audit::Deed;
use super::table::{Action, CONTENDERS, Transaction};
use super::{AdminWriter, AuditAction, Damage, MailConfirmation, Organization, Store, StoreError, keys};
use model::{Actor, IdentityHash, MemberId, OrganizationId, Role, Timestamp};

/// A member, as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberRecord {
    /// Identifier.
    pub member_id: MemberId,
    /// Name, as the issuer reported it. Shown, never trusted.
    pub name: String,
    /// E-mail address, as the issuer reported it. Shown, never trusted.
    pub email: Option<String>,
    /// Role in the organization.
    pub role: Role,
    /// The person that the issuer must confirm when the member signs in.
    pub identity: IdentityHash,
    /// When the person became a member.
    pub joined_at: Timestamp,
    /// When the person confirmed the address; `None` if it is not confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<Timestamp>,
    /// The confirmation that was last asked for, until it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<MailConfirmation>,
    /// Incremented by every change. A change is only written over the version that was read.
    pub version: u64,
}

/// Membership of a person in one organization.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The person's member in that organization.
    pub member_id: MemberId,
}

/// Why a member was not changed.
#[derive(Debug, thiserror::Error)]
pub enum MemberError {
    /// The organization has no such member.
    #[error("the organization has no such member")]
    NotFound,
    /// No one could manage keys and members any more.
    #[error("this is the last Admin: make another member an Admin first")]
    LastAdmin,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl MemberRecord {
    /// Returns who acts when the member does.
    pub fn actor(&self) -> Actor {
        Actor::member(&self.member_id, self.name.clone(), self.role)
    }
}

impl Store {
    /// Returns the organizations in which a person is a member, ordered by identifier.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn memberships(&self, identity: &IdentityHash) -> Result<Vec<Membership>, StoreError> {
        self.all(keys::memberships(identity)).await
    }

    /// Returns the member that a membership of a person points to. `None` if the member was removed since the
    /// membership was read.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the membership points to no member or to another person, or the store fails.
    pub async fn member_of(
        &self,
        membership: &Membership,
        identity: &IdentityHash,
    ) -> Result<Option<MemberRecord>, StoreError> {
        let member = self.organization(&membership.organization_id).member(&membership.member_id).await?;
        if member.as_ref().is_some_and(|member| member.identity == *identity) {
            return Ok(member);
        }
        let key = keys::membership(identity, &membership.organization_id);
        let still: Option<Membership> = self.get(key.clone()).await?;
        match still.as_ref() == Some(membership) {
            true => Err(Damage::of(key, "the membership does not point to a member with this identity").into()),
            false => Ok(None),
        }
    }
}

impl Organization {
    /// Returns a member.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn member(&self, id: &MemberId) -> Result<Option<MemberRecord>, StoreError> {
        self.store.get(self.partition.member(id)).await
    }

    /// Returns all members, in the order in which they joined.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn members(&self) -> Result<Vec<MemberRecord>, StoreError> {
        self.store.all(self.partition.members()).await
    }
}

impl AdminWriter {
    /// Gives a member another role and returns the member before the change. It applies to the member's next request.
    ///
    /// # Errors
    /// If there is no such member, the last Admin would lose the role, or the store fails.
    pub async fn change_role(&self, id: &MemberId, role: Role) -> Result<MemberRecord, MemberError> {
        let deed = |member: &MemberRecord| {
            let word = |role: Role| Some(role.to_string());
            Deed::new(AuditAction::MemberRoleChanged, id).with("role", word(member.role), word(role))
        };
        self.change_member(id, role == Role::Admin, deed, |member| {
            let changed = MemberRecord { role, version: member.version + 1, ..member.clone() };
            Ok(vec![self.store.replace(self.partition.member(id), &changed, member.version)?])
        })
        .await
    }

    /// Removes a member with the targets that are the member, and returns the removed member. The member's next request is
    /// refused.
    ///
    /// # Errors
    /// If there is no such member, it is the last Admin, or the store fails.
    pub async fn remove_member(&self, id: &MemberId) -> Result<MemberRecord, MemberError> {
        let mut mails = self.targets().await?;
        mails.retain(|target| target.address.member() == Some(id));
        let deed = |member: &MemberRecord| {
            let deed = Deed::new(AuditAction::MemberRemoved, id).with("name", Some(member.name.clone()), None);
            mails.iter().fold(deed, |deed, mail| deed.with("target", Some(mail.name.clone()), None))
        };
        let removed = self
            .change_member(id, false, deed, |member| {
                let mails = mails.iter().map(|mail| self.store.erase(self.partition.target(&mail.target_id)));
                let member = [
                    self.store.erase_version(self.partition.member(id), member.version),
                    self.store.erase(keys::membership(&member.identity, &self.id)),
                ];
                Ok(member.into_iter().chain(mails).collect())
            })
            .await?;
        for mail in &mails {
            self.store.delete_range(self.partition.deliveries(&mail.target_id), |_| false).await?;
        }
        Ok(removed)
    }

    /// Writes a change of a member. If it ends the role of an Admin, another Admin must remain, unchanged until the
    /// change is written, so that two Admins cannot remove each other.
    async fn change_member(
        &self,
        id: &MemberId,
        stays_admin: bool,
        deed: impl Fn(&MemberRecord) -> Deed,
        actions: impl Fn(&MemberRecord) -> Result<Vec<Action>, StoreError>,
    ) -> Result<MemberRecord, MemberError> {
        for _ in 0..CONTENDERS {
            let members = self.members().await?;
            let member = members.iter().find(|member| member.member_id == *id).ok_or(MemberError::NotFound)?;
            let mut actions = actions(member)?;
            if member.role == Role::Admin && !stays_admin {
                let other = members.iter().find(|other| other.role == Role::Admin && other.member_id != *id);
                let other = other.ok_or(MemberError::LastAdmin)?;
                actions.push(self.store.require_version(self.partition.member(&other.member_id), other.version));
            }
            if self.commit(actions, || deed(member)).await? == Transaction::Done {
                return Ok(member.clone());
            }
        }
        Err(StoreError::Contended("changing a member").into())
    }
}

impl fmt::Debug for MemberRecord {
    /// Leaves out name and address, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemberRecord").field("member_id", &self.member_id).finish_non_exhaustive()
    }
}
