//! Mail to members: the targets that are members, and the confirmation of their addresses.
//!
//! The issuer reports an address, which may be another person's, so mail goes only to an address whose owner followed a
//! link that was sent there. The confirmation is a part of the member, so it ends with the address and with the member.

use backon::Retryable;
use chrono::TimeDelta;
use model::{
    DisplayName, EventRules, MailAddress, MemberId, Pace, Secret, SecretHash, TargetAddress, TargetId, TargetShape,
    Timestamp,
};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::{CONTENDERS, Transaction, backoff};
use super::{AdminWriter, MemberRecord, StoreError, Target, TargetError, Writer};

/// Hours for which the link that confirms an address is valid.
pub const CONFIRMATION_HOURS: i64 = 24;
/// Minutes between two links: the address may be a stranger's.
const CONFIRMATION_MINUTES: i64 = 5;

/// A confirmation that a member asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MailConfirmation {
    /// When the member asked for it.
    pub asked_at: Timestamp,
    /// The hash of the secret in the link; `None` until the mail is sent.
    pub hash: Option<SecretHash>,
}

/// The reason why an address was not confirmed.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The organization has no such member.
    #[error("the organization has no such member")]
    NotFound,
    /// The issuer reported no address, or none that mail can be sent to.
    #[error("your sign-in service reported no mail address that can be used: ask its administrator to set one")]
    NoAddress,
    /// The last confirmation was asked for a moment ago.
    #[error("a confirmation was sent in the last {CONFIRMATION_MINUTES} minutes: look for it, or wait and ask again")]
    TooSoon,
    /// The link is used, replaced, of another member, or too old.
    #[error(
        "the link was used already, is older than {CONFIRMATION_HOURS} hours, was replaced by a newer one, or is another member's"
    )]
    Ended,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl MemberRecord {
    /// Returns the address that the issuer reported, if mail can be sent to it.
    pub fn address(&self) -> Option<MailAddress> {
        self.email.as_deref()?.parse().ok()
    }

    /// Returns the address, if the member has confirmed it.
    pub fn confirmed_address(&self) -> Option<MailAddress> {
        self.address().filter(|_| self.confirmed_at.is_some())
    }

    /// Returns whether a secret is the one of the link that was last sent to the member, and is not too old.
    pub fn awaits(&self, secret: &Secret, now: Timestamp) -> bool {
        self.confirmation.as_ref().is_some_and(|asked| {
            asked.hash == Some(secret.hash()) && is_within(now, asked.asked_at, TimeDelta::hours(CONFIRMATION_HOURS))
        })
    }
}

fn is_within(now: Timestamp, before: Timestamp, time: TimeDelta) -> bool {
    now.to_datetime() - before.to_datetime() < time
}

impl AdminWriter {
    /// Adds a target that is a member.
    ///
    /// # Errors
    /// If there is no such member, there are too many targets already, or the store fails.
    pub async fn add_mail(
        &self,
        name: DisplayName,
        member: MemberId,
        pace: Pace,
        rules: EventRules,
    ) -> Result<Target, TargetError> {
        self.create_mail(name, member, pace, rules).await
    }
}

impl Writer {
    /// Adds a target that is the acting member.
    ///
    /// # Errors
    /// If the actor is no member, there are too many targets already, or the store fails.
    pub async fn add_own_mail(&self, name: DisplayName, pace: Pace, rules: EventRules) -> Result<Target, TargetError> {
        let member = self.acting_member().ok_or(TargetError::NotFound)?;
        self.create_mail(name, member, pace, rules).await
    }

    async fn create_mail(
        &self,
        name: DisplayName,
        member: MemberId,
        pace: Pace,
        rules: EventRules,
    ) -> Result<Target, TargetError> {
        let address = TargetAddress::Member(member);
        Ok(self.create_target(name, address, TargetShape::Mail, pace, rules).await?.target)
    }

    /// Removes a target that is the acting member, whoever added it.
    ///
    /// # Errors
    /// If there is no such target or the store fails.
    pub async fn end_own_mail(&self, id: &TargetId) -> Result<(), TargetError> {
        let target = self.stored_target(id).await?.target;
        if target.address.member() != self.acting_member().as_ref() {
            return Err(TargetError::NotFound);
        }
        self.erase_target(target).await
    }

    fn acting_member(&self) -> Option<MemberId> {
        self.actor.id().parse().ok()
    }

    /// Keeps that the acting member asks for a confirmation.
    ///
    /// # Errors
    /// If the member has no address, asked a moment ago, or the store fails.
    pub async fn ask_confirmation(&self) -> Result<MemberRecord, MailError> {
        let member = self.acting_member().ok_or(MailError::NotFound)?;
        let ask = |member: &mut MemberRecord| {
            member.address().ok_or(MailError::NoAddress)?;
            let asked_at = member.confirmation.as_ref().map(|before| before.asked_at);
            if asked_at.is_some_and(|before| is_within(self.at, before, TimeDelta::minutes(CONFIRMATION_MINUTES))) {
                return Err(MailError::TooSoon);
            }
            member.confirmation = Some(MailConfirmation { asked_at: self.at, hash: None });
            Ok(())
        };
        self.change_mail(&member, AuditAction::ConfirmationAsked, ask).await
    }

    /// Returns the address of a member who asked for a confirmation at a moment, and a new secret for the link. A secret
    /// that was made before is no longer valid. Nobody's change, so it is not in the audit trail.
    ///
    /// # Errors
    /// [`MailError::Ended`] if another confirmation was asked for since, or it was used; or the store fails.
    pub async fn begin_confirmation(
        &self,
        member: &MemberId,
        asked_at: Timestamp,
    ) -> Result<(MailAddress, Secret), MailError> {
        let secret = Secret::generate().map_err(|_| StoreError::NoRandomness)?;
        let begin = |member: &mut MemberRecord| {
            let asked = member.confirmation.as_mut().filter(|asked| asked.asked_at == asked_at);
            asked.ok_or(MailError::Ended)?.hash = Some(secret.hash());
            Ok(())
        };
        let member = self.change_mail(member, None, begin).await?;
        Ok((member.address().ok_or(MailError::NoAddress)?, secret))
    }

    /// Confirms the address of the acting member by the secret of a link, which ends with it.
    ///
    /// # Errors
    /// [`MailError::Ended`] if the secret is not the one that was last sent to the member, or too old; or the store fails.
    pub async fn confirm_address(&self, secret: &Secret) -> Result<MemberRecord, MailError> {
        let member = self.acting_member().ok_or(MailError::NotFound)?;
        let confirm = |member: &mut MemberRecord| {
            if !member.awaits(secret, self.at) {
                return Err(MailError::Ended);
            }
            (member.confirmed_at, member.confirmation) = (Some(self.at), None);
            Ok(())
        };
        self.change_mail(&member, AuditAction::AddressConfirmed, confirm).await
    }

    /// Keeps the address that the issuer reports of the acting member. Another one than before is not confirmed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn note_address(&self, email: Option<&str>) -> Result<MemberRecord, MailError> {
        let member = self.acting_member().ok_or(MailError::NotFound)?;
        let change = |member: &mut MemberRecord| {
            (member.email, member.confirmed_at, member.confirmation) = (email.map(str::to_owned), None, None);
            Ok(())
        };
        self.change_mail(&member, AuditAction::AddressChanged, change).await
    }

    /// Writes a change of a member's mail. The audit trail says that it was made, without the address.
    async fn change_mail(
        &self,
        id: &MemberId,
        action: impl Into<Option<AuditAction>>,
        change: impl Fn(&mut MemberRecord) -> Result<(), MailError>,
    ) -> Result<MemberRecord, MailError> {
        let action = action.into();
        let attempt = || async {
            let before = self.member(id).await?.ok_or(MailError::NotFound)?;
            let mut after = before.clone();
            change(&mut after)?;
            after.version += 1;
            let actions = vec![self.store.replace(self.partition.member(id), &after, before.version)?];
            let written = match action {
                Some(action) => self.commit(actions, || Deed::new(action, id)).await?,
                None => self.store.transact(actions).await?,
            };
            match written {
                Transaction::Done => Ok(after),
                Transaction::Refused(_) => Err(StoreError::Contended("changing a member's mail").into()),
            }
        };
        let came_between = |error: &MailError| matches!(error, MailError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}
