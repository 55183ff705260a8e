//! Deletion of a report with everything that points to it.

use model::{ReportId, ReportType};

use super::audit::{AuditAction, Deed};
use super::events::EventContent;
use super::recording::between_others;
use super::reports::ListedReport;
use super::table::{Action, Transaction};
use super::tenants::{LatestReport, TenantRecord};
use super::{AdminWriter, ReportError, ReportSummary, StoreError};

impl AdminWriter {
    /// Deletes a report with all its pointers, completely or not at all.
    ///
    /// If it was the tenant's newest, the previous report becomes the newest. If it was a baseline, later reports
    /// compare with the newest remaining baseline. Follow-ups that compared with it do not change. The report of a removed
    /// tenant is deleted, too.
    ///
    /// # Errors
    /// If there is no such report, or the store fails.
    pub async fn delete_report(&self, id: &ReportId) -> Result<(), ReportError> {
        let existed = between_others(|| async {
            let Some((report, tenant)) = self.report_with_tenant(id).await? else {
                return self.delete_removed_report(id).await;
            };
            let summary = report.summary;
            let of = &summary.service_tenant_id;
            let at = summary.figures.completed_at;
            let mut actions = self.erasing(&summary)?;
            // Always incremented, so imports and edits that saw the report start over.
            let mut next = TenantRecord { version: tenant.version + 1, ..tenant.clone() };
            if tenant.latest.as_ref().is_some_and(|latest| latest.report_id == *id) {
                actions.push(self.store.erase(self.partition.latest(at, id)));
                let newest = self.newest_besides(&tenant, id, None).await?;
                if let Some(newest) = &newest {
                    let key = self.partition.latest(newest.summary.figures.completed_at, &newest.summary.report_id);
                    actions.push(self.take_over(key, newest)?);
                }
                let latest = |newest: ListedReport| LatestReport {
                    completed_at: newest.summary.figures.completed_at,
                    report_id: newest.summary.report_id,
                };
                next.latest = newest.map(latest);
            }
            actions.extend(self.withdraw_newest(&tenant, &summary).await?);
            actions.extend(self.release_body(&summary).await?);
            actions.push(self.store.replace(self.partition.tenant(of), &next, tenant.version)?);
            let content = EventContent::of_tenant(&tenant).with_report(&summary, None);
            match self.commit(actions, || deleted(&summary, content)).await? {
                Transaction::Done => Ok(true),
                Transaction::Refused(_) => Err(StoreError::Contended("deleting a report")),
            }
        });
        existed.await?.then_some(()).ok_or_else(|| ReportError::NotFound(id.clone()))
    }

    /// Deletes a report of a removed tenant, and returns whether it existed.
    async fn delete_removed_report(&self, id: &ReportId) -> Result<bool, StoreError> {
        let Some(report) = self.removed_report(id).await? else { return Ok(false) };
        let of = &report.summary.service_tenant_id;
        let Some(tenant) = self.removed_tenant(of).await? else { return Ok(false) };
        let content = EventContent::of_tenant(&tenant).with_report(&report.summary, None);
        let mut actions = self.erasing(&report.summary)?;
        actions.push(self.store.require(self.partition.removed_tenant(of)));
        Ok(self.commit(actions, || deleted(&report.summary, content)).await? == Transaction::Done)
    }

    /// Returns the actions that delete a report with its pointers, except those of the newest reports.
    fn erasing(&self, summary: &ReportSummary) -> Result<Vec<Action>, StoreError> {
        let (id, of) = (&summary.report_id, &summary.service_tenant_id);
        let at = summary.figures.completed_at;
        let mut actions = vec![
            self.store.erase_existing(self.partition.report_place(id)),
            self.store.erase(self.key_of(&summary.place())),
            self.store.erase(self.partition.completed(at, id)),
            self.store.erase(self.partition.history_item(of, at, id)),
            self.mark_reports(of)?,
        ];
        if summary.figures.report_type == ReportType::Baseline {
            actions.push(self.store.erase(self.partition.baseline(of, &summary.tool, at, id)));
        }
        Ok(actions)
    }
}

fn deleted(report: &ReportSummary, content: EventContent) -> Deed {
    let tenant = report.service_tenant_id.to_string();
    Deed::new(AuditAction::ReportDeleted, &report.report_id).with("tenant", Some(tenant), None).telling(content)
}
