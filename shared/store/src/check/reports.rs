//! Inspection of reports, and of everything that points to them.
//!
//! An organization can have a million reports. So pointers are read one after another, and only digests of them are kept.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use futures_util::TryStreamExt;
use model::{ReportType, ServiceTenantId};

use super::{Inspection, Tenants};
use crate::keys::{Key, Range};
use crate::reports::Place;
use crate::table::{Decoded, page_items};
use crate::tenants::LatestReport;
use crate::{ListedReport, Organization, ReportSummary, StoreError};

const NO_REPORT: &str = "an item points to the report, which does not exist";
const OTHER_NAME: &str = "a list shows the report with another name of its tenant, or of a removed tenant";

/// Digests of the summaries in pointers, by the digests of the places that they point to.
type Summaries = HashMap<u64, u64>;

/// Everything that points to reports.
#[derive(Default)]
pub(super) struct Pointers {
    /// Makes digests, of this inspection alone.
    digests: RandomState,
    places: HashSet<u64>,
    completed: Summaries,
    histories: Summaries,
    latest: HashMap<Place, u64>,
    /// The newest of each tool.
    of_tools: HashMap<Place, u64>,
    baselines: HashSet<u64>,
    /// The newest report of each tool in the histories.
    newest_of_tools: HashMap<(ServiceTenantId, String), LatestReport>,
    /// The newest report of each tenant.
    newest: HashMap<ServiceTenantId, LatestReport>,
    /// The marks of changes.
    marks: HashSet<Key>,
    /// The discrepancies of pointers.
    found: Inspection,
}

impl Pointers {
    fn digest(&self, of: &impl Hash) -> u64 {
        self.digests.hash_one(of)
    }

    fn digest_of(&self, summary: &ReportSummary) -> u64 {
        self.digest(&format!("{summary:?}"))
    }

    /// Checks a pointer without the report, and returns the digests of its place and its summary.
    fn examine(&mut self, pointer: &ListedReport, tenants: &Tenants) -> (u64, u64) {
        let summary = &pointer.summary;
        let place = self.digest(&summary.place());
        let (is_correct, exists) = (tenants.show_correctly(pointer), self.places.contains(&place));
        let id = &summary.report_id;
        self.found.expect(is_correct, id, OTHER_NAME);
        self.found.expect(exists, id, NO_REPORT);
        (place, self.digest_of(summary))
    }

    /// Compares a report with everything that points to it.
    pub(super) fn inspect(&mut self, organization: &Organization, report: &ReportSummary, tenants: &Tenants) {
        let place = report.place();
        let id = &place.report_id;
        renew(&mut self.newest, place.service_tenant_id.clone(), report);
        let is_marked = self.marks.contains(&organization.reports_changed(&place.service_tenant_id));
        self.found.expect(is_marked, id, "the last change of the tenant's reports is not marked");
        let (key, content) = (self.digest(&place), self.digest_of(report));
        self.found.expect(self.places.contains(&key), id, "the report is not found by its identifier");
        let is_listed_rightly = match report.figures.report_type {
            ReportType::Baseline => self.baselines.contains(&key),
            ReportType::FollowUp => !self.baselines.contains(&key),
            ReportType::Unknown => true,
        };
        self.found.expect(is_listed_rightly, id, "the report is wrongly listed as a baseline");
        let is_listed = tenants.listed.contains_key(&place.service_tenant_id);
        let removed = tenants.removed.get(&place.service_tenant_id);
        let is_known = is_listed || removed.is_some();
        self.found.expect(is_known, id, "the tenant of the report does not exist and is not a removed one");
        let in_histories = [self.completed.get(&key), self.histories.get(&key)];
        if is_listed {
            let agree = in_histories.iter().all(|listed| *listed == Some(&content));
            self.found.expect(
                agree,
                id,
                "the report is missing from a history, or its summary there is not the report's",
            );
            let newest = [self.latest.get(&place), self.of_tools.get(&place)];
            let agree = newest.into_iter().flatten().all(|listed| *listed == content);
            self.found.expect(agree, id, "the summary of the newest report is not the report's");
        } else if removed == Some(&false) {
            // Until a removal is complete, reads leave these out.
            let gone = in_histories.iter().all(Option::is_none);
            self.found.expect(gone, id, "the report of a removed tenant is still in a history");
        }
    }

    /// Returns what was found, once all reports were compared with their pointers.
    pub(super) fn complete(mut self, organization: &Organization, reports: usize, tenants: &Tenants) -> Inspection {
        let counts_agree = self.places.len() == reports;
        self.found.expect(counts_agree, organization.id(), "reports and their places differ in number");
        self.inspect_latest(tenants);
        self.inspect_newest_of_tools(organization);
        self.found
    }

    fn inspect_latest(&mut self, tenants: &Tenants) {
        let mut listed: HashMap<&ServiceTenantId, usize> = HashMap::new();
        for place in self.latest.keys() {
            *listed.entry(&place.service_tenant_id).or_default() += 1;
            let tenant = tenants.listed.get(&place.service_tenant_id);
            let agreed = tenant.and_then(|tenant| tenant.latest_place()).is_some_and(|latest| latest == *place);
            let what = "it is listed as the newest of its tenant, which names another";
            self.found.expect(agreed, &place.report_id, what);
        }
        for (id, tenant) in &tenants.listed {
            let is_named = tenant.latest.as_ref() == self.newest.get(id);
            self.found.expect(is_named, id, "the tenant does not name its newest report");
            let listed = listed.get(id).copied().unwrap_or_default();
            let is_once = listed == usize::from(tenant.latest.is_some());
            self.found.expect(is_once, id, "its newest report is not listed once");
        }
    }

    /// Compares the newest report of each tool with the histories, which are complete.
    fn inspect_newest_of_tools(&mut self, organization: &Organization) {
        for ((tenant, _), latest) in &self.newest_of_tools {
            let place = Place {
                service_tenant_id: tenant.clone(),
                completed_at: latest.completed_at,
                report_id: latest.report_id.clone(),
            };
            let is_listed = self.of_tools.contains_key(&place);
            self.found.expect(is_listed, &latest.report_id, "the newest report of its tool is not listed as that");
        }
        let is_exact = self.of_tools.len() == self.newest_of_tools.len();
        self.found.expect(is_exact, organization.id(), "a report is wrongly listed as the newest of its tool");
    }
}

/// Keeps the newer one of a report and the newest that was seen.
fn renew<K: Eq + Hash>(newest: &mut HashMap<K, LatestReport>, of: K, report: &ReportSummary) {
    let latest = LatestReport { completed_at: report.figures.completed_at, report_id: report.report_id.clone() };
    let newest = newest.entry(of).or_insert_with(|| latest.clone());
    if *newest < latest {
        *newest = latest;
    }
}

impl Organization {
    /// Reads everything that points to reports.
    pub(super) async fn pointers(&self, tenants: &Tenants) -> Result<Pointers, StoreError> {
        let mut of = Pointers::default();
        self.each(self.partition.report_places(), |place: Place| {
            of.places.insert(of.digests.hash_one(&place));
        })
        .await?;
        self.each(self.partition.all_baselines(), |place: Place| {
            let key = of.digest(&place);
            of.found.expect(of.places.contains(&key), &place.report_id, NO_REPORT);
            of.baselines.insert(key);
        })
        .await?;
        self.each(self.partition.history(None), |pointer: ListedReport| {
            let (place, content) = of.examine(&pointer, tenants);
            of.completed.insert(place, content);
        })
        .await?;
        self.each(self.partition.all_histories(), |pointer: ListedReport| {
            let (place, content) = of.examine(&pointer, tenants);
            of.histories.insert(place, content);
            let summary = &pointer.summary;
            if tenants.listed.contains_key(&summary.service_tenant_id) {
                let tool = (summary.service_tenant_id.clone(), summary.tool.clone());
                renew(&mut of.newest_of_tools, tool, summary);
            }
        })
        .await?;
        self.each(self.partition.all_latest(None), |pointer: ListedReport| {
            let (_, content) = of.examine(&pointer, tenants);
            of.latest.insert(pointer.summary.place(), content);
        })
        .await?;
        self.each(self.partition.all_newest_of_tools(), |pointer: ListedReport| {
            let (_, content) = of.examine(&pointer, tenants);
            of.of_tools.insert(pointer.summary.place(), content);
        })
        .await?;
        of.marks = self.store.keys_of(self.partition.all_changes()).try_collect().await?;
        Ok(of)
    }

    /// Passes the values of a range's items on, one after another, without damaged ones.
    async fn each<T: Decoded>(&self, range: Range, mut visit: impl FnMut(T)) -> Result<(), StoreError> {
        let mut items = std::pin::pin!(self.store.items(range).map_ok(page_items).try_flatten());
        while let Some(item) = items.try_next().await? {
            T::decoded(item).into_iter().for_each(&mut visit);
        }
        Ok(())
    }
}
