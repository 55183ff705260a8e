//! The audit trail: the actor, time and content of each change, written in the transaction of the change; and what
//! members accessed. Refusals of strangers are in the log alone: nobody without a membership can make it grow.

use std::fmt;

use futures_util::TryStreamExt;
use model::{EventKind, ServiceTenantId, Timestamp, time_ordered_id};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::events::{EventContent, NewEvent};
use super::table::{Action, Found, Order, Transaction, first_items};
use super::{Organization, StoreError, Writer};

/// How long an entry is kept, in seconds: 400 days.
const KEPT: i64 = 400 * 24 * 60 * 60;

/// An entry of the audit trail.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// When the change was made.
    pub at: Timestamp,
    /// Identifier of the actor.
    pub author_id: String,
    /// The actor's name at that time.
    pub author_name: String,
    /// What was done.
    pub action: AuditAction,
    /// Identifier of the tenant, report, key, member or organization that was changed or accessed.
    pub subject: String,
    /// The values that changed.
    pub changes: Vec<AuditChange>,
}

/// The kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum AuditAction {
    TenantAdded,
    TenantRenamed,
    TenantPaused,
    TenantResumed,
    LeadingToolChosen,
    /// A tenant got other labels.
    TenantLabelled,
    EmergencyAccessDeclared,
    ScheduleChanged,
    /// No report of a tenant came for days.
    TenantStale,
    TenantRemoved,
    TenantErased,
    ReportRequested,
    TenantConnected,
    TenantDisconnected,
    AssessmentFailed,
    ImportFailed,
    ReportAdded,
    ReportEdited,
    ReportReplaced,
    ReportDeleted,
    RiskAccepted,
    RiskAcceptanceEnded,
    /// An accepted risk ends soon.
    RiskExpiring,
    KeptEditEnded,
    TaskSet,
    TaskRemoved,
    TextSet,
    TextRemoved,
    ApiKeyCreated,
    ApiKeyDeleted,
    BrandChanged,
    UsageRecorded,
    BillableUsersRecorded,
    MemberInvited,
    InvitationRevoked,
    MemberJoined,
    MemberRoleChanged,
    MemberRemoved,
    MemberSignedIn,
    MemberSignedOut,
    MemberSignedOutEverywhere,
    ConfirmationAsked,
    AddressConfirmed,
    /// The issuer reports another mail address of a member.
    AddressChanged,
    AccessRefused,
    DataDownloaded,
    DocumentsRequested,
    OrganizationExported,
    TargetAdded,
    TargetChanged,
    TargetPaused,
    TargetResumed,
    TargetDisabled,
    TargetSecretRotated,
    TargetTested,
    TargetRemoved,
    EventsSentAgain,
    DataRepaired,
    // A value that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

/// A value before and after a change.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditChange {
    /// The field, such as `name` or `MS.AAD.1.1v1 status`.
    pub field: String,
    /// The value before; `None` if there was none.
    pub before: Option<String>,
    /// The value after; `None` if it was removed.
    pub after: Option<String>,
}

/// A change as an operation describes it for the audit trail, and for its event.
pub(crate) struct Deed {
    pub(crate) action: AuditAction,
    pub(crate) subject: String,
    pub(crate) changes: Vec<AuditChange>,
    pub(crate) content: EventContent,
    /// The event, if something else that the change writes refers to it.
    pub(crate) event: Option<NewEvent>,
}

/// An entry as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredEntry {
    #[serde(flatten)]
    pub(super) entry: AuditEntry,
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

/// A form that has made its change.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsedForm {
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

impl StoredEntry {
    /// Returns the entry without the values that changed.
    pub(super) fn without_changes(self) -> Self {
        Self { entry: AuditEntry { changes: Vec::new(), ..self.entry }, ..self }
    }
}

impl AuditAction {
    /// Returns the kind of the event that tells of the change, or `None` if it is of no interest to others. A new kind of
    /// change has to decide here.
    fn event(self) -> Option<EventKind> {
        Some(match self {
            Self::TenantAdded => EventKind::TenantAdded,
            Self::TenantRenamed => EventKind::TenantRenamed,
            Self::TenantPaused => EventKind::TenantPaused,
            Self::TenantResumed => EventKind::TenantResumed,
            Self::TenantStale => EventKind::TenantStale,
            Self::TenantRemoved => EventKind::TenantRemoved,
            Self::TenantErased => EventKind::TenantErased,
            Self::AssessmentFailed => EventKind::AssessmentFailed,
            Self::ImportFailed => EventKind::ImportFailed,
            Self::ReportAdded => EventKind::ReportCompleted,
            Self::ReportEdited | Self::RiskAccepted | Self::RiskAcceptanceEnded => EventKind::ReportEdited,
            Self::RiskExpiring => EventKind::RiskExpiring,
            Self::ReportReplaced => EventKind::ReportReplaced,
            Self::ReportDeleted => EventKind::ReportDeleted,
            Self::TargetDisabled => EventKind::TargetDisabled,
            Self::DataRepaired => EventKind::DataRepaired,
            Self::LeadingToolChosen
            | Self::TenantLabelled
            | Self::EmergencyAccessDeclared
            | Self::ScheduleChanged
            | Self::TenantConnected
            | Self::TenantDisconnected
            | Self::ReportRequested
            | Self::KeptEditEnded
            | Self::TaskSet
            | Self::TaskRemoved
            | Self::TextSet
            | Self::TextRemoved
            | Self::ApiKeyCreated
            | Self::ApiKeyDeleted
            | Self::BrandChanged
            | Self::UsageRecorded
            | Self::BillableUsersRecorded
            | Self::MemberInvited
            | Self::InvitationRevoked
            | Self::MemberJoined
            | Self::MemberRoleChanged
            | Self::MemberRemoved
            | Self::MemberSignedIn
            | Self::MemberSignedOut
            | Self::MemberSignedOutEverywhere
            | Self::ConfirmationAsked
            | Self::AddressConfirmed
            | Self::AddressChanged
            | Self::AccessRefused
            | Self::DataDownloaded
            | Self::DocumentsRequested
            | Self::OrganizationExported
            | Self::TargetAdded
            | Self::TargetChanged
            | Self::TargetPaused
            | Self::TargetResumed
            | Self::TargetSecretRotated
            | Self::TargetTested
            | Self::TargetRemoved
            | Self::EventsSentAgain
            | Self::Unknown => return None,
        })
    }
}

impl AuditEntry {
    /// Returns whether the subject is a report.
    pub(super) fn is_of_a_report(&self) -> bool {
        use AuditAction::{
            ReportAdded, ReportDeleted, ReportEdited, ReportReplaced, RiskAcceptanceEnded, RiskAccepted,
        };
        matches!(
            self.action,
            ReportAdded | ReportDeleted | ReportEdited | ReportReplaced | RiskAccepted | RiskAcceptanceEnded
        )
    }

    /// Returns whether the values contain the identifier of a tenant as such.
    pub(super) fn names_tenant(&self, tenant: &ServiceTenantId) -> bool {
        let is_it = |value: &Option<String>| value.as_deref() == Some(tenant.as_str());
        self.changes.iter().any(|change| change.field == "tenant" && (is_it(&change.before) || is_it(&change.after)))
    }
}

impl Deed {
    pub(crate) fn new(action: AuditAction, subject: impl ToString) -> Self {
        let (changes, content) = (Vec::new(), EventContent::default());
        Self { action, subject: subject.to_string(), changes, content, event: None }
    }

    /// Sets what the event of the change tells.
    pub(crate) fn telling(self, content: EventContent) -> Self {
        Self { content, ..self }
    }

    pub(crate) fn with(mut self, field: &str, before: Option<String>, after: Option<String>) -> Self {
        self.changes.push(AuditChange { field: field.to_owned(), before, after });
        self
    }
}

/// Returns a value as the trail writes it; `None` for none.
pub(crate) fn word(value: &impl Serialize) -> Option<String> {
    match serde_json::to_value(value).ok()? {
        Value::Null => None,
        Value::String(text) => Some(text),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name}: {}", word(value).unwrap_or_default()));
            Some(fields.collect::<Vec<_>>().join(", "))
        }
        value => Some(value.to_string()),
    }
}

impl Organization {
    /// Returns up to `limit` entries of the audit trail, newest first, and the position of older ones, if any. `older`
    /// is that position, from the previous page.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn audit_trail(
        &self,
        older: Option<&str>,
        limit: usize,
        now: Timestamp,
    ) -> Result<(Vec<AuditEntry>, Option<String>), StoreError> {
        let range = self.partition.audit_trail(older);
        let last = range.last.clone();
        let pages = self.store.query_unexpired(range, Order::NewestFirst, &[limit + 2], now);
        let rows: Vec<Found<AuditEntry>> = first_items(pages, limit + 2).try_concat().await?;
        // A range includes its last key, which the previous page has returned.
        let mut rows: Vec<_> = rows.into_iter().filter(|row| row.key.sk != last).collect();
        let more = rows.len() > limit;
        rows.truncate(limit);
        let place = rows.last().and_then(|row| row.key.sk.split_once('#')).map(|(_, place)| place.to_owned());
        Ok((rows.into_iter().map(|row| row.value).collect(), place.filter(|_| more)))
    }
}

impl Writer {
    /// Writes all or nothing, with an entry of the audit trail, and the event if the change has one.
    ///
    /// Both come last, so a refusal has the same action indices as without them. Only the form that may make the
    /// change once comes behind them.
    pub(crate) async fn commit(
        &self,
        mut actions: Vec<Action>,
        deed: impl FnOnce() -> Deed,
    ) -> Result<Transaction, StoreError> {
        let Deed { action, subject, changes, content, event } = deed();
        let (author_id, author_name) = (self.actor.id().to_owned(), self.actor.name().to_owned());
        let entry = AuditEntry { at: self.at, author_id, author_name, action, subject, changes };
        let key = self.partition.audit_entry(self.at, &time_ordered_id(self.at));
        actions.push(self.store.create(key, &StoredEntry { entry, expires_at: expiry(self.at) })?);
        if let Some(kind) = action.event() {
            actions.push(self.tell(event.unwrap_or_else(|| self.new_event()), kind, &content)?);
        }
        let Some(form) = &self.form else { return self.store.transact(actions).await };
        actions.push(self.store.create(self.partition.used_form(form), &UsedForm { expires_at: expiry(self.at) })?);
        match self.store.transact(actions).await? {
            Transaction::Refused(refused) if refused.last() == Some(&true) => Err(StoreError::Repeated),
            transaction => Ok(transaction),
        }
    }
}

/// Returns when DynamoDB deletes an item that was written at a time, in seconds since 1970.
pub(crate) fn expiry(at: Timestamp) -> i64 {
    at.to_datetime().timestamp() + KEPT
}

impl fmt::Debug for AuditEntry {
    /// Leaves out names and values, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditEntry").field("at", &self.at).field("action", &self.action).finish_non_exhaustive()
    }
}

impl fmt::Debug for AuditChange {
    /// Leaves out the values, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditChange").field("field", &self.field).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_kept_for_400_days() {
        assert_eq!(expiry("1970-01-02T00:00:00Z".parse().unwrap()), 401 * 86_400);
    }
}
