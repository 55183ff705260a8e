//! Edits of a report: its body is written anew, so that the API returns what the report shows.

use backon::Retryable;
use model::{ReportBody, ReportId, Timestamp};
use serde_json::Value;

use super::{ReportItem, StoredReport, marks};
use crate::audit::{AuditAction, AuditChange, Deed};
use crate::table::{CONTENDERS, Transaction, backoff};
use crate::{Organization, StoreError};

/// Why a report was not edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError<E> {
    /// The organization has no such report.
    #[error("the organization has no such report")]
    NotFound,
    /// The edit itself was refused.
    #[error(transparent)]
    Refused(E),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Organization {
    /// Edits a report's body and returns the edited report. If another editor came between, the edit is made again on
    /// what they left, so nobody's edit is lost.
    ///
    /// The report, its revision and the summaries in its pointers change together.
    ///
    /// # Errors
    /// If there is no such report, `edit` refuses, the report becomes too large, or the store fails.
    pub async fn edit_report<E>(
        &self,
        id: &ReportId,
        edited_at: Timestamp,
        edit: impl Fn(&mut ReportBody) -> Result<(), E>,
    ) -> Result<StoredReport, EditError<E>> {
        let attempt = || async {
            let (stored, tenant) = self.report_with_tenant(id).await?.ok_or(EditError::NotFound)?;
            let before = stored.clone().open()?.body;
            let mut body = before.clone();
            edit(&mut body).map_err(EditError::Refused)?;
            let summary = stored.summary.edited(&body, edited_at);
            let mut edits = stored.edits;
            marks::mark(&mut edits, (&before, &body), self.author_name(), edited_at);
            let item = ReportItem::new(summary.clone(), &body, &stored.revisions, edits)?;
            let (at, of) = (summary.completed_at, &summary.service_tenant_id);
            let mut actions = vec![
                self.store.replace_revision(self.key_of(&summary.place()), &item, stored.summary.revision)?,
                self.store.write(self.partition.completed(at, id), &summary)?,
                self.store.write(self.partition.history_item(of, at, id), &summary)?,
                // Neither removed nor given a newer report in the meantime.
                self.store.require_version(self.partition.tenant(of), tenant.version),
            ];
            if tenant.latest.is_some_and(|latest| latest.report_id == *id) {
                actions.push(self.store.write(self.partition.latest(at, id), &summary)?);
            }
            let deed = || Deed { changes: changes(&before, &body), ..Deed::new(AuditAction::ReportEdited, id) };
            match self.commit(actions, deed).await? {
                Transaction::Done => Ok(item.named(tenant.name)),
                Transaction::Refused(_) => Err(StoreError::Contended("editing a report").into()),
            }
        };
        let came_between = |error: &EditError<E>| matches!(error, EditError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}

/// Returns what an edit changed: of every check and administrator, the fields that differ.
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
