//! The results of newest reports, and the list of controls that their positions refer to.

use std::collections::BTreeSet;

use model::ReportBody;

use super::Plan;
use super::contents::State;
use super::tenants::Tenants;
use crate::keys::Key;
use crate::reports::{EditMark, ReportItem};
use crate::results::{Controls, ControlsItem, ResultsItem};
use crate::{ReportSummary, StoreError, TenantRecord};

impl Plan<'_> {
    /// Lets the newest reports of tools have their results, and nothing else have any. Returns whether the results are
    /// complete then. Those of an organization whose results were never collected are left for that.
    pub(super) async fn results(&mut self, tenants: &Tenants, newest: Vec<ReportSummary>) -> Result<bool, StoreError> {
        let key = self.organization.partition.controls();
        let stored = self.contents.keys(self.organization.partition.all_results());
        let was_collected = self.contents.get(&key).is_some() || !stored.is_empty();
        if !was_collected || self.contents.is_later(&key) {
            return Ok(false);
        }
        let before: Option<ControlsItem> = self.contents.value(&key);
        // Positions in results are lost with the list.
        let is_rebuilt = before.is_none();
        let mut item = before.map_or_else(|| ControlsItem::new(0, false, &Controls::default()), Ok)?;
        let (version, mut controls) = (item.version, item.open(key.clone())?);
        let mut expected = BTreeSet::new();
        for summary in newest {
            let results = self.organization.partition.results(&summary.tool, &summary.service_tenant_id);
            let body = self.body(&summary).await?;
            if let Some((body, edits)) = body
                && let Some(listed) = tenants.listed.get(&summary.service_tenant_id)
                && (is_rebuilt || !self.has_results(&results, ((&listed.record, &summary), &body), &controls, tenants))
            {
                (controls, item) = item.learn(&controls, (&summary.tool, &body), &edits, summary.updated_at)?;
                let known: Option<ResultsItem> = self.contents.value(&results).filter(|_| !is_rebuilt);
                let known = known.and_then(|known| known.open(results.clone()).ok());
                let mended = ResultsItem::new((&listed.record, &summary), &body, &controls, known.as_ref())?;
                self.expect_of_report(results.clone(), &mended, &summary)?;
            }
            expected.insert(results);
        }
        let mut is_complete = true;
        for key in stored.into_iter().filter(|key| !expected.contains(key)) {
            let tenant = key.part(2).and_then(|tenant| tenant.parse().ok());
            if tenant.as_ref().is_some_and(|tenant| tenants.is_unreadable(tenant)) {
                is_complete = false;
            } else {
                self.set_aside(&key, tenant.filter(|tenant| tenants.is_known(tenant)));
            }
        }
        if is_rebuilt || item.version > version {
            self.expect(key, &item, None)?;
        }
        Ok(is_complete)
    }

    /// Returns the body of a report as it will be, with its edits; `None` if it cannot be read.
    async fn body(&self, summary: &ReportSummary) -> Result<Option<(ReportBody, Vec<EditMark>)>, StoreError> {
        let key = self.organization.key_of(&summary.place());
        let mended = self.changes.get(&key).and_then(|change| change.mended.clone());
        match mended.map(serde_dynamo::from_item::<_, ReportItem>) {
            Some(Ok(item)) => self.organization.body_of(item, key).await,
            _ => self.organization.intact_body(&summary.place()).await,
        }
    }

    /// Returns whether the results of a report are stored, under a name that a list shows correctly.
    fn has_results(
        &self,
        key: &Key,
        (of, body): ((&TenantRecord, &ReportSummary), &ReportBody),
        controls: &Controls,
        tenants: &Tenants,
    ) -> bool {
        if self.contents.get(key).is_some_and(|read| read.state == State::Later) {
            return true;
        }
        let id = &of.0.service_tenant_id;
        let is_corrected =
            tenants.renamed.contains(id) || self.contents.get(&self.organization.partition.correction(id)).is_some();
        let item: Option<ResultsItem> = self.contents.value(key);
        item.is_some_and(|item| {
            let is_named = is_corrected || item.tenant_name == of.0.name;
            is_named && item.holds(of, body, controls, key.clone())
        })
    }
}
