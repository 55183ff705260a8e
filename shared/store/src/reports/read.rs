//! Reading reports, newest first.

use futures_util::future::try_join;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};
use model::{ReportId, ServiceTenantId, Timestamp};

use super::names::Names;
use super::{PastReport, Place, ReportItem, StoredReport};
use crate::keys::Key;
use crate::table::{BATCH, Consistency, Order, first_items};
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError};

/// Batches that are read ahead while one is sent.
const BATCHES_AHEAD: usize = 2;
/// Reports in the first batches: few, so that the answer begins early. The others are as large as a call takes.
const FIRST_BATCHES: [usize; 2] = [10, 40];

/// Reports as they are read, a batch at a time.
type Reports = BoxStream<'static, Result<Vec<StoredReport>, StoreError>>;

impl Organization {
    /// Returns the newest report of each tenant, newest first, of those that completed at or after `since`.
    pub fn latest_reports(&self, since: Option<Timestamp>, limit: usize) -> Reports {
        let range = self.partition.all_latest(since);
        let pages = self.store.query(range, Order::NewestFirst, Consistency::Eventual, Some(limit));
        self.reports_at(pages, Names::new(self), limit)
    }

    /// Returns all reports, newest first, of those that completed at or after `since`. Leaves out those of removed
    /// tenants.
    pub fn report_history(&self, since: Option<Timestamp>, limit: usize) -> Reports {
        let names = Names::new(self);
        let places =
            self.present(self.history_pages::<Place>(since, limit).boxed(), &names, |place| &place.service_tenant_id);
        let places = places.map_ok(|page| page.into_iter().map(|(place, _)| place).collect());
        self.reports_at(places, names, limit)
    }

    /// Returns one tenant's reports, newest first, of those that completed at or after `since`.
    pub fn reports_of(&self, tenant: &TenantRecord, since: Option<Timestamp>, limit: usize) -> Reports {
        let range = self.partition.reports_of(&tenant.service_tenant_id, since);
        let pages =
            self.store.query::<ReportItem>(range, Order::NewestFirst, Consistency::Eventual, Some(limit.min(BATCH)));
        let name = tenant.name.clone();
        let named = move |page: Vec<ReportItem>| page.into_iter().map(|item| item.named(name.clone())).collect();
        first_items(pages, limit).map_ok(named).boxed()
    }

    /// Returns one tenant's newest report, if it completed at or after `since`.
    pub fn latest_report_of(&self, tenant: &TenantRecord, since: Option<Timestamp>) -> Reports {
        let place = tenant.latest_place(since);
        self.reports_at(stream::iter([Ok(place.into_iter().collect())]), Names::new(self), 1)
    }

    /// Returns one report, or `None` if it does not exist or its tenant is removed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn report(&self, id: &ReportId) -> Result<Option<StoredReport>, StoreError> {
        Ok(self.report_with_tenant(id).await?.map(|(report, _)| report))
    }

    /// Returns one report with its tenant.
    pub(crate) async fn report_with_tenant(
        &self,
        id: &ReportId,
    ) -> Result<Option<(StoredReport, TenantRecord)>, StoreError> {
        let place: Option<Place> = self.store.get(self.partition.report_place(id), Consistency::Strong).await?;
        let Some(place) = place else { return Ok(None) };
        let tenant = self.tenant(&place.service_tenant_id);
        let item = self.store.get::<ReportItem>(self.key_of(&place), Consistency::Strong);
        let (tenant, item) = try_join(tenant, item).await?;
        Ok(item.zip(tenant).map(|(item, tenant)| (item.named(tenant.name.clone()), tenant)))
    }

    /// Returns a tenant's newest baseline report of one tool, of those that completed at or before `until`.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn baseline(
        &self,
        tenant: &ServiceTenantId,
        tool: &str,
        until: Timestamp,
    ) -> Result<Option<PastReport>, StoreError> {
        let range = self.partition.baselines(tenant, tool, until);
        let pages = self.store.query::<Place>(range, Order::NewestFirst, Consistency::Strong, Some(1));
        let newest = first_items(pages, 1).try_concat().await?;
        match newest.first() {
            Some(place) => self.report(&place.report_id).await?.map(StoredReport::open).transpose(),
            None => Ok(None),
        }
    }

    /// Returns the reports that pages of pointers name, in the pointers' order. Leaves out those of removed tenants.
    fn reports_at(
        &self,
        pages: impl Stream<Item = Result<Vec<Place>, StoreError>> + Send + 'static,
        names: Names,
        limit: usize,
    ) -> Reports {
        let organization = self.clone();
        first_items(pages, limit)
            .map_ok(|page| stream::iter(batches(page).into_iter().map(Ok)))
            .try_flatten()
            .map_ok(move |places: Vec<Place>| {
                let (organization, names) = (organization.clone(), names.clone());
                async move { organization.read_reports(places, &names).await }
            })
            .try_buffered(BATCHES_AHEAD)
            .boxed()
    }

    async fn read_reports(&self, places: Vec<Place>, names: &Names) -> Result<Vec<StoredReport>, StoreError> {
        let keys: Vec<_> = places.iter().map(|place| self.key_of(place)).collect();
        let tenants = places.iter().map(|place| place.service_tenant_id.clone()).collect();
        let (items, names) = try_join(self.store.batch_get(&keys), names.of(tenants)).await?;
        let mut reports = Vec::with_capacity(items.len());
        for ((place, item), name) in places.iter().zip(items).zip(names) {
            let Some(item) = item else {
                self.require_deleted(&place.report_id).await?;
                continue;
            };
            let item: ReportItem = serde_dynamo::from_item(item)?;
            reports.extend(name.map(|name| item.named(name)));
        }
        Ok(reports)
    }

    /// Checks that a report is missing because it was deleted after its pointer was read.
    async fn require_deleted(&self, id: &ReportId) -> Result<(), StoreError> {
        let place: Option<Place> = self.store.get(self.partition.report_place(id), Consistency::Strong).await?;
        match place {
            None => Ok(()),
            Some(_) => Err(StoreError::Corrupt("an item that a pointer names is missing")),
        }
    }

    pub(crate) fn key_of(&self, place: &Place) -> Key {
        self.partition.report(&place.service_tenant_id, place.completed_at, &place.report_id)
    }
}

/// Cuts a page into batches: small ones to begin with, then as large as a call takes.
fn batches(mut places: Vec<Place>) -> Vec<Vec<Place>> {
    let mut batches = Vec::new();
    let mut first = FIRST_BATCHES.into_iter();
    while !places.is_empty() {
        let rest = places.split_off(places.len().min(first.next().unwrap_or(BATCH)));
        batches.push(std::mem::replace(&mut places, rest));
    }
    batches
}
