//! Deletion of a report with everything that points to it.

use futures_util::TryStreamExt;
use model::{ReportId, ReportType};

use super::audit::{AuditAction, Deed};
use super::recording::between_others;
use super::reports::ListedReport;
use super::table::{Order, Transaction, page_items};
use super::tenants::{LatestReport, TenantRecord};
use super::{AdminWriter, ReportError, StoreError};

/// Number of pointers to read to find the newest report other than a given one.
const NEWEST: usize = 2;

impl AdminWriter {
    /// Deletes a report with all its pointers, completely or not at all.
    ///
    /// If it was the tenant's newest, the previous report becomes the newest. If it was a baseline, later reports
    /// compare with the newest remaining baseline. Follow-ups that compared with it do not change.
    ///
    /// # Errors
    /// If there is no such report, or the store fails.
    pub async fn delete_report(&self, id: &ReportId) -> Result<(), ReportError> {
        let existed = between_others(|| async {
            let Some((report, tenant)) = self.report_with_tenant(id).await? else { return Ok(false) };
            let summary = report.summary;
            let place = summary.place();
            let of = &summary.service_tenant_id;
            let at = summary.figures.completed_at;
            let mut actions = vec![
                self.store.erase_existing(self.partition.report_place(id)),
                self.store.erase(self.key_of(&place)),
                self.store.erase(self.partition.completed(at, id)),
                self.store.erase(self.partition.history_item(of, at, id)),
                self.mark_reports(of)?,
            ];
            if summary.figures.report_type == ReportType::Baseline {
                actions.push(self.store.erase(self.partition.baseline(of, &summary.tool, at, id)));
            }
            // Always incremented, so imports and edits that saw the report start over.
            let mut next = TenantRecord { version: tenant.version + 1, ..tenant.clone() };
            if tenant.latest.as_ref().is_some_and(|latest| latest.report_id == *id) {
                actions.push(self.store.erase(self.partition.latest(at, id)));
                let newest = self.newest_besides(&tenant, id).await?;
                if let Some(newest) = &newest {
                    let (at, id) = (newest.summary.figures.completed_at, &newest.summary.report_id);
                    let pointer = self.store.create(self.partition.latest(at, id), newest)?;
                    actions.push(pointer.keeping::<ListedReport>(self.partition.history_item(of, at, id)));
                }
                let latest = |newest: ListedReport| LatestReport {
                    completed_at: newest.summary.figures.completed_at,
                    report_id: newest.summary.report_id,
                };
                next.latest = newest.map(latest);
            }
            actions.push(self.store.replace(self.partition.tenant(of), &next, tenant.version)?);
            let deed = || Deed::new(AuditAction::ReportDeleted, id).with("tenant", Some(of.to_string()), None);
            match self.commit(actions, deed).await? {
                Transaction::Done => Ok(true),
                Transaction::Refused(_) => Err(StoreError::Contended("deleting a report")),
            }
        });
        existed.await?.then_some(()).ok_or_else(|| ReportError::NotFound(id.clone()))
    }

    /// Returns the tenant's newest report other than the given one.
    async fn newest_besides(&self, tenant: &TenantRecord, id: &ReportId) -> Result<Option<ListedReport>, StoreError> {
        let range = self.partition.history_of(&tenant.service_tenant_id, None);
        let pages = self.store.query::<ListedReport>(range, Order::NewestFirst, &[NEWEST]);
        let mut reports = std::pin::pin!(pages.map_ok(page_items).try_flatten());
        while let Some(report) = reports.try_next().await? {
            if report.summary.report_id != *id {
                return Ok(Some(report));
            }
        }
        Ok(None)
    }
}
