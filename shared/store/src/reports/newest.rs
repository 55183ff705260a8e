//! The newest report of each tool of a tenant: a pointer for each, moved by imports and deletions.

use futures_util::TryStreamExt;
use model::ReportId;

use super::{ListedReport, ReportSummary};
use crate::keys::Key;
use crate::table::{Action, Order, page_items};
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError, Writer};

/// Number of pointers to read to find the newest report other than a given one.
const NEWEST: usize = 2;

impl Organization {
    /// Returns the summary of the newest report of each tool, for all tenants. Reads no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn newest_of_tools(&self) -> Result<Vec<ReportSummary>, StoreError> {
        let listed: Vec<ListedReport> = self.store.all(self.partition.all_newest_of_tools()).await?;
        Ok(listed.into_iter().map(|listed| listed.summary).collect())
    }

    /// Returns the newest report of a tool for the tenant of a summary, if it has one.
    pub(crate) async fn newest_like(&self, summary: &ReportSummary) -> Result<Option<ListedReport>, StoreError> {
        let range = self.partition.newest_of(&summary.service_tenant_id, Some(&summary.tool));
        Ok(self.store.all(range).await?.pop())
    }

    /// Returns the key of the pointer that lists a report as the newest of its tool.
    pub(crate) fn key_of_newest(&self, summary: &ReportSummary) -> Key {
        let ReportSummary { service_tenant_id, tool, report_id, figures, .. } = summary;
        self.partition.newest_of_tool(service_tenant_id, tool, figures.completed_at, report_id)
    }
}

impl Writer {
    /// Returns the actions that point to a new report, the newest of its tool, instead of the one before. The version of
    /// its tenant, which was read before, shows whether another report was added meanwhile.
    pub(super) fn move_newest(
        &self,
        pointer: &ListedReport,
        before: Option<&ReportSummary>,
    ) -> Result<Vec<Action>, StoreError> {
        let mut actions = vec![self.store.create(self.key_of_newest(&pointer.summary), pointer)?];
        actions.extend(before.map(|before| self.store.erase(self.key_of_newest(before))));
        Ok(actions)
    }

    /// Returns the action that rewrites the pointer to a report, if it is the newest of its tool.
    pub(super) async fn rewrite_newest(&self, pointer: &ListedReport) -> Result<Option<Action>, StoreError> {
        let key = self.key_of_newest(&pointer.summary);
        match self.store.get::<ListedReport>(key.clone()).await? {
            Some(_) => self.store.write(key, pointer).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the actions that let the report before one be the newest of its tool, if this one is.
    pub(crate) async fn withdraw_newest(
        &self,
        tenant: &TenantRecord,
        deleted: &ReportSummary,
    ) -> Result<Vec<Action>, StoreError> {
        let key = self.key_of_newest(deleted);
        if self.store.get::<ListedReport>(key.clone()).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut actions = vec![self.store.erase(key)];
        let Some(newest) = self.newest_besides(tenant, &deleted.report_id, Some(&deleted.tool)).await? else {
            actions.push(self.erase_results(&deleted.tool, &tenant.service_tenant_id));
            return Ok(actions);
        };
        actions.push(self.take_over(self.key_of_newest(&newest.summary), &newest)?);
        // Without the report, another change was faster, and refuses this one.
        if let Some(report) = self.report(&newest.summary.report_id).await? {
            let edits = report.edits.clone();
            actions.extend(self.keep_results((tenant, &newest.summary), &report.open()?.body, &edits).await?);
        }
        Ok(actions)
    }

    /// Returns the actions that erase all of these pointers of a tenant, with the results that belong to them.
    pub(crate) async fn erase_newest(&self, tenant: &TenantRecord) -> Result<Vec<Action>, StoreError> {
        let keys: Vec<Key> =
            self.store.keys_of(self.partition.newest_of(&tenant.service_tenant_id, None)).try_collect().await?;
        let results =
            keys.iter().filter_map(|key| key.part(2)).map(|tool| self.erase_results(tool, &tenant.service_tenant_id));
        let mut actions: Vec<_> = results.collect();
        actions.extend(keys.into_iter().map(|key| self.store.erase(key)));
        Ok(actions)
    }

    /// Returns the action that creates a pointer from that of the tenant's history.
    pub(crate) fn take_over(&self, key: Key, pointer: &ListedReport) -> Result<Action, StoreError> {
        let ReportSummary { service_tenant_id, report_id, figures, .. } = &pointer.summary;
        let history = self.partition.history_item(service_tenant_id, figures.completed_at, report_id);
        Ok(self.store.create(key, pointer)?.keeping::<ListedReport>(history))
    }

    /// Returns the tenant's newest report other than the given one: of any tool, or of one.
    pub(crate) async fn newest_besides(
        &self,
        tenant: &TenantRecord,
        id: &ReportId,
        tool: Option<&str>,
    ) -> Result<Option<ListedReport>, StoreError> {
        let range = self.partition.history_of(&tenant.service_tenant_id, None);
        let pages = self.store.query::<ListedReport>(range, Order::NewestFirst, &[NEWEST]);
        let mut reports = std::pin::pin!(pages.map_ok(page_items).try_flatten());
        while let Some(report) = reports.try_next().await? {
            if report.summary.report_id != *id && tool.is_none_or(|tool| report.summary.tool == tool) {
                return Ok(Some(report));
            }
        }
        Ok(None)
    }
}
