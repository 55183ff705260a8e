//! Adding a report with all its pointers.

use std::collections::BTreeMap;

use model::{ControlId, ReportBody, ReportId, ReportType, Timestamp};

use super::{ListedReport, ReportItem, ReportSummary, RunContent, text};
use crate::audit::{AuditAction, Deed};
use crate::events::EventContent;
use crate::table::{Action, Transaction};
use crate::tenants::{LatestReport, TenantRecord};
use crate::{AppliedEdits, EndedEdit, StoreError, Task, Writer};

/// Maximum number of kept edits and tasks that end with one report: a transaction has up to 100 actions.
pub(super) const MOST_ENDED: usize = 80;

/// A report to be added.
#[derive(Debug)]
pub struct NewReport<'a> {
    /// Identifier, the same for the same assessment run.
    pub id: &'a ReportId,
    /// The tenant, as read before the report was assembled.
    pub tenant: &'a TenantRecord,
    /// Name of the tool.
    pub tool: &'a str,
    /// The report.
    pub body: &'a ReportBody,
    /// Revisions of controls, if they are not 1.
    pub revisions: &'a BTreeMap<ControlId, u32>,
    /// The run, to recognize other copies of it.
    pub content: Option<RunContent>,
}

/// Why a report was not found, added or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The organization has no such report, or its tenant is removed.
    #[error("the organization has no report {0}")]
    NotFound(ReportId),
    /// The report already exists.
    #[error("the report already exists")]
    Exists,
    /// The tenant was changed or removed since it was read: read it and assemble the report again.
    #[error("the tenant was changed or removed since it was read")]
    TenantChanged,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl NewReport<'_> {
    fn summary(&self, added_at: Timestamp) -> ReportSummary {
        ReportSummary {
            report_id: self.id.clone(),
            service_tenant_id: self.tenant.service_tenant_id.clone(),
            provider_tenant_id: self.tenant.provider_tenant_id.clone(),
            tool: self.tool.to_owned(),
            figures: self.body.figures.clone(),
            updated_at: added_at,
            revision: 0,
            shared_body: None,
        }
    }
}

impl Writer {
    /// Adds a report with all its pointers, completely or not at all.
    ///
    /// # Errors
    /// If the report already exists, the tenant was changed since it was read, the report exceeds the size limit of an
    /// item, or the store fails.
    pub async fn add_report(&self, new: NewReport<'_>) -> Result<(), ReportError> {
        self.add_report_with(new, AppliedEdits::default()).await
    }

    /// Adds a report to which kept edits were applied, with all its pointers, completely or not at all. In the same
    /// transaction, up to 80 kept edits lose the status or the accepted risk that ends with the report, or tasks are
    /// done; further ones with the next report.
    ///
    /// # Errors
    /// As [`add_report`](Self::add_report).
    pub async fn add_report_with(&self, new: NewReport<'_>, edits: AppliedEdits) -> Result<(), ReportError> {
        let AppliedEdits { marks, mut ended } = edits;
        ended.truncate(MOST_ENDED);
        let mut summary = new.summary(self.at);
        let newest = self.newest_like(&summary).await?;
        let text = text::written(new.body)?;
        let sharing = self.sharing(&summary, newest.as_ref(), (&text, new.body)).await?;
        let own = sharing.as_ref().map_or(text.len(), |sharing| sharing.own);
        let (digest, creation) = sharing.map(|sharing| (sharing.digest, sharing.creation)).unzip();
        summary.shared_body = digest;
        let item = ReportItem::of_text(summary.clone(), &text[..own], new.revisions, marks, new.content)?;
        let place = summary.place();
        let tenant = &summary.service_tenant_id;
        let pointer = ListedReport { tenant_name: new.tenant.name.clone(), summary: summary.clone() };
        let mut actions = vec![
            self.store.create(self.partition.report_place(new.id), &place)?,
            self.store.create(self.key_of(&place), &item)?,
            self.store.create(self.partition.completed(place.completed_at, new.id), &pointer)?,
            self.store.create(self.partition.history_item(tenant, place.completed_at, new.id), &pointer)?,
            self.mark_reports(tenant)?,
        ];
        if summary.figures.report_type == ReportType::Baseline {
            let key = self.partition.baseline(tenant, new.tool, place.completed_at, new.id);
            actions.push(self.store.create(key, &place)?);
        }
        actions.extend(self.move_latest(new.tenant, &pointer)?);
        actions.extend(creation.flatten());
        let newest = newest.map(|newest| newest.summary);
        let event = self.new_event();
        let mut done = Vec::new();
        let content = if newest.as_ref().is_none_or(|newest| newest.position() < summary.position()) {
            actions.extend(self.move_newest(&pointer, newest.as_ref())?);
            actions.extend(self.keep_results((new.tenant, &summary), new.body, &item.edits).await?);
            let results = (new.body, new.revisions);
            let (content, known) = self.learn((new.tenant, &summary), results, newest.as_ref(), &event).await?;
            actions.extend(known);
            done = self.tasks_done_by(tenant, new.body, MOST_ENDED - ended.len()).await?;
            content
        } else {
            EventContent::of_tenant(new.tenant).with_report(&summary, None)
        };
        for ended in &ended {
            actions.push(self.end_part(ended)?);
        }
        for task in &done {
            actions.push(self.finish_task(task, new.body)?);
        }
        let deed = || {
            let deed = Deed::new(AuditAction::ReportAdded, new.id).with("tenant", None, Some(tenant.to_string()));
            let ended = ended.iter().flat_map(EndedEdit::changes).chain(done.iter().map(Task::end));
            let changes = deed.changes.into_iter().chain(ended).collect();
            Deed { changes, event: Some(event), ..deed }.telling(content)
        };
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(conditions) if conditions[0] => Err(ReportError::Exists),
            Transaction::Refused(_) => Err(ReportError::TenantChanged),
        }
    }

    /// Returns the actions that increment the tenant's version and, if the report is its newest, point to it.
    fn move_latest(&self, tenant: &TenantRecord, pointer: &ListedReport) -> Result<Vec<Action>, StoreError> {
        let mut actions = Vec::new();
        let mut next = TenantRecord { version: tenant.version + 1, ..tenant.clone() };
        let summary = &pointer.summary;
        let latest = LatestReport { completed_at: summary.figures.completed_at, report_id: summary.report_id.clone() };
        if tenant.latest.as_ref() < Some(&latest) {
            let key = self.partition.latest(latest.completed_at, &latest.report_id);
            actions.push(self.store.create(key, pointer)?);
            if let Some(before) = next.latest.replace(latest) {
                actions.push(self.store.erase(self.partition.latest(before.completed_at, &before.report_id)));
            }
        }
        let key = self.partition.tenant(&tenant.service_tenant_id);
        actions.push(self.store.replace(key, &next, tenant.version)?);
        Ok(actions)
    }
}
