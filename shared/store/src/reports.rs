//! Reports: stored ready to send, found by pointers in the order they are asked for, visible whole or not at all.

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};

use super::keys::Key;
use super::table::{BATCH, Consistency, Order, Transaction};
use super::tenants::{LatestReport, TenantRecord};
use super::{ITEM_LIMIT, Organization, StoreError};
use crate::Fragment;
use model::{ControlId, Grade, ProviderTenantId, ReportBody, ReportId, ReportType, ServiceTenantId, Timestamp};

/// Batches that are read ahead while one is sent.
const BATCHES_AHEAD: usize = 2;
/// Reports in the first batches: few, so that the answer begins early. The others are as large as a call takes.
const FIRST_BATCHES: [usize; 2] = [10, 40];
/// Room for a report's other attributes, in bytes.
const ATTRIBUTES_SIZE: usize = 2 * 1024;
/// Room for the number of a revision, in bytes.
const REVISION_SIZE: usize = 8;

/// A report, as stored.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredReport {
    /// Identifier.
    pub report_id: ReportId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The tenant's identifier at the provider.
    pub provider_tenant_id: ProviderTenantId,
    /// The tenant's current name.
    pub tenant_name: String,
    /// Completion.
    pub completed_at: Timestamp,
    /// Baseline or follow-up.
    pub report_type: ReportType,
    /// The tool whose results it was made of.
    pub tool: String,
    /// Score, for listings.
    pub score: u8,
    /// Grade, for listings.
    pub grade: Grade,
    /// Revisions of controls where they are not 1: what a later report has to know to compare.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub revisions: BTreeMap<ControlId, u32>,
    /// CRC-32 of the body's text.
    crc32: u32,
    /// Length of the body's text, in bytes.
    length: u64,
    /// The body's text without its opening brace, deflated.
    #[serde(with = "serde_bytes")]
    tail: Vec<u8>,
}

/// A report to be added.
#[derive(Debug)]
pub struct NewReport<'a> {
    /// Identifier, the same for the same assessment run.
    pub id: &'a ReportId,
    /// The tenant, as read before the report was assembled.
    pub tenant: &'a TenantRecord,
    /// Name of the tool.
    pub tool: &'a str,
    /// The report.
    pub body: &'a ReportBody,
    /// Revisions of controls where they are not 1.
    pub revisions: &'a BTreeMap<ControlId, u32>,
}

/// How adding a report ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddReport {
    /// It is there now.
    Added,
    /// It was there already; nothing is changed.
    AlreadyThere,
    /// The tenant changed since it was read: read it and assemble again.
    TenantChanged,
}

/// An earlier report, to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct PastReport {
    /// Identifier.
    pub id: ReportId,
    /// The tool whose results it was made of.
    pub tool: String,
    /// The report.
    pub body: ReportBody,
    /// Revisions of controls where they are not 1.
    pub revisions: BTreeMap<ControlId, u32>,
}

/// Where a report is: what every pointer to it holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Place {
    pub(super) service_tenant_id: ServiceTenantId,
    pub(super) completed_at: Timestamp,
    pub(super) report_id: ReportId,
}

impl StoredReport {
    fn new(report: &NewReport) -> Result<Self, StoreError> {
        let Fragment { deflated, crc32, length } = tail(report.body, report.revisions)?;
        Ok(Self {
            report_id: report.id.clone(),
            service_tenant_id: report.tenant.service_tenant_id.clone(),
            provider_tenant_id: report.tenant.provider_tenant_id.clone(),
            tenant_name: report.tenant.name.clone(),
            completed_at: report.body.completed_at,
            report_type: report.body.report_type,
            tool: report.tool.to_owned(),
            score: report.body.score,
            grade: report.body.grade,
            revisions: report.revisions.clone(),
            crc32,
            length,
            tail: deflated.into(),
        })
    }

    /// The report with another body, of the same run.
    pub(super) fn with_body(&self, body: &ReportBody) -> Result<Self, StoreError> {
        let Fragment { deflated, crc32, length } = tail(body, &self.revisions)?;
        let (score, grade) = (body.score, body.grade);
        Ok(Self { score, grade, crc32, length, tail: deflated.into(), ..self.clone() })
    }

    /// What tells this body from any other.
    pub(super) fn checksum(&self) -> u32 {
        self.crc32
    }

    /// The body's text without its opening brace, ready to send.
    pub fn into_tail(self) -> Fragment {
        Fragment { deflated: Bytes::from(self.tail), crc32: self.crc32, length: self.length }
    }

    /// The report to work with.
    ///
    /// # Errors
    /// When the stored bytes are damaged.
    pub fn open(self) -> Result<PastReport, StoreError> {
        let (id, tool, revisions) = (self.report_id.clone(), self.tool.clone(), self.revisions.clone());
        let mut text = self.into_tail().inflate()?;
        text.insert(0, b'{');
        let body = serde_json::from_slice(&text).map_err(|_| StoreError::Corrupt("a report is not of its shape"))?;
        Ok(PastReport { id, tool, body, revisions })
    }

    pub(super) fn place(&self) -> Place {
        Place {
            service_tenant_id: self.service_tenant_id.clone(),
            completed_at: self.completed_at,
            report_id: self.report_id.clone(),
        }
    }
}

impl std::fmt::Debug for StoredReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredReport").field("report_id", &self.report_id).finish_non_exhaustive()
    }
}

impl Organization {
    /// The newest report of each tenant, newest first.
    pub fn latest_reports(
        &self,
        since: Option<Timestamp>,
        limit: usize,
    ) -> BoxStream<'static, Result<Vec<StoredReport>, StoreError>> {
        let range = self.partition.all_latest(since);
        let pages = self.store.query(range, Order::NewestFirst, Consistency::Eventual, Some(limit));
        self.reports_at(pages, HashSet::new(), limit)
    }

    /// All reports, newest first; those of removed tenants are left out.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn report_history(
        &self,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<BoxStream<'static, Result<Vec<StoredReport>, StoreError>>, StoreError> {
        let removed = self.removed_tenants().await?;
        let range = self.partition.history(since);
        let pages = self.store.query(range, Order::NewestFirst, Consistency::Eventual, Some(limit));
        Ok(self.reports_at(pages, removed, limit))
    }

    /// One tenant's reports, newest first.
    pub fn reports_of(
        &self,
        tenant: &ServiceTenantId,
        since: Option<Timestamp>,
        limit: usize,
    ) -> BoxStream<'static, Result<Vec<StoredReport>, StoreError>> {
        let range = self.partition.reports_of(tenant, since);
        let pages = self.store.query(range, Order::NewestFirst, Consistency::Eventual, Some(limit.min(BATCH)));
        first_items(pages, limit).boxed()
    }

    /// One tenant's newest report, if it completed at or after a moment.
    pub fn latest_report_of(
        &self,
        tenant: TenantRecord,
        since: Option<Timestamp>,
    ) -> BoxStream<'static, Result<Vec<StoredReport>, StoreError>> {
        let latest = tenant.latest.filter(|latest| since.is_none_or(|since| latest.completed_at >= since));
        let place = latest.map(|latest| Place {
            service_tenant_id: tenant.service_tenant_id,
            completed_at: latest.completed_at,
            report_id: latest.report_id,
        });
        self.reports_at(stream::iter([Ok(place.into_iter().collect())]), HashSet::new(), 1)
    }

    /// One report, by its identifier; none where its tenant is removed.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn report(&self, id: &ReportId) -> Result<Option<StoredReport>, StoreError> {
        let place: Option<Place> = self.store.get(self.partition.report_place(id), Consistency::Strong).await?;
        let Some(place) = place else { return Ok(None) };
        if self.tenant(&place.service_tenant_id).await?.is_none() {
            return Ok(None);
        }
        self.store.get(self.key_of(&place), Consistency::Strong).await
    }

    /// The newest baseline report of a tenant, of one tool, that completed at or before a moment.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn baseline(
        &self,
        tenant: &ServiceTenantId,
        tool: &str,
        until: Timestamp,
    ) -> Result<Option<PastReport>, StoreError> {
        let range = self.partition.baselines(tenant, tool, until);
        let pages = self.store.query::<Place>(range, Order::NewestFirst, Consistency::Strong, Some(1));
        let newest = std::pin::pin!(pages).try_next().await?.unwrap_or_default();
        match newest.first() {
            Some(place) => self.report(&place.report_id).await?.map(StoredReport::open).transpose(),
            None => Ok(None),
        }
    }

    /// Adds a report with all its pointers, whole or not at all.
    ///
    /// # Errors
    /// When the report is larger than an item can be, or the store fails.
    pub async fn add_report(&self, new: NewReport<'_>) -> Result<AddReport, StoreError> {
        let report = StoredReport::new(&new)?;
        let place = report.place();
        let mut actions = vec![
            self.store.create(self.partition.report_place(new.id), &place)?,
            self.store.create(self.key_of(&place), &report)?,
            self.store.create(self.partition.completed(place.completed_at, new.id), &place)?,
        ];
        if report.report_type == ReportType::Baseline {
            let key = self.partition.baseline(&place.service_tenant_id, new.tool, place.completed_at, new.id);
            actions.push(self.store.create(key, &place)?);
        }
        let mut tenant = new.tenant.clone();
        tenant.version += 1;
        let latest = LatestReport { completed_at: place.completed_at, report_id: new.id.clone() };
        if tenant.latest.as_ref() < Some(&latest) {
            if let Some(before) = tenant.latest.replace(latest) {
                actions.push(self.store.erase(self.partition.latest(before.completed_at, &before.report_id)));
            }
            actions.push(self.store.create(self.partition.latest(place.completed_at, new.id), &place)?);
        }
        actions.push(self.store.replace(
            self.partition.tenant(&place.service_tenant_id),
            &tenant,
            new.tenant.version,
        )?);
        Ok(match self.store.transact(actions).await? {
            Transaction::Done => AddReport::Added,
            Transaction::Refused(conditions) if conditions[0] => AddReport::AlreadyThere,
            Transaction::Refused(_) => AddReport::TenantChanged,
        })
    }

    /// The reports that pages of pointers name, but for those of some tenants, in the pointers' order.
    fn reports_at(
        &self,
        pages: impl Stream<Item = Result<Vec<Place>, StoreError>> + Send + 'static,
        except: HashSet<ServiceTenantId>,
        limit: usize,
    ) -> BoxStream<'static, Result<Vec<StoredReport>, StoreError>> {
        let organization = self.clone();
        let wanted = pages.map_ok(move |mut page| {
            page.retain(|place: &Place| !except.contains(&place.service_tenant_id));
            page
        });
        first_items(wanted, limit)
            .map_ok(batches)
            .map_ok(|batches| stream::iter(batches.into_iter().map(Ok)))
            .try_flatten()
            .map_ok(move |places: Vec<Place>| {
                let organization = organization.clone();
                async move { organization.read_reports(&places).await }
            })
            .try_buffered(BATCHES_AHEAD)
            .boxed()
    }

    async fn read_reports(&self, places: &[Place]) -> Result<Vec<StoredReport>, StoreError> {
        let keys: Vec<_> = places.iter().map(|place| self.key_of(place)).collect();
        Ok(serde_dynamo::from_items(self.store.batch_get(&keys).await?)?)
    }

    pub(super) fn key_of(&self, place: &Place) -> Key {
        self.partition.report(&place.service_tenant_id, place.completed_at, &place.report_id)
    }
}

/// A body as it is stored. The head precedes it in the same object: that one's brace opens it.
fn tail(body: &ReportBody, revisions: &BTreeMap<ControlId, u32>) -> Result<Fragment, StoreError> {
    let text = serde_json::to_vec(body).map_err(|_| StoreError::Corrupt("a report cannot be written"))?;
    let tail = Fragment::stored(&text[1..]);
    let of_revisions: usize = revisions.keys().map(|id| id.as_str().len() + REVISION_SIZE).sum();
    let size = tail.deflated.len() + of_revisions + ATTRIBUTES_SIZE;
    if size > ITEM_LIMIT { Err(StoreError::TooLarge { what: "the report", size }) } else { Ok(tail) }
}

/// The first items of a stream of pages; it is read no further than to the last of them.
fn first_items<T: Send + 'static>(
    pages: impl Stream<Item = Result<Vec<T>, StoreError>> + Send + 'static,
    limit: usize,
) -> impl Stream<Item = Result<Vec<T>, StoreError>> + Send + 'static {
    stream::try_unfold((pages.boxed(), limit), |(mut pages, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let page = pages.try_next().await?;
        Ok(page.map(|mut page| {
            page.truncate(left);
            let left = left - page.len();
            (page, (pages, left))
        }))
    })
}

/// A page cut into batches: small ones to begin with, then as large as a call takes.
fn batches(mut places: Vec<Place>) -> Vec<Vec<Place>> {
    let mut batches = Vec::new();
    let mut first = FIRST_BATCHES.into_iter();
    while !places.is_empty() {
        let rest = places.split_off(places.len().min(first.next().unwrap_or(BATCH)));
        batches.push(std::mem::replace(&mut places, rest));
    }
    batches
}
