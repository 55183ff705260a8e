//! Edits of a report: its body is rewritten, so the API returns the edited values.

use std::collections::BTreeMap;

use backon::Retryable;
use model::{Check, ControlId, ReportBody, ReportId};
use serde_json::Value;

use super::add::MOST_ENDED;
use super::{EditMark, EditedField, ListedReport, ReportItem, ReportSummary, StoredReport, marks};
use crate::audit::{AuditAction, AuditChange, Deed, word};
use crate::events::{EventContent, NewEvent};
use crate::table::{Action, CONTENDERS, Transaction, backoff};
use crate::tenants::TenantRecord;
use crate::{EndedEdit, Keep, KeptEdit, KeptValues, StoreError, Task, Writer};

/// Why a report was not edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError<E> {
    /// The organization has no such report, or its tenant is removed.
    #[error("the organization has no report {0}")]
    NotFound(ReportId),
    /// The edit should be kept, but no field that later reports can keep was edited.
    #[error("no field that later reports can keep was edited: change the status, the severity, the reason or the fix")]
    NothingToKeep(Box<StoredReport>),
    /// The edit itself was refused. Contains the report as it is.
    #[error("{0}")]
    Refused(#[source] E, Box<StoredReport>),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// A report while it is edited.
pub struct Draft<'a> {
    /// The report as it is.
    pub report: &'a StoredReport,
    /// Its body, to be edited.
    pub body: ReportBody,
    /// The values that later imports apply to the check that is edited.
    pub kept: KeptValues,
    /// The fields of the check that have the tool's values again, if the edit does nothing else. They are no longer
    /// kept.
    pub set_back: Vec<EditedField>,
}

/// A report after an edit.
pub struct EditedReport {
    /// The report as it is now.
    pub report: StoredReport,
    /// Its summary before the edit.
    pub before: ReportSummary,
    /// The changes, as the audit trail contains them.
    pub changes: Vec<AuditChange>,
}

/// The marks of a report after an edit.
struct Marked {
    edits: Vec<EditMark>,
    /// Keeps the edit of a check, or stops keeping it.
    keeping: Option<Action>,
    /// The values that are no longer kept, because the tool's came back.
    ended: Option<EndedEdit>,
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
        let edited = self.edit_and_keep(id, None, |draft| edit(&mut draft.body).map(|()| Keep::default())).await?;
        Ok(edited.report)
    }

    /// Edits a report's body as [`edit_report`](Self::edit_report) does, and in the same transaction keeps the edit of
    /// a control's check for later reports, or stops keeping it, as `edit` returns.
    ///
    /// # Errors
    /// As [`edit_report`](Self::edit_report), and [`EditError::NothingToKeep`].
    pub async fn edit_and_keep<E>(
        &self,
        id: &ReportId,
        control: Option<&str>,
        edit: impl Fn(&mut Draft<'_>) -> Result<Keep, E>,
    ) -> Result<EditedReport, EditError<E>> {
        let attempt = || async {
            let (stored, tenant) = self.report_with_tenant(id).await?.ok_or_else(|| EditError::NotFound(id.clone()))?;
            let before = stored.clone().open()?.body;
            let kept = match check_of(&before, control) {
                Some(check) => self.kept_edit(&tenant.service_tenant_id, &check.control_id).await?,
                None => None,
            };
            let values = kept.as_ref().map(|kept| kept.values.clone()).unwrap_or_default();
            let is_kept = values.has_fields();
            let mut draft = Draft { report: &stored, body: before.clone(), kept: values, set_back: Vec::new() };
            let keep = edit(&mut draft).map_err(|error| EditError::Refused(error, Box::new(stored.clone())))?;
            let Draft { body, set_back, .. } = draft;
            let check = check_of(&body, control);
            let Marked { edits, keeping, ended: unkept } =
                self.marked(&stored, (&before, &body), (check, kept), (keep, &set_back))?;
            let item = ReportItem::edited(&stored, stored.summary.edited(&body, self.at), &body, edits)?;
            let event = self.new_event();
            let (mut actions, content, ended) =
                self.replacing(&item, (&body, &stored.revisions), (&stored, &tenant), &event).await?;
            actions.extend(keeping);
            if let Some(risk) = check.and_then(|check| check.accepted_risk.as_ref()).filter(|_| keep.risk) {
                actions.extend(self.watch_risk(risk).await?);
            }
            let kept = check.zip(keep.fields).map(|(check, keep)| kept_change(check, is_kept, keep));
            let unkept = unkept.iter().flat_map(EndedEdit::changes);
            let changes: Vec<_> = changes(&before, &body).into_iter().chain(kept).chain(unkept).collect();
            let content = content.with_edited(edited_controls(&before, &body));
            let deed = || {
                let deed = Deed::new(action_of(keep, check), id).telling(content);
                Deed { changes: changes.iter().cloned().chain(ended).collect(), event: Some(event), ..deed }
            };
            match self.commit(actions, deed).await? {
                Transaction::Done => {
                    let report = item.named(self.key_of(&stored.summary.place()), tenant.name, None)?;
                    Ok(EditedReport { report, before: stored.summary, changes })
                }
                Transaction::Refused(_) => Err(StoreError::Contended("editing a report").into()),
            }
        };
        let came_between = |error: &EditError<E>| matches!(error, EditError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }

    /// Returns the marks of a report after an edit, with what becomes of the kept edit of the edited check.
    fn marked<E>(
        &self,
        report: &StoredReport,
        (before, after): (&ReportBody, &ReportBody),
        (check, kept): (Option<&Check>, Option<KeptEdit>),
        (keep, set_back): (Keep, &[EditedField]),
    ) -> Result<Marked, EditError<E>> {
        let mut edits = report.edits.clone();
        if let Some(check) = check.filter(|_| !set_back.is_empty()) {
            marks::unmark(&mut edits, check, set_back);
            let completed_at = report.summary.figures.completed_at;
            let known = kept.filter(|kept| kept.is_known_to(&report.revisions, completed_at));
            let ended = known.and_then(|kept| kept.set_back(set_back));
            let keeping = ended.as_ref().map(|ended| self.end_part(ended)).transpose()?;
            return Ok(Marked { edits, keeping, ended });
        }
        marks::mark(&mut edits, (before, after), self.actor.name(), self.at);
        let keeping = match check {
            Some(check) => self.keeping(keep, report, (check, &edits), kept.as_ref())?,
            None => None,
        };
        Ok(Marked { edits, keeping, ended: None })
    }

    /// Returns the actions that replace a report as it was read, with the summaries in its pointers, what the event of the
    /// change tells, and the ends of tasks that are done by it.
    pub(super) async fn replacing(
        &self,
        item: &ReportItem,
        results: (&ReportBody, &BTreeMap<ControlId, u32>),
        (stored, tenant): (&StoredReport, &TenantRecord),
        event: &NewEvent,
    ) -> Result<(Vec<Action>, EventContent, Vec<AuditChange>), StoreError> {
        let summary = &item.summary;
        let id = &summary.report_id;
        let at = summary.figures.completed_at;
        let of = &summary.service_tenant_id;
        let pointer = ListedReport { tenant_name: tenant.name.clone(), summary: summary.clone() };
        let mut actions = vec![
            self.store.replace_revision(self.key_of(&summary.place()), item, stored.summary.revision)?,
            self.store.write(self.partition.completed(at, id), &pointer)?,
            self.store.write(self.partition.history_item(of, at, id), &pointer)?,
            self.mark_reports(of)?,
            // The report was neither removed nor replaced as the newest in the meantime.
            self.store.require_version(self.partition.tenant(of), tenant.version),
        ];
        if tenant.latest.as_ref().is_some_and(|latest| latest.report_id == *id) {
            actions.push(self.store.write(self.partition.latest(at, id), &pointer)?);
        }
        let Some(newest) = self.rewrite_newest(&pointer).await? else {
            return Ok((actions, EventContent::of_tenant(tenant).with_report(summary, None), Vec::new()));
        };
        actions.push(newest);
        actions.extend(self.keep_results((tenant, summary), results.0, &item.edits).await?);
        let (content, known) = self.learn((tenant, summary), results, Some(&stored.summary), event).await?;
        actions.extend(known);
        let done = self.tasks_done_by(of, results.0, MOST_ENDED).await?;
        for task in &done {
            actions.push(self.finish_task(task, results.0)?);
        }
        Ok((actions, content, done.iter().map(Task::end).collect()))
    }

    /// Returns the action that keeps values of a check or stops keeping them, or `None` if there is nothing to do.
    fn keeping<E>(
        &self,
        keep: Keep,
        report: &StoredReport,
        (check, edits): (&Check, &[EditMark]),
        before: Option<&KeptEdit>,
    ) -> Result<Option<Action>, EditError<E>> {
        if keep == Keep::default() {
            return Ok(None);
        }
        let of_revision = before.filter(|before| before.revision == report.revision_of(check));
        let values = of_revision.map(|before| before.values.clone()).unwrap_or_default();
        let values = KeptValues::after(keep, (check, edits), values);
        if keep.fields == Some(true) && !values.has_fields() {
            return Err(EditError::NothingToKeep(Box::new(report.clone())));
        }
        match before {
            None if values.is_empty() => Ok(None),
            Some(before) if values.is_empty() => Ok(Some(self.forget_kept(before))),
            before => Ok(Some(self.keep(report, check, values, before)?)),
        }
    }
}

fn action_of(keep: Keep, check: Option<&Check>) -> AuditAction {
    match (keep.risk, check.is_some_and(|check| check.accepted_risk.is_some())) {
        (false, _) => AuditAction::ReportEdited,
        (true, true) => AuditAction::RiskAccepted,
        (true, false) => AuditAction::RiskAcceptanceEnded,
    }
}

fn kept_change(check: &Check, before: bool, after: bool) -> AuditChange {
    let yes = |kept: bool| kept.then(|| "yes".to_owned());
    let field = format!("{} kept for later reports", check.control_id);
    AuditChange { field, before: yes(before), after: yes(after) }
}

fn check_of<'a>(body: &'a ReportBody, control: Option<&str>) -> Option<&'a Check> {
    let control = control?;
    body.checks.iter().find(|check| check.control_id.as_str().eq_ignore_ascii_case(control))
}

fn edited_controls(before: &ReportBody, after: &ReportBody) -> Vec<ControlId> {
    let checks = before.checks.iter().zip(&after.checks).filter(|(before, after)| before != after);
    checks.map(|(_, after)| after.control_id.clone()).collect()
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
    let (before, after) = (fields(before), fields(after));
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let names = after.keys().chain(removed).filter(|name| before.get(*name) != after.get(*name));
    names
        .map(|name| AuditChange {
            field: format!("{subject} {name}"),
            before: before.get(name).and_then(word),
            after: after.get(name).and_then(word),
        })
        .collect()
}
