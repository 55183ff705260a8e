//! Edits of a report: its body is rewritten, so the API returns the edited values.

use backon::Retryable;
use model::{ReportBody, ReportId};
use serde_json::Value;

use super::{EditMark, ListedReport, ReportItem, StoredReport, marks};
use crate::audit::{AuditAction, AuditChange, Deed};
use crate::table::{Action, CONTENDERS, Transaction, backoff};
use crate::{Keep, StoreError, Writer};

/// Why a report was not edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError<E> {
    /// The organization has no such report.
    #[error("the organization has no report {0}")]
    NotFound(ReportId),
    /// The edit should be kept, but no field that later reports can keep was edited.
    #[error("no field that later reports can keep was edited: change the status, the severity, the reason or the fix")]
    NothingToKeep,
    /// The edit itself was refused.
    #[error(transparent)]
    Refused(E),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl Writer {
    /// Edits a report's body and returns the edited report. If another editor was faster, the edit is applied again to
    /// their result, so no edit is lost.
    ///
    /// The report, its revision and the summaries in its pointers change together.
    ///
    /// # Errors
    /// If there is no such report, `edit` refuses, the report becomes too large, or the store fails.
    pub async fn edit_report<E>(
        &self,
        id: &ReportId,
        edit: impl Fn(&mut ReportBody) -> Result<(), E>,
    ) -> Result<StoredReport, EditError<E>> {
        self.edit_and_keep(id, edit, None).await
    }

    /// Edits a report's body as [`edit_report`](Self::edit_report) does, and in the same transaction keeps the edit of
    /// a check for later reports, or stops keeping it. Without `keep`, kept edits do not change.
    ///
    /// # Errors
    /// As [`edit_report`](Self::edit_report), and [`EditError::NothingToKeep`].
    pub async fn edit_and_keep<E>(
        &self,
        id: &ReportId,
        edit: impl Fn(&mut ReportBody) -> Result<(), E>,
        keep: Option<Keep<'_>>,
    ) -> Result<StoredReport, EditError<E>> {
        let attempt = || async {
            let (stored, tenant) = self.report_with_tenant(id).await?.ok_or_else(|| EditError::NotFound(id.clone()))?;
            let before = stored.clone().open()?.body;
            let mut body = before.clone();
            edit(&mut body).map_err(EditError::Refused)?;
            let summary = stored.summary.edited(&body, self.at);
            let mut edits = stored.edits.clone();
            marks::mark(&mut edits, (&before, &body), self.actor.name(), self.at);
            let keeping = self.keeping(keep, &stored, (&body, &edits)).await?;
            let item = ReportItem::new(summary.clone(), &body, &stored.revisions, edits)?;
            let (at, of) = (summary.completed_at, &summary.service_tenant_id);
            let pointer = ListedReport { tenant_name: tenant.name.clone(), summary: summary.clone() };
            let mut actions = vec![
                self.store.replace_revision(self.key_of(&summary.place()), &item, stored.summary.revision)?,
                self.store.write(self.partition.completed(at, id), &pointer)?,
                self.store.write(self.partition.history_item(of, at, id), &pointer)?,
                self.mark_reports(of)?,
                // The report was neither removed nor replaced as the newest in the meantime.
                self.store.require_version(self.partition.tenant(of), tenant.version),
            ];
            if tenant.latest.is_some_and(|latest| latest.report_id == *id) {
                actions.push(self.store.write(self.partition.latest(at, id), &pointer)?);
            }
            let (kept, change) = keeping.unzip();
            actions.extend(kept);
            let changes = || changes(&before, &body).into_iter().chain(change).collect();
            let deed = || Deed { changes: changes(), ..Deed::new(AuditAction::ReportEdited, id) };
            match self.commit(actions, deed).await? {
                Transaction::Done => Ok(item.named(tenant.name)),
                Transaction::Refused(_) => Err(StoreError::Contended("editing a report").into()),
            }
        };
        let came_between = |error: &EditError<E>| matches!(error, EditError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}

impl Writer {
    /// Returns the action that keeps the edit of a check or stops keeping it, with its description for the audit trail,
    /// or `None` if there is nothing to do.
    async fn keeping<E>(
        &self,
        keep: Option<Keep<'_>>,
        report: &StoredReport,
        (body, edits): (&ReportBody, &[EditMark]),
    ) -> Result<Option<(Action, AuditChange)>, EditError<E>> {
        let Some(Keep { control, keep }) = keep else { return Ok(None) };
        let check = body.checks.iter().find(|check| check.control_id.as_str().eq_ignore_ascii_case(control));
        let check = check.ok_or_else(|| EditError::NotFound(report.summary.report_id.clone()))?;
        let before = self.kept_edit(&report.summary.service_tenant_id, &check.control_id).await?;
        let action = match (keep, &before) {
            (false, None) => return Ok(None),
            (false, Some(before)) => self.forget_kept(before),
            (true, before) => {
                let action = self.keep(report, (check, edits), before.as_ref())?;
                action.ok_or(EditError::NothingToKeep)?
            }
        };
        let word = |kept: bool| kept.then(|| "yes".to_owned());
        let field = format!("{} kept for later reports", check.control_id);
        Ok(Some((action, AuditChange { field, before: word(before.is_some()), after: word(keep) })))
    }
}

/// Returns the fields that an edit changed, for every check and administrator.
fn changes(before: &ReportBody, after: &ReportBody) -> Vec<AuditChange> {
    let checks = before.checks.iter().zip(&after.checks);
    let checks = checks.filter(|(before, after)| before != after);
    let checks = checks.flat_map(|(before, after)| differences(before.control_id.as_str(), before, after));
    let admins = before.global_admins.admins.iter().zip(&after.global_admins.admins);
    let admins = admins.filter(|(before, after)| before != after);
    let admins = admins.flat_map(|(before, after)| differences(&before.user_principal_name, before, after));
    checks.chain(admins).collect()
}

fn differences<T: serde::Serialize>(subject: &str, before: &T, after: &T) -> Vec<AuditChange> {
    let fields = |value: &T| match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Default::default(),
    };
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    };
    let (before, after) = (fields(before), fields(after));
    let differing = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
    differing
        .map(|(name, value)| AuditChange {
            field: format!("{subject} {name}"),
            before: before.get(name).and_then(text),
            after: text(value),
        })
        .collect()
}
