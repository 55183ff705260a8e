//! Keeping results with the pointers to the newest reports.

use futures_util::TryStreamExt;
use model::{ReportBody, ServiceTenantId, Timestamp};

use super::{Controls, ControlsItem, ResultsItem};
use crate::keys::Key;
use crate::recording::between_others;
use crate::reports::EditMark;
use crate::table::{Action, Found, Transaction};
use crate::{Organization, ReportSummary, StoreError, TenantRecord, Writer};

impl Writer {
    /// Returns the action that stores the results of a report, the newest of its tool. `None` for an organization of an
    /// earlier release whose results were never collected.
    pub(crate) async fn keep_results(
        &self,
        of: (&TenantRecord, &ReportSummary),
        body: &ReportBody,
        edits: &[EditMark],
    ) -> Result<Option<Action>, StoreError> {
        self.results_of(of, body, edits, self.at).await
    }

    /// Returns the actions that let the results of a tenant have its labels.
    pub(crate) async fn label_results(&self, tenant: &TenantRecord) -> Result<Vec<Action>, StoreError> {
        let id = &tenant.service_tenant_id;
        let newest: Vec<Key> = self.store.keys_of(self.partition.newest_of(id, None)).try_collect().await?;
        let mut actions = Vec::new();
        for tool in newest.iter().filter_map(|key| key.part(2)) {
            let key = self.partition.results(tool, id);
            if let Some(mut item) = self.store.get::<ResultsItem>(key.clone()).await? {
                item.labels.clone_from(&tenant.labels);
                actions.push(self.store.write(key, &item)?);
            }
        }
        Ok(actions)
    }

    /// Returns the action that deletes the results of a tool of a tenant.
    pub(crate) fn erase_results(&self, tool: &str, tenant: &ServiceTenantId) -> Action {
        self.store.erase(self.partition.results(tool, tenant))
    }
}

impl Organization {
    pub(super) async fn results_of(
        &self,
        of: (&TenantRecord, &ReportSummary),
        body: &ReportBody,
        edits: &[EditMark],
        at: Timestamp,
    ) -> Result<Option<Action>, StoreError> {
        let Some(controls) = self.controls_with(of.1, body, edits, at).await? else { return Ok(None) };
        let key = self.partition.results(&of.1.tool, &of.1.service_tenant_id);
        let before = self.store.get::<Found<ResultsItem>>(key.clone()).await?;
        let before = before.map(|Found { key, value }| value.open(key)).transpose()?;
        let item = ResultsItem::new(of, body, &controls, before.as_ref())?;
        self.store.write(key, &item).map(Some)
    }

    /// Returns the list of controls, to which those of a report were added. Adding is a step of its own: the list is only
    /// ever extended, so it does not matter whether the change follows.
    async fn controls_with(
        &self,
        summary: &ReportSummary,
        body: &ReportBody,
        edits: &[EditMark],
        at: Timestamp,
    ) -> Result<Option<Controls>, StoreError> {
        between_others(|| async {
            let key = self.partition.controls();
            let Some(item) = self.store.get::<ControlsItem>(key.clone()).await? else { return Ok(None) };
            let before = item.open(key.clone())?;
            let (after, next) = item.learn(&before, (&summary.tool, body), edits, at)?;
            if after == before {
                return Ok(Some(after));
            }
            let mark = self.mark_reports(&summary.service_tenant_id)?;
            match self.store.transact(vec![self.store.replace(key, &next, item.version)?, mark]).await? {
                Transaction::Done => Ok(Some(after)),
                Transaction::Refused(_) => Err(StoreError::Contended("listing the controls of a report")),
            }
        })
        .await
    }
}

impl ControlsItem {
    /// Returns the list with the controls of a report, as far as it has room for them, and its item.
    pub(crate) fn learn(
        &self,
        before: &Controls,
        (tool, body): (&str, &ReportBody),
        edits: &[EditMark],
        at: Timestamp,
    ) -> Result<(Controls, Self), StoreError> {
        let today = at.date();
        let next = |controls: &Controls| Self::new(self.version + 1, self.is_complete, controls);
        let mut after = before.clone();
        after.learn(tool, body, edits, today);
        if after == *before {
            return Ok((after, self.clone()));
        }
        let item = next(&after)?;
        if item.fits() {
            return Ok((after, item));
        }
        let mut full = before.clone();
        full.mark_full(tool, today);
        let item = next(&full)?;
        Ok((full, item))
    }
}
