//! Comparison of stored results with the reports that they are of.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use model::ReportId;

use super::{Inspection, Tenants};
use crate::keys::Key;
use crate::results::{Controls, ControlsItem, ResultsItem};
use crate::table::{AT_ONCE, Found};
use crate::{ListedReport, Organization, StoreError};

impl Organization {
    /// Compares the results with the newest reports of tools. Those of an organization whose results were never collected,
    /// or not all, are not used.
    pub(super) async fn inspect_results(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let stored: Vec<Found<ResultsItem>> = self.store.intact(self.partition.all_results()).await?;
        let stored: HashMap<Key, ResultsItem> = stored.into_iter().map(|Found { key, value }| (key, value)).collect();
        let key = self.partition.controls();
        let Some(list) = self.store.get_intact::<ControlsItem>(key.clone()).await? else {
            let exists = self.store.get_item(key).await?.is_some();
            found.expect(exists || stored.is_empty(), self.id(), "the list of controls is missing");
            return Ok(());
        };
        let Ok(controls) = list.open(key) else { return Ok(()) };
        if !list.is_complete {
            return Ok(());
        }
        let newest: Vec<ListedReport> = self.store.intact(self.partition.all_newest_of_tools()).await?;
        let examined: Vec<_> = newest
            .iter()
            .map(|pointer| {
                let key = self.partition.results(&pointer.summary.tool, &pointer.summary.service_tenant_id);
                self.holds(pointer, stored.get(&key), (&controls, key), tenants)
            })
            .collect();
        let examined: Vec<_> = stream::iter(examined).buffer_unordered(AT_ONCE).try_collect().await?;
        for (report, holds) in examined {
            found.expect(holds, report, "the stored results of the newest report are missing, or not the report's");
        }
        let keys: Vec<_> = self.store.keys_of(self.partition.all_results()).try_collect().await?;
        found.expect(keys.len() <= newest.len(), self.id(), "results are stored that are of no newest report");
        Ok(())
    }

    /// Returns a report and whether its results are stored under a name that a list shows correctly. A report that cannot
    /// be read is found by itself.
    async fn holds<'a>(
        &self,
        pointer: &'a ListedReport,
        item: Option<&ResultsItem>,
        (controls, key): (&Controls, Key),
        tenants: &Tenants,
    ) -> Result<(&'a ReportId, bool), StoreError> {
        let id = &pointer.summary.report_id;
        let item = item.filter(|item| tenants.show(&item.service_tenant_id, &item.tenant_name));
        let Some((item, tenant)) = item.zip(tenants.listed.get(&pointer.summary.service_tenant_id)) else {
            return Ok((id, false));
        };
        let body = self.intact_body(&pointer.summary.place()).await?;
        Ok((id, body.is_none_or(|(body, _)| item.holds((tenant, &pointer.summary), &body, controls, key))))
    }
}
