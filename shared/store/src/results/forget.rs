//! Forgetting the names of controls that came from an erased tenant.

use futures_util::TryStreamExt;

use super::{Controls, ControlsItem, ResultsItem};
use crate::recording::between_others;
use crate::reports::Place;
use crate::table::{Found, Order, Transaction, page_items};
use crate::{StoreError, Writer};

impl Writer {
    /// Replaces the names of controls by those in the newest reports. The identifiers of controls stay, as they hold
    /// positions; one that no report has is without a name then.
    pub(crate) async fn rename_controls(&self) -> Result<(), StoreError> {
        between_others(|| async {
            let key = self.partition.controls();
            let Some(item) = self.store.get::<ControlsItem>(key.clone()).await? else { return Ok(()) };
            let mut controls = item.open(key.clone())?;
            controls.forget_names();
            for tool in controls.tools().map(str::to_owned).collect::<Vec<_>>() {
                self.learn_names(&tool, &mut controls).await?;
            }
            let next = ControlsItem::new(item.version + 1, item.is_complete, &controls)?;
            match self.store.transact(vec![self.store.replace(key, &next, item.version)?]).await? {
                Transaction::Done => Ok(()),
                Transaction::Refused(_) => Err(StoreError::Contended("renaming controls")),
            }
        })
        .await
    }

    /// Takes over the names of a tool's controls from as few reports as needed.
    async fn learn_names(&self, tool: &str, controls: &mut Controls) -> Result<(), StoreError> {
        let pages = self.store.query(self.partition.results_after(tool, None), Order::OldestFirst, &[]);
        let mut items = std::pin::pin!(pages.map_ok(page_items::<Found<ResultsItem>>).try_flatten());
        while let Some(Found { key, value: item }) = items.try_next().await? {
            let results = item.open(key)?;
            let is_named =
                |place: usize| controls.of_tool(tool).get(place).is_none_or(|control| !control.name.is_empty());
            if results.statuses().all(|(place, _)| is_named(place)) {
                continue;
            }
            let ResultsItem { service_tenant_id, completed_at, report_id, .. } = item;
            let place = Place { service_tenant_id, completed_at, report_id };
            if let Some((body, edits)) = self.intact_body(&place).await? {
                controls.learn(tool, &body, &edits, self.at.date());
            }
        }
        Ok(())
    }
}
