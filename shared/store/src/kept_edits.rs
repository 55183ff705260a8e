//! Edits that are kept for a control of a tenant: the import of each later run applies them to the new report.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Not;

use model::{AcceptedRisk, Check, Choice, ControlId, ServiceTenantId, Severity, Status, Timestamp};
use serde::{Deserialize, Deserializer, Serialize};

use super::audit::{AuditAction, AuditChange, Deed, word};
use super::table::{Action, Transaction};
use super::{EditMark, EditedField, EditedPart, Organization, StoreError, StoredReport, Writer};

/// Revision of a control whose report does not specify one.
pub(crate) const FIRST_REVISION: u32 = 1;

/// A kept edit, as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptEdit {
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The control.
    pub control_id: ControlId,
    /// Revision of the control. A different revision has a different meaning, so the edit does not apply to it.
    pub revision: u32,
    /// Completion of the report in which it was kept. It applies to later runs.
    pub since: Timestamp,
    /// The values.
    pub values: KeptValues,
    /// Name of the editor.
    pub by: String,
    /// When it was kept.
    pub at: Timestamp,
    /// Whether it was told that the accepted risk ends soon.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub is_reminded: bool,
    /// Incremented by every change. A change is only written over the version that was read.
    pub version: u64,
}

/// The values of a kept edit. `None` leaves a field as in the tool's results.
///
/// The current state is not among them: every run reports it anew.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeptValues {
    /// Status. It ends once a run finds the control secure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Severity; `Some(None)` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "chosen")]
    pub severity: Option<Option<Severity>>,
    /// Why the control matters; `Some(None)` for nothing.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "chosen")]
    pub why: Option<Option<String>>,
    /// The recommended change; `Some(None)` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "chosen")]
    pub suggested_fix: Option<Option<String>>,
    /// The accepted risk. It ends once a run finds the control secure, or on its last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_risk: Option<AcceptedRisk>,
}

/// Which values of a check are kept for later reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// Whether its edited fields are kept, other than an accepted risk; `None` for those that are kept already.
    pub fields: Option<bool>,
    /// Whether its accepted risk, or that it has none, replaces the one that is kept.
    pub risk: bool,
}

/// A kept edit of which a part ends.
#[derive(Clone, PartialEq, Eq)]
pub struct EndedEdit {
    /// The kept edit, as it was read.
    pub kept: KeptEdit,
    /// The values that are left.
    pub rest: KeptValues,
}

/// The effect of kept edits on a new report.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AppliedEdits {
    /// Marks for the new report.
    pub marks: Vec<EditMark>,
    /// Kept edits whose status or accepted risk ends.
    pub ended: Vec<EndedEdit>,
}

/// Why a kept edit was not ended.
#[derive(Debug, thiserror::Error)]
pub enum KeptEditError {
    /// No edit is kept for the control, or the tenant is removed.
    #[error("no edit is kept for control {0}")]
    NotFound(ControlId),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl KeptValues {
    /// Returns the values that are kept after an edit of a check. `before` is what was kept for the same revision of its
    /// control.
    pub(crate) fn after(keep: Keep, (check, marks): (&Check, &[EditMark]), before: Self) -> Self {
        let fields = match keep.fields {
            None => before.clone(),
            Some(false) => Self::default(),
            Some(true) => {
                let part = EditedPart::Check(check.control_id.clone());
                let mark = marks.iter().find(|mark| mark.part == part);
                let edited: Vec<_> = mark.map(|mark| mark.edited().collect()).unwrap_or_default();
                Self::of(check, &edited, &before)
            }
        };
        let accepted_risk = if keep.risk { check.accepted_risk.clone() } else { before.accepted_risk };
        Self { accepted_risk, ..fields }
    }

    /// Returns the values of a check in fields that people edited. A value that this release does not know is only kept
    /// if it was before: a new item cannot contain it.
    fn of(check: &Check, edited: &[EditedField], before: &Self) -> Self {
        let is_edited = |field| edited.contains(&field);
        let status = Some(check.status).filter(|status| status.is_known() || before.status == Some(*status));
        let severity = Some(check.severity)
            .filter(|severity| severity.is_none_or(Severity::is_known) || before.severity == Some(*severity));
        Self {
            status: status.filter(|_| is_edited(EditedField::Status)),
            severity: severity.filter(|_| is_edited(EditedField::Severity)),
            why: is_edited(EditedField::Why).then(|| check.why.clone()),
            suggested_fix: is_edited(EditedField::SuggestedFix).then(|| check.suggested_fix.clone()),
            accepted_risk: None,
        }
    }

    /// Returns whether all fields come from the tool's results.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the value of a field is kept.
    pub fn keeps(&self, field: EditedField) -> bool {
        self.without(&[field]) != *self
    }

    /// Returns the values without those of fields.
    pub(crate) fn without(&self, fields: &[EditedField]) -> Self {
        let stays = |field| !fields.contains(&field);
        let Self { status, severity, why, suggested_fix, accepted_risk } = self.clone();
        Self {
            status: status.filter(|_| stays(EditedField::Status)),
            severity: severity.filter(|_| stays(EditedField::Severity)),
            why: why.filter(|_| stays(EditedField::Why)),
            suggested_fix: suggested_fix.filter(|_| stays(EditedField::SuggestedFix)),
            accepted_risk: accepted_risk.filter(|_| stays(EditedField::AcceptedRisk)),
        }
    }

    /// Returns whether fields other than an accepted risk are kept.
    pub fn has_fields(&self) -> bool {
        !Self { accepted_risk: None, ..self.clone() }.is_empty()
    }
}

impl Organization {
    /// Returns the kept edits of a tenant, in order of their controls.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn kept_edits(&self, tenant: &ServiceTenantId) -> Result<Vec<KeptEdit>, StoreError> {
        self.store.all(self.partition.kept_edits(tenant)).await
    }

    /// Returns the kept edits of all tenants, also of those that are being removed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn all_kept_edits(&self) -> Result<Vec<KeptEdit>, StoreError> {
        self.store.all(self.partition.all_kept_edits()).await
    }

    /// Returns the kept edit of a control.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn kept_edit(
        &self,
        tenant: &ServiceTenantId,
        control: &ControlId,
    ) -> Result<Option<KeptEdit>, StoreError> {
        self.store.get(self.partition.kept_edit(tenant, control)).await
    }
}

impl Writer {
    /// Ends a kept edit. Reports that it was applied to do not change.
    ///
    /// # Errors
    /// If no edit is kept for the control, or the store fails.
    pub async fn end_kept_edit(&self, tenant: &ServiceTenantId, control: &ControlId) -> Result<(), KeptEditError> {
        let actions = vec![self.store.erase_existing(self.partition.kept_edit(tenant, control))];
        let deed = || {
            let deed = Deed::new(AuditAction::KeptEditEnded, control);
            deed.with("tenant", Some(tenant.to_string()), None)
        };
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(_) => Err(KeptEditError::NotFound(control.clone())),
        }
    }

    /// Returns the action that keeps values of a check.
    pub(crate) fn keep(
        &self,
        report: &StoredReport,
        check: &Check,
        values: KeptValues,
        before: Option<&KeptEdit>,
    ) -> Result<Action, StoreError> {
        let seen = before.map(|before| before.version);
        let is_told = |before: &KeptEdit| before.is_reminded && before.values.accepted_risk == values.accepted_risk;
        let kept = KeptEdit {
            is_reminded: before.is_some_and(is_told),
            service_tenant_id: report.summary.service_tenant_id.clone(),
            control_id: check.control_id.clone(),
            revision: report.revision_of(check),
            since: report.summary.figures.completed_at,
            values,
            by: self.actor.name().to_owned(),
            at: self.at,
            version: seen.unwrap_or_default() + 1,
        };
        self.store.succeed(self.partition.kept_edit(&kept.service_tenant_id, &kept.control_id), &kept, seen)
    }

    /// Returns the action that deletes a kept edit as it was read.
    pub(crate) fn forget_kept(&self, kept: &KeptEdit) -> Action {
        let key = self.partition.kept_edit(&kept.service_tenant_id, &kept.control_id);
        self.store.erase_version(key, kept.version)
    }

    /// Returns the action that ends a part of a kept edit, and the whole edit if no value is left.
    pub(crate) fn end_part(&self, EndedEdit { kept, rest }: &EndedEdit) -> Result<Action, StoreError> {
        if rest.is_empty() {
            return Ok(self.forget_kept(kept));
        }
        let key = self.partition.kept_edit(&kept.service_tenant_id, &kept.control_id);
        let is_reminded = kept.is_reminded && rest.accepted_risk.is_some();
        let rest = KeptEdit { values: rest.clone(), is_reminded, version: kept.version + 1, ..kept.clone() };
        self.store.replace(key, &rest, kept.version)
    }
}

impl KeptEdit {
    /// Returns whether it was kept in a report or before it, for the revision that the control has there.
    pub fn is_known_to(&self, revisions: &BTreeMap<ControlId, u32>, completed_at: Timestamp) -> bool {
        let revision = revisions.get(&self.control_id).copied().unwrap_or(FIRST_REVISION);
        self.revision == revision && self.since <= completed_at
    }

    /// Returns the edit without fields that have the tool's values again, or `None` if none of them is kept.
    pub(crate) fn set_back(self, fields: &[EditedField]) -> Option<EndedEdit> {
        let rest = self.values.without(fields);
        (rest != self.values).then_some(EndedEdit { kept: self, rest })
    }
}

impl EndedEdit {
    /// Returns what ends, as the audit trail writes it.
    pub(crate) fn changes(&self) -> Vec<AuditChange> {
        let (before, rest) = (&self.kept.values, &self.rest);
        let parts = [
            ("kept status", before.status != rest.status, word(&before.status)),
            ("kept severity", before.severity != rest.severity, word(&before.severity)),
            ("kept why", before.why != rest.why, word(&before.why)),
            ("kept suggestedFix", before.suggested_fix != rest.suggested_fix, word(&before.suggested_fix)),
            ("accepted risk", before.accepted_risk != rest.accepted_risk, word(&before.accepted_risk)),
        ];
        let ended = parts.into_iter().filter(|(_, ends, _)| *ends);
        let field = |part| format!("{} {part}", self.kept.control_id);
        ended.map(|(part, _, before)| AuditChange { field: field(part), before, after: None }).collect()
    }
}

/// Reads a field that exists, whatever its value.
pub(crate) fn chosen<'de, T: Deserialize<'de>, D: Deserializer<'de>>(field: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(field).map(Some)
}

impl fmt::Debug for KeptEdit {
    /// Leaves out names and texts, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptEdit").field("control_id", &self.control_id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_value_is_kept_as_removed() {
        let values = KeptValues { why: Some(None), severity: Some(Some(Severity::Low)), ..Default::default() };
        let stored: serde_dynamo::Item = serde_dynamo::to_item(&values).unwrap();
        assert_eq!(stored.len(), 2);
        assert!(serde_dynamo::from_item::<_, KeptValues>(stored).unwrap() == values);
        assert!(KeptValues::default().is_empty() && !values.is_empty());
    }
}
