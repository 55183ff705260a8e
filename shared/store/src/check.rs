//! Whether an organization's items agree with each other: for the operator, after a restore or in doubt.
//!
//! Every write keeps these invariants by itself, so what is found here is a fault of the service or of somebody who
//! wrote to the table by other means.

use std::collections::{HashMap, HashSet};

use futures_util::TryStreamExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::api_keys::{Access, StoredKey};
use super::keys::{self, Range};
use super::reports::{Place, StoredReport};
use super::table::{Consistency, Order, page_items};
use super::tenants::{LatestReport, ProviderPointer, TenantRecord};
use super::usage::UsageDay;
use super::{Organization, Store, StoreError};
use model::{ReportType, ServiceTenantId};

/// What an inspection looked at, and what it found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Tenants that are not removed.
    pub tenants: usize,
    /// Reports, those of removed tenants included.
    pub reports: usize,
    /// API keys.
    pub keys: usize,
    /// What does not agree; empty when all is well.
    pub discrepancies: Vec<Discrepancy>,
}

/// Something that does not agree with the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{subject}: {what}")]
#[serde(rename_all = "camelCase")]
pub struct Discrepancy {
    /// Identifier of the tenant, report or key, or a date.
    pub subject: String,
    /// What is wrong with it.
    pub what: &'static str,
}

impl Inspection {
    fn expect(&mut self, holds: bool, subject: impl ToString, what: &'static str) {
        if !holds {
            self.discrepancies.push(Discrepancy { subject: subject.to_string(), what });
        }
    }
}

/// Everything that points to reports.
struct Pointers {
    places: HashSet<Place>,
    history: HashSet<Place>,
    latest: HashSet<Place>,
    baselines: HashSet<Place>,
}

impl Organization {
    /// Inspects everything of the organization. Reads all of it; meant for a quiet moment, since what is written
    /// meanwhile can show as a discrepancy.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn inspect(&self) -> Result<Inspection, StoreError> {
        let mut inspection = Inspection::default();
        let tenants = self.all_tenants().await?;
        self.inspect_tenants(&tenants, &mut inspection).await?;
        self.inspect_reports(&tenants, &mut inspection).await?;
        self.inspect_keys(&mut inspection).await?;
        self.inspect_usage(&mut inspection).await?;
        self.inspect_billable_users(&tenants, &mut inspection).await?;
        let holds_nothing = (inspection.tenants, inspection.reports, inspection.keys) == (0, 0, 0);
        let exists = self.record().await?.is_some();
        inspection.expect(exists || holds_nothing, self.id(), "the organization itself is missing");
        Ok(inspection)
    }

    async fn all_tenants(&self) -> Result<Tenants, StoreError> {
        let listed: Vec<TenantRecord> = self.all(self.partition.tenants()).await?;
        let listed = listed.into_iter().map(|tenant| (tenant.service_tenant_id.clone(), tenant)).collect();
        Ok(Tenants { listed, removed: self.removed_tenants().await? })
    }

    async fn inspect_tenants(
        &self,
        Tenants { listed: tenants, removed }: &Tenants,
        found: &mut Inspection,
    ) -> Result<(), StoreError> {
        found.tenants = tenants.len();
        for removed in removed {
            found.expect(!tenants.contains_key(removed), removed, "the tenant is both listed and removed");
        }
        let pointed: Vec<ProviderPointer> = self.all(self.partition.provider_tenants()).await?;
        for ProviderPointer { service_tenant_id } in &pointed {
            let known = tenants.contains_key(service_tenant_id);
            found.expect(known, service_tenant_id, "a provider identifier leads to the tenant, which is not there");
        }
        found.expect(pointed.len() == tenants.len(), self.id(), "tenants and provider identifiers differ in number");
        for tenant in tenants.values() {
            let by_provider = self.tenant_of_provider(&tenant.provider_tenant_id).await?;
            let same = by_provider.is_some_and(|other| other.service_tenant_id == tenant.service_tenant_id);
            found.expect(same, &tenant.service_tenant_id, "its provider identifier does not lead to the tenant");
        }
        Ok(())
    }

    async fn inspect_reports(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let pointers = self.pointers().await?;
        let mut newest: HashMap<ServiceTenantId, LatestReport> = HashMap::new();
        let pages = self.items(self.partition.all_reports());
        let mut reports = std::pin::pin!(pages.map_ok(page_items::<StoredReport>).try_flatten());
        while let Some(report) = reports.try_next().await? {
            found.reports += 1;
            let place = report.place();
            let latest = LatestReport { completed_at: place.completed_at, report_id: place.report_id.clone() };
            newest
                .entry(place.service_tenant_id.clone())
                .and_modify(|newest| *newest = newest.clone().max(latest.clone()))
                .or_insert(latest);
            inspect_report(report, place, &pointers, tenants, found);
        }
        let dangling = "something points to the report, which is not there";
        found.expect(pointers.places.len() == found.reports, self.id(), "reports and their places differ in number");
        for place in pointers.history.iter().chain(&pointers.baselines).chain(&pointers.latest) {
            found.expect(pointers.places.contains(place), &place.report_id, dangling);
        }
        for place in &pointers.latest {
            let tenant = tenants.listed.get(&place.service_tenant_id);
            let agreed = tenant.and_then(|tenant| tenant.latest.as_ref()).is_some_and(|latest| place.is(latest));
            found.expect(agreed, &place.report_id, "it is listed as the newest of its tenant, which names another");
        }
        for (id, tenant) in &tenants.listed {
            found.expect(tenant.latest.as_ref() == newest.get(id), id, "the tenant does not name its newest report");
            let listed = pointers.latest.iter().filter(|place| place.service_tenant_id == *id).count();
            found.expect(listed == usize::from(tenant.latest.is_some()), id, "its newest report is not listed once");
        }
        Ok(())
    }

    async fn inspect_keys(&self, found: &mut Inspection) -> Result<(), StoreError> {
        let listed: Vec<StoredKey> = self.all(self.partition.api_keys()).await?;
        found.keys = listed.len();
        for StoredKey { listing, hash } in listed {
            let access: Option<Access> = self.store.get(keys::key_lookup(&hash), Consistency::Strong).await?;
            let leads_here =
                access.is_some_and(|access| access.organization_id == *self.id() && access.key_id == listing.key_id);
            found.expect(leads_here, &listing.key_id, "the key is listed and does not give access");
        }
        Ok(())
    }

    async fn inspect_usage(&self, found: &mut Inspection) -> Result<(), StoreError> {
        let days: Vec<UsageDay> = self.all(self.partition.all_usage_days()).await?;
        for day in days {
            let rows = self.store.keys_of(self.partition.usage_rows(day.as_of, &day.recording));
            let rows: Vec<_> = rows.try_collect().await?;
            found.expect(rows.len() == day.tenants, day.as_of, "the usage of the day is not whole");
        }
        Ok(())
    }

    async fn inspect_billable_users(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        for tenant in tenants.listed.keys().chain(&tenants.removed) {
            let whole = self.has_whole_billable_users(tenant).await?;
            found.expect(whole, tenant, "the billable users of the tenant are not whole");
        }
        Ok(())
    }

    async fn pointers(&self) -> Result<Pointers, StoreError> {
        Ok(Pointers {
            places: self.all(self.partition.report_places()).await?.into_iter().collect(),
            history: self.all(self.partition.history(None)).await?.into_iter().collect(),
            latest: self.all(self.partition.all_latest(None)).await?.into_iter().collect(),
            baselines: self.all(self.partition.all_baselines()).await?.into_iter().collect(),
        })
    }

    async fn all<T: DeserializeOwned>(&self, range: Range) -> Result<Vec<T>, StoreError> {
        self.items(range).map_ok(page_items).try_flatten().try_collect().await
    }

    fn items<T: DeserializeOwned>(
        &self,
        range: Range,
    ) -> impl futures_util::Stream<Item = Result<Vec<T>, StoreError>> + use<T> {
        self.store.query(range, Order::OldestFirst, Consistency::Strong, None)
    }
}

/// The tenants that are there and those that were.
struct Tenants {
    listed: HashMap<ServiceTenantId, TenantRecord>,
    removed: HashSet<ServiceTenantId>,
}

/// The look-up of a key, with its place.
#[derive(Deserialize)]
struct Lookup {
    pk: String,
    #[serde(flatten)]
    access: Access,
}

impl Store {
    /// Keys that give access and that their organization does not list, so that nobody could delete them. Reads the
    /// whole table: nothing else leads to them.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn unlisted_keys(&self) -> Result<Vec<Access>, StoreError> {
        let lookups: Vec<Lookup> = self.scan(keys::KEY_LOOKUPS).map_ok(page_items).try_flatten().try_collect().await?;
        let mut unlisted = Vec::new();
        for Lookup { pk, access } in lookups {
            let listing = self.organization(&access.organization_id).partition.api_key(&access.key_id);
            let listed: Option<StoredKey> = self.get(listing, Consistency::Strong).await?;
            if listed.is_none_or(|listed| keys::key_lookup(&listed.hash).pk != pk) {
                unlisted.push(access);
            }
        }
        Ok(unlisted)
    }
}

impl Place {
    fn is(&self, latest: &LatestReport) -> bool {
        (&self.completed_at, &self.report_id) == (&latest.completed_at, &latest.report_id)
    }
}

fn inspect_report(report: StoredReport, place: Place, pointers: &Pointers, tenants: &Tenants, found: &mut Inspection) {
    let id = report.report_id.clone();
    found.expect(pointers.places.contains(&place), &id, "the report is not found by its identifier");
    found.expect(pointers.history.contains(&place), &id, "the report is missing from the history");
    let is_baseline = report.report_type == ReportType::Baseline;
    found.expect(pointers.baselines.contains(&place) == is_baseline, &id, "the report is wrongly listed as a baseline");
    let tenant = tenants.listed.get(&place.service_tenant_id);
    let known = tenant.is_some() || tenants.removed.contains(&place.service_tenant_id);
    found.expect(known, &id, "the report is of a tenant that neither is there nor was");
    let current = tenant.is_none_or(|tenant| tenant.name == report.tenant_name);
    found.expect(current, &id, "the report has an old name of its tenant: rename the tenant again");
    let (completed_at, score) = (report.completed_at, report.score);
    let whole =
        report.open().is_ok_and(|opened| opened.body.completed_at == completed_at && opened.body.score == score);
    found.expect(whole, &id, "the report cannot be read");
}
