//! Reading reports, newest first.

use futures_util::future::try_join;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use model::{ReportBody, ReportId, ServiceTenantId, Timestamp};

use super::{EditMark, ListedReport, PastReport, Place, ReportItem, SharedBody, StoredReport};
use crate::keys::Key;
use crate::table::{BATCH, Decoded, Found, Order, first_items};
use crate::tenants::TenantRecord;
use crate::{Damage, Organization, StoreError};

/// Number of batches that are read ahead while one is sent.
const BATCHES_AHEAD: usize = 2;
/// Sizes of the first batches: small, so a response begins early. The others have the maximum size of a call.
const FIRST_BATCHES: [usize; 2] = [10, 40];

/// Pointers as they are read, a page at a time.
pub(crate) type Pointers = BoxStream<'static, Result<Vec<ListedReport>, StoreError>>;

/// Reports as they are read, a batch at a time.
pub(crate) type Reports = BoxStream<'static, Result<Vec<StoredReport>, StoreError>>;

impl Organization {
    /// Returns one report, or `None` if it does not exist or its tenant is removed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn report(&self, id: &ReportId) -> Result<Option<StoredReport>, StoreError> {
        Ok(self.report_with_tenant(id).await?.map(|(report, _)| report))
    }

    /// Returns one report of a removed tenant, or `None` if there is no such report or its tenant is not removed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn removed_report(&self, id: &ReportId) -> Result<Option<StoredReport>, StoreError> {
        let place: Option<Place> = self.store.get(self.partition.report_place(id)).await?;
        let Some(place) = place else { return Ok(None) };
        let tenant = self.removed_tenant(&place.service_tenant_id);
        let key = self.key_of(&place);
        let item = self.store.get::<ReportItem>(key.clone());
        let (tenant, item) = try_join(tenant, item).await?;
        match item.zip(tenant) {
            Some((item, tenant)) => self.whole(item, key, tenant.name).await,
            None => Ok(None),
        }
    }

    /// Returns one report with its tenant.
    pub(crate) async fn report_with_tenant(
        &self,
        id: &ReportId,
    ) -> Result<Option<(StoredReport, TenantRecord)>, StoreError> {
        let place: Option<Place> = self.store.get(self.partition.report_place(id)).await?;
        let Some(place) = place else { return Ok(None) };
        let tenant = self.tenant(&place.service_tenant_id);
        let key = self.key_of(&place);
        let item = self.store.get::<ReportItem>(key.clone());
        let (tenant, item) = try_join(tenant, item).await?;
        if item.is_none() && tenant.is_some() {
            self.require_deleted(self.partition.report_place(id)).await?;
        }
        let Some((item, tenant)) = item.zip(tenant) else { return Ok(None) };
        let report = self.whole(item, key, tenant.name.clone()).await?;
        Ok(report.map(|report| (report, tenant)))
    }

    /// Returns the body of a report and its edits; `None` if it is missing or damaged.
    pub(crate) async fn intact_body(&self, place: &Place) -> Result<Option<(ReportBody, Vec<EditMark>)>, StoreError> {
        let key = self.key_of(place);
        match self.store.get_intact::<ReportItem>(key.clone()).await? {
            Some(item) => self.body_of(item, key).await,
            None => Ok(None),
        }
    }

    /// Returns the body of an item and its edits; `None` if it is damaged.
    pub(crate) async fn body_of(
        &self,
        item: ReportItem,
        key: Key,
    ) -> Result<Option<(ReportBody, Vec<EditMark>)>, StoreError> {
        let read = match self.whole(item, key, String::new()).await {
            Ok(Some(report)) => (report.edits.clone(), report.open()),
            Ok(None) | Err(StoreError::Damaged(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(read.1.ok().map(|report| (report.body, read.0)))
    }

    /// Returns the report of an item, with the part of its body that it may share; `None` if it was deleted meanwhile.
    async fn whole(&self, item: ReportItem, key: Key, name: String) -> Result<Option<StoredReport>, StoreError> {
        let Some(shared) = item.shared_key(&self.partition) else { return item.named(key, name, None).map(Some) };
        match self.store.get::<SharedBody>(shared).await? {
            Some(shared) => item.named(key, name, Some(&shared)).map(Some),
            // It was deleted together with the report, or the report has a whole body since an edit.
            None => {
                let item = self.store.get::<ReportItem>(key.clone()).await?;
                item.map(|item| item.named(key, name, None)).transpose()
            }
        }
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
        let pages = self.store.query(range, Order::NewestFirst, &[1]);
        let newest: Vec<Found<Place>> = first_items(pages, 1).try_concat().await?;
        let Some(Found { key, value: place }) = newest.into_iter().next() else { return Ok(None) };
        let report = self.report(&place.report_id).await?;
        // The baselines of a removed tenant stay.
        if report.is_none() && self.tenant(tenant).await?.is_some() {
            self.require_deleted(key).await?;
        }
        report.map(StoredReport::open).transpose()
    }

    /// Returns the summary of one report, with its tenant, or `None` if it does not exist or its tenant is removed.
    /// Reads no body.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn listed_report(&self, id: &ReportId) -> Result<Option<ListedReport>, StoreError> {
        let place: Option<Place> = self.store.get(self.partition.report_place(id)).await?;
        let Some(Place { service_tenant_id: tenant, completed_at, .. }) = place else { return Ok(None) };
        let pointer = self.partition.history_item(&tenant, completed_at, id);
        let pointer = self.store.get::<ListedReport>(pointer);
        let (tenant, pointer) = try_join(self.tenant(&tenant), pointer).await?;
        if pointer.is_none() && tenant.is_some() {
            self.require_deleted(self.partition.report_place(id)).await?;
        }
        Ok(pointer.zip(tenant).map(|(pointer, tenant)| ListedReport { tenant_name: tenant.name, ..pointer }))
    }

    /// Returns the reports that pointers name, in the pointers' order.
    pub(crate) fn reports_at(&self, pointers: Pointers) -> Reports {
        let organization = self.clone();
        let mut sizes = FIRST_BATCHES.into_iter();
        pointers
            .map_ok(move |page| stream::iter(batches(page, &mut sizes).into_iter().map(Ok)))
            .try_flatten()
            .map_ok(move |pointers| {
                let organization = organization.clone();
                async move { organization.read_reports(pointers).await }
            })
            .try_buffered(BATCHES_AHEAD)
            .boxed()
    }

    async fn read_reports(&self, pointers: Vec<ListedReport>) -> Result<Vec<StoredReport>, StoreError> {
        let keys: Vec<_> = pointers.iter().map(|pointer| self.key_of(&pointer.summary.place())).collect();
        let items = self.store.batch_get(&keys).await?;
        let mut found = Vec::with_capacity(items.len());
        for ((ListedReport { tenant_name, summary }, key), item) in pointers.into_iter().zip(keys).zip(items) {
            let item = item.map(ReportItem::decoded).transpose()?;
            // If the read missed an edit, the pointer is newer.
            let item = match item {
                Some(item) if item.summary.version() != summary.version() => self.store.get(key.clone()).await?,
                item => item,
            };
            match item {
                Some(item) => found.push((item, key, tenant_name)),
                None => self.require_deleted(self.partition.report_place(&summary.report_id)).await?,
            }
        }
        let shared = self.shared_bodies(found.iter().map(|(item, ..)| item)).await?;
        let mut reports = Vec::with_capacity(found.len());
        for (item, key, tenant_name) in found {
            match item.shared_key(&self.partition) {
                Some(of) if !shared.contains_key(&of) => reports.extend(self.whole(item, key, tenant_name).await?),
                of => reports.push(item.named(key, tenant_name, of.and_then(|of| shared.get(&of)))?),
            }
        }
        Ok(reports)
    }

    /// Checks that a report is missing because it was deleted after a pointer to it was read.
    async fn require_deleted(&self, pointer: Key) -> Result<(), StoreError> {
        match self.store.get::<Place>(pointer.clone()).await? {
            None => Ok(()),
            Some(_) => Err(Damage::of(pointer, "the report that the item points to is missing").into()),
        }
    }

    pub(crate) fn key_of(&self, place: &Place) -> Key {
        self.partition.report(&place.service_tenant_id, place.completed_at, &place.report_id)
    }
}

/// Splits pointers into batches of these sizes, then as large as a call accepts.
fn batches(mut pointers: Vec<ListedReport>, sizes: &mut impl Iterator<Item = usize>) -> Vec<Vec<ListedReport>> {
    let mut batches = Vec::new();
    while !pointers.is_empty() {
        let rest = pointers.split_off(pointers.len().min(sizes.next().unwrap_or(BATCH)));
        batches.push(std::mem::replace(&mut pointers, rest));
    }
    batches
}
