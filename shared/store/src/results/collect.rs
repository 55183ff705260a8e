//! Collecting the results of reports that an earlier release wrote.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use model::OrganizationId;

use super::{Controls, ControlsItem, ResultsItem};
use crate::keys::Key;
use crate::organizations::Operator;
use crate::recording::between_others;
use crate::table::{AT_ONCE, Item, Transaction, Upgrade};
use crate::{ListedReport, Organization, StoreError};

impl Operator {
    /// Stores the results of the newest reports of an organization whose results are missing or of another report, and
    /// deletes those that no report has. Afterwards, its results are complete, unless a report cannot be read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn collect_results(&self, id: &OrganizationId) -> Result<Upgrade, StoreError> {
        let organization = self.0.organization(id);
        let Organization { store, partition, .. } = &organization;
        let key = partition.controls();
        if store.get_item(key.clone()).await?.is_none() {
            let begun = ControlsItem::new(0, false, &Controls::default())?;
            // From now on, every change of a newest report stores its results.
            store.transact(vec![store.create(key, &begun)?]).await?;
        }
        let stored: Vec<Item> = store.items(partition.all_results()).try_concat().await?;
        let mut stored: HashMap<Key, Item> =
            stored.into_iter().map(|item| Ok((Key::of(&item)?, item))).collect::<Result<_, StoreError>>()?;
        let listed: Vec<ListedReport> = store.all(partition.all_newest_of_tools()).await?;
        let missing: Vec<_> = listed
            .into_iter()
            .filter(|pointer| {
                let (tool, tenant) = (&pointer.summary.tool, &pointer.summary.service_tenant_id);
                let item = stored.remove(&partition.results(tool, tenant));
                let item = item.and_then(|item| serde_dynamo::from_item::<_, ResultsItem>(item).ok());
                !item.is_some_and(|item| item.is_of(&pointer.summary))
            })
            .collect();
        let collected: Vec<_> = missing.into_iter().map(|pointer| organization.collect(pointer)).collect();
        let collected: Vec<Upgrade> = stream::iter(collected).buffer_unordered(AT_ONCE).try_collect().await?;
        for (key, item) in stored {
            store.transact(vec![store.replace_stored(key, Some(&item), None)]).await?;
        }
        let upgrade = collected.into_iter().fold(Upgrade::default(), Upgrade::and);
        if upgrade.unreadable == 0 {
            organization.complete_results().await?;
        }
        Ok(upgrade)
    }
}

impl Organization {
    /// Stores the results of the newest report of a tool.
    async fn collect(&self, pointer: ListedReport) -> Result<Upgrade, StoreError> {
        let collected = between_others(|| async {
            let Some(tenant) = self.tenant(&pointer.summary.service_tenant_id).await? else { return Ok(0) };
            let Some(pointer) = self.newest_like(&pointer.summary).await? else { return Ok(0) };
            let Some(report) = self.report(&pointer.summary.report_id).await? else { return Ok(0) };
            let edits = report.edits.clone();
            let body = report.open()?.body;
            let results =
                self.results_of((&tenant, &pointer.summary), &body, &edits, pointer.summary.updated_at).await?;
            let mut actions: Vec<_> = results.into_iter().collect();
            let of = &tenant.service_tenant_id;
            actions.extend([
                self.mark_reports(of)?,
                self.store.require_version(self.partition.tenant(of), tenant.version),
            ]);
            match self.store.transact(actions).await? {
                Transaction::Done => Ok(1),
                Transaction::Refused(_) => Err(StoreError::Contended("collecting results")),
            }
        });
        match collected.await {
            Ok(collected) => Ok(Upgrade { collected, ..Upgrade::default() }),
            Err(StoreError::Damaged(_) | StoreError::Corrupt(_)) => Ok(Upgrade { unreadable: 1, ..Upgrade::default() }),
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn complete_results(&self) -> Result<(), StoreError> {
        between_others(|| async {
            let key = self.partition.controls();
            let Some(mut item) = self.store.get::<ControlsItem>(key.clone()).await? else { return Ok(()) };
            if item.is_complete {
                return Ok(());
            }
            let seen = item.version;
            (item.version, item.is_complete) = (seen + 1, true);
            match self.store.transact(vec![self.store.replace(key, &item, seen)?]).await? {
                Transaction::Done => Ok(()),
                Transaction::Refused(_) => Err(StoreError::Contended("completing the results")),
            }
        })
        .await
    }
}
