//! Lists of reports, read from their pointers alone.

use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt};
use model::{ServiceTenantId, Timestamp};
use serde::de::DeserializeOwned;

use super::names::Names;
use super::{ListedReport, ReportSummary};
use crate::table::{Consistency, Order, first_items};
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError};

/// Summaries as they are read, a page at a time.
type Summaries = BoxStream<'static, Result<Vec<ListedReport>, StoreError>>;

impl Organization {
    /// Returns a summary of the newest report of each tenant, newest first, of those that completed at or after `since`.
    /// Reads no bodies.
    pub fn latest_summaries(&self, since: Option<Timestamp>, limit: usize) -> Summaries {
        let range = self.partition.all_latest(since);
        let pages = self.store.query(range, Order::NewestFirst, Consistency::Eventual, Some(limit));
        self.listed(pages, limit)
    }

    /// Returns summaries of all reports, newest first, of those that completed at or after `since`. Leaves out those of
    /// removed tenants. Reads no bodies.
    pub fn history_summaries(&self, since: Option<Timestamp>, limit: usize) -> Summaries {
        self.listed(self.history_pages(since, limit), limit)
    }

    /// Returns summaries of one tenant's reports, newest first, of those that completed at or after `since`. Reads no
    /// bodies.
    pub fn summaries_of(&self, tenant: &TenantRecord, since: Option<Timestamp>, limit: usize) -> Summaries {
        let range = self.partition.history_of(&tenant.service_tenant_id, since);
        let pages = self.store.query(range, Order::NewestFirst, Consistency::Eventual, Some(limit));
        let name = tenant.name.clone();
        let listed = move |summary| ListedReport { tenant_name: name.clone(), summary };
        first_items(pages, limit).map_ok(move |page| page.into_iter().map(&listed).collect()).boxed()
    }

    /// Returns pages of pointers from the organization's history, newest first.
    pub(super) fn history_pages<T: DeserializeOwned>(
        &self,
        since: Option<Timestamp>,
        limit: usize,
    ) -> impl Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
        self.store.query(self.partition.history(since), Order::NewestFirst, Consistency::Eventual, Some(limit))
    }

    fn listed(
        &self,
        pages: impl Stream<Item = Result<Vec<ReportSummary>, StoreError>> + Send + 'static,
        limit: usize,
    ) -> Summaries {
        let named = self.present(pages.boxed(), &Names::new(self), |summary| &summary.service_tenant_id);
        let listed = |(summary, tenant_name)| ListedReport { tenant_name, summary };
        first_items(named, limit).map_ok(move |page| page.into_iter().map(listed).collect()).boxed()
    }

    /// Returns pages of pointers with the names of their tenants. Leaves out those of removed tenants.
    pub(super) fn present<T: Send + 'static>(
        &self,
        pages: BoxStream<'static, Result<Vec<T>, StoreError>>,
        names: &Names,
        tenant: fn(&T) -> &ServiceTenantId,
    ) -> impl Stream<Item = Result<Vec<(T, String)>, StoreError>> + Send + use<T> {
        let names = names.clone();
        pages.and_then(move |page| {
            let names = names.clone();
            async move {
                let of_page = names.of(page.iter().map(tenant).cloned().collect()).await?;
                let named = page.into_iter().zip(of_page);
                Ok(named.filter_map(|(pointer, name)| Some((pointer, name?))).collect())
            }
        })
    }
}
