//! Targets of notifications, and the secrets that sign what is sent to them.

use std::fmt;

use backon::Retryable;
use chrono::TimeDelta;
use model::{
    DisplayName, EventRules, Pace, SigningSecret, TargetAddress, TargetId, TargetShape, TargetUrl, Timestamp, Wire,
};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::{CONTENDERS, Transaction, backoff};
use super::{AdminWriter, Organization, StoreError, Writer};

/// Most targets of an organization that are addresses: every event is compared with all of them.
pub const MOST_TARGETS: usize = 20;
/// Most targets of an organization that are members: those of one are removed with it in one transaction.
const MOST_MAILS: usize = 80;
/// Most targets that are the same member, so that one member leaves room for the others.
const MOST_MAILS_OF_ONE: usize = 5;
/// Time for which a replaced secret still signs, so that the receiver can change to the new one.
const ROTATION: TimeDelta = TimeDelta::hours(24);

/// A target of notifications. Without its secrets.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// Identifier.
    pub target_id: TargetId,
    /// Name that people gave it.
    pub name: String,
    /// Recipient.
    #[serde(rename = "url")]
    pub address: TargetAddress,
    /// The form of its messages; an absent one, of a target from before there were several, is a webhook's.
    #[serde(default)]
    pub shape: TargetShape,
    /// The number of events that one mail tells of; other targets have a message for each.
    #[serde(default)]
    pub pace: Pace,
    /// The events that it is told of.
    pub rules: EventRules,
    /// Whether it is told of events.
    pub state: TargetState,
    /// When it was added.
    pub created_at: Timestamp,
    /// It is told of events that were written at or after this moment: when it was added or last resumed.
    pub since: Timestamp,
    /// When it first failed since it last accepted a message.
    pub failing_since: Option<Timestamp>,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
}

/// Whether a target is told of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TargetState {
    /// It is.
    Active,
    /// A person paused it.
    Paused,
    /// The service switched it off, because it accepted nothing for days or said that it never will.
    Disabled,
    /// A state that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

/// Fields of a target that a person changes; `None` leaves one as it is.
#[derive(Debug, Clone, Default)]
pub struct TargetEdit {
    /// Name.
    pub name: Option<DisplayName>,
    /// Address.
    pub url: Option<TargetUrl>,
    /// Form of its messages.
    pub shape: Option<TargetShape>,
    /// The number of events that one mail tells of.
    pub pace: Option<Pace>,
    /// Rules.
    pub rules: Option<EventRules>,
}

/// A target with a new secret, the only place with its text outside of the table.
#[derive(Debug)]
pub struct CreatedTarget {
    /// The secret, to be shown once.
    pub secret: SigningSecret,
    /// The target as listed from now on.
    pub target: Target,
}

/// The reason why a target was not changed.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The organization has no such target.
    #[error("the organization has no such target")]
    NotFound,
    /// The organization has as many targets as it may have.
    #[error("the organization has {MOST_TARGETS} targets, or {MOST_MAILS} for members, already: remove one first")]
    TooMany,
    /// The member has as many targets as it may have.
    #[error("the member receives {MOST_MAILS_OF_ONE} kinds of mail already: end one first")]
    TooManyOfOne,
    /// An address, a form or a secret was given to a member's target, or a pace to another one.
    #[error(
        "a member's target has no address, no form and no secret, and only it has a pace: add another target instead"
    )]
    OtherKind,
    /// The target is paused or switched off, so that nothing is sent to it.
    #[error("the target is not active, so nothing was sent: resume it first")]
    NotActive,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// A target as stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredTarget {
    #[serde(flatten)]
    pub(crate) target: Target,
    /// The secrets, newest first: one, or two during a rotation.
    pub(crate) secrets: Vec<StoredSecret>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredSecret {
    secret: SigningSecret,
    /// When it no longer signs; `None` for the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
}

impl Organization {
    /// Returns all targets, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn targets(&self) -> Result<Vec<Target>, StoreError> {
        let stored: Vec<StoredTarget> = self.store.all(self.partition.targets()).await?;
        Ok(stored.into_iter().map(|stored| stored.target).collect())
    }

    /// Returns a target with the secrets that sign at a moment, or `None` if it does not exist.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn signing_target(
        &self,
        id: &TargetId,
        now: Timestamp,
    ) -> Result<Option<(Target, Vec<SigningSecret>)>, StoreError> {
        let stored: Option<StoredTarget> = self.store.get(self.partition.target(id)).await?;
        Ok(stored.map(|StoredTarget { target, secrets }| {
            let signing = secrets.into_iter().filter(|secret| secret.until.is_none_or(|until| now < until));
            (target, signing.map(|secret| secret.secret).collect())
        }))
    }
}

impl AdminWriter {
    /// Adds a target, which is told of events from now on.
    ///
    /// # Errors
    /// If there are too many already, or the store fails.
    pub async fn add_target(
        &self,
        name: DisplayName,
        url: TargetUrl,
        shape: TargetShape,
        rules: EventRules,
    ) -> Result<CreatedTarget, TargetError> {
        self.create_target(name, TargetAddress::Url(url), shape, Pace::Event, rules).await
    }

    /// Changes a target, and returns it.
    ///
    /// # Errors
    /// If there is no such target, it cannot have what it is given, or the store fails.
    pub async fn edit_target(&self, id: &TargetId, edit: TargetEdit) -> Result<Target, TargetError> {
        // Whether a target is a member never changes.
        let is_member = self.stored_target(id).await?.target.address.member().is_some();
        if if is_member { edit.url.is_some() || edit.shape.is_some() } else { edit.pace.is_some() } {
            return Err(TargetError::OtherKind);
        }
        let change = |stored: &mut StoredTarget| {
            let TargetEdit { name, url, shape, pace, rules } = edit.clone();
            let target = &mut stored.target;
            target.name = name.map_or_else(|| target.name.clone(), String::from);
            target.address = url.map_or_else(|| target.address.clone(), TargetAddress::Url);
            target.shape = shape.unwrap_or(target.shape);
            target.pace = pace.unwrap_or(target.pace);
            target.rules = rules.unwrap_or_else(|| target.rules.clone());
        };
        self.change_target(id, AuditAction::TargetChanged, change).await
    }

    /// Pauses a target, or resumes a paused or disabled one, and returns it. It is never told of events from before it
    /// was resumed, unless they are sent again.
    ///
    /// # Errors
    /// If there is no such target or the store fails.
    pub async fn pause_target(&self, id: &TargetId, pause: bool) -> Result<Target, TargetError> {
        let action = if pause { AuditAction::TargetPaused } else { AuditAction::TargetResumed };
        let change = |stored: &mut StoredTarget| {
            let target = &mut stored.target;
            if pause {
                target.state = TargetState::Paused;
            } else if target.state != TargetState::Active {
                (target.state, target.since, target.failing_since) = (TargetState::Active, self.at, None);
            }
        };
        self.change_target(id, action, change).await
    }

    /// Gives a target a new secret. The one before signs for another day, so that the receiver accepts all messages
    /// whenever it changes to the new one.
    ///
    /// # Errors
    /// If there is no such target, it is a member, or the store fails.
    pub async fn rotate_secret(&self, id: &TargetId) -> Result<CreatedTarget, TargetError> {
        if self.stored_target(id).await?.target.address.member().is_some() {
            return Err(TargetError::OtherKind);
        }
        let secret = SigningSecret::generate().map_err(|_| StoreError::NoRandomness)?;
        let until = Timestamp::try_from(self.at.to_datetime() + ROTATION).unwrap_or(self.at);
        let change = |stored: &mut StoredTarget| {
            stored.secrets.truncate(1);
            stored.secrets.iter_mut().for_each(|before| before.until = Some(until));
            stored.secrets.insert(0, StoredSecret { secret: secret.clone(), until: None });
        };
        let target = self.change_target(id, AuditAction::TargetSecretRotated, change).await?;
        Ok(CreatedTarget { secret, target })
    }

    /// Removes a target. What waits for it is not sent any more.
    ///
    /// # Errors
    /// If there is no such target or the store fails.
    pub async fn remove_target(&self, id: &TargetId) -> Result<(), TargetError> {
        self.erase_target(self.stored_target(id).await?.target).await
    }

    /// Records that a test is sent to a target, and returns the target.
    ///
    /// # Errors
    /// If there is no such target or the store fails.
    pub async fn record_test(&self, id: &TargetId) -> Result<Target, TargetError> {
        let tested = self.stored_target(id).await?.target;
        self.record_sending(tested, Deed::new(AuditAction::TargetTested, id)).await
    }

    /// Records that events are sent to a target again: those that were written at or after a moment. Returns the target.
    ///
    /// # Errors
    /// If there is no such target, it is not active, or the store fails.
    pub async fn record_sending_again(&self, id: &TargetId, since: Timestamp) -> Result<Target, TargetError> {
        let target = self.stored_target(id).await?.target;
        if target.state != TargetState::Active {
            return Err(TargetError::NotActive);
        }
        let deed = Deed::new(AuditAction::EventsSentAgain, id).with("since", None, Some(since.to_string()));
        self.record_sending(target, deed).await
    }

    async fn record_sending(&self, target: Target, deed: Deed) -> Result<Target, TargetError> {
        let actions = vec![self.store.require(self.partition.target(&target.target_id))];
        match self.commit(actions, || deed).await? {
            Transaction::Done => Ok(target),
            Transaction::Refused(_) => Err(TargetError::NotFound),
        }
    }

    async fn change_target(
        &self,
        id: &TargetId,
        action: AuditAction,
        change: impl Fn(&mut StoredTarget),
    ) -> Result<Target, TargetError> {
        let attempt = || async {
            let before = self.stored_target(id).await?;
            let mut after = before.clone();
            change(&mut after);
            after.target.version += 1;
            let actions = vec![self.store.replace(self.partition.target(id), &after, before.target.version)?];
            match self.commit(actions, || edited(action, Some(&before.target), &after.target)).await? {
                Transaction::Done => Ok(after.target),
                Transaction::Refused(_) => Err(StoreError::Contended("changing a target").into()),
            }
        };
        let came_between = |error: &TargetError| matches!(error, TargetError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}

impl Writer {
    /// Adds a target, which is told of events from now on.
    pub(crate) async fn create_target(
        &self,
        name: DisplayName,
        address: TargetAddress,
        shape: TargetShape,
        pace: Pace,
        rules: EventRules,
    ) -> Result<CreatedTarget, TargetError> {
        let is_mail = |of: &TargetAddress| of.member().is_some();
        let targets = self.targets().await?;
        let alike = targets.iter().filter(|it| is_mail(&it.address) == is_mail(&address)).count();
        if alike >= if is_mail(&address) { MOST_MAILS } else { MOST_TARGETS } {
            return Err(TargetError::TooMany);
        }
        let of_one = targets.iter().filter(|it| it.address == address).count();
        if is_mail(&address) && of_one >= MOST_MAILS_OF_ONE {
            return Err(TargetError::TooManyOfOne);
        }
        self.watch().await?;
        let secret = SigningSecret::generate().map_err(|_| StoreError::NoRandomness)?;
        let target = Target {
            target_id: TargetId::generate(self.at),
            name: name.into(),
            address,
            shape,
            pace,
            rules,
            state: TargetState::Active,
            created_at: self.at,
            since: self.at,
            failing_since: None,
            version: 1,
        };
        let secrets = vec![StoredSecret { secret: secret.clone(), until: None }];
        let stored = StoredTarget { target, secrets };
        let key = self.partition.target(&stored.target.target_id);
        let mut actions = vec![self.store.require(self.partition.organization()), self.store.create(key, &stored)?];
        actions.extend(stored.target.address.member().map(|member| self.store.require(self.partition.member(member))));
        match self.commit(actions, || edited(AuditAction::TargetAdded, None, &stored.target)).await? {
            Transaction::Done => Ok(CreatedTarget { secret, target: stored.target }),
            Transaction::Refused(_) => Err(TargetError::NotFound),
        }
    }

    /// Removes a target, and then its deliveries.
    pub(crate) async fn erase_target(&self, target: Target) -> Result<(), TargetError> {
        let id = &target.target_id;
        let actions = vec![self.store.erase_existing(self.partition.target(id))];
        let deed = || Deed::new(AuditAction::TargetRemoved, id).with("name", Some(target.name.clone()), None);
        match self.commit(actions, deed).await? {
            Transaction::Done => {}
            // Another caller has removed it since it was read.
            Transaction::Refused(_) => return Err(TargetError::NotFound),
        }
        Ok(self.store.delete_range(self.partition.deliveries(id), |_| false).await.map(drop)?)
    }

    pub(crate) async fn stored_target(&self, id: &TargetId) -> Result<StoredTarget, TargetError> {
        self.store.get(self.partition.target(id)).await?.ok_or(TargetError::NotFound)
    }
}

/// Describes a change of a target. The audit trail has the host of the address and not the path, which may be a secret; of
/// a member, the identifier.
fn edited(action: AuditAction, before: Option<&Target>, after: &Target) -> Deed {
    let rules = |target: &Target| serde_json::to_string(&target.rules).unwrap_or_default();
    let is_mail = after.address.member().is_some();
    let values = |it: &Target| {
        let form = if is_mail { Wire(it.pace).to_string() } else { Wire(it.shape).to_string() };
        [it.name.clone(), it.address.place(), form, rules(it)]
    };
    let names = if is_mail { ["name", "member", "mail for each", "rules"] } else { ["name", "host", "form", "rules"] };
    let (olds, news) = (before.map(values), values(after));
    let moved =
        before.is_some_and(|before| before.address != after.address && before.address.place() == after.address.place());
    let mut deed = Deed::new(action, &after.target_id);
    for (number, (name, new)) in names.into_iter().zip(news).enumerate() {
        let old = olds.as_ref().map(|olds| olds[number].clone());
        if old.as_ref() != Some(&new) || (name == "host" && moved) {
            deed = deed.with(name, old, Some(new));
        }
    }
    deed
}

impl fmt::Debug for Target {
    /// Leaves out the name and the address, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target").field("target_id", &self.target_id).field("state", &self.state).finish_non_exhaustive()
    }
}
