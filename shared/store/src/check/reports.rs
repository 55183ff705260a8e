//! Inspection of reports, and of everything that points to them.

use std::collections::{HashMap, HashSet};

use futures_util::TryStreamExt;
use model::{ReportType, ServiceTenantId};

use super::{Inspection, Tenants};
use crate::keys::{Key, Range};
use crate::reports::Place;
use crate::tenants::LatestReport;
use crate::{ListedReport, Organization, ReportSummary, StoreError};

/// Everything that points to reports.
struct Pointers {
    places: HashSet<Place>,
    completed: HashMap<Place, ListedReport>,
    histories: HashMap<Place, ListedReport>,
    latest: HashMap<Place, ListedReport>,
    /// The newest of each tool.
    of_tools: HashMap<Place, ListedReport>,
    baselines: HashSet<Place>,
    /// The marks of changes.
    marks: HashSet<Key>,
}

impl Organization {
    pub(super) async fn inspect_reports(
        &self,
        reports: &[ReportSummary],
        tenants: &Tenants,
        found: &mut Inspection,
    ) -> Result<(), StoreError> {
        let pointers = self.pointers().await?;
        let mut newest: HashMap<ServiceTenantId, LatestReport> = HashMap::new();
        for report in reports {
            let place = report.place();
            let latest = LatestReport { completed_at: place.completed_at, report_id: place.report_id.clone() };
            newest
                .entry(place.service_tenant_id.clone())
                .and_modify(|newest| *newest = newest.clone().max(latest.clone()))
                .or_insert(latest);
            let is_marked = pointers.marks.contains(&self.reports_changed(&place.service_tenant_id));
            found.expect(is_marked, &place.report_id, "the last change of the tenant's reports is not marked");
            inspect_report(report, &place, &pointers, tenants, found);
        }
        inspect_pointers(self, &pointers, tenants, found);
        inspect_latest(&pointers, tenants, &newest, found);
        inspect_newest_of_tools(self, &pointers, tenants, found);
        Ok(())
    }

    async fn pointers(&self) -> Result<Pointers, StoreError> {
        Ok(Pointers {
            places: self.store.intact(self.partition.report_places()).await?.into_iter().collect(),
            completed: self.listed_by_place(self.partition.history(None)).await?,
            histories: self.listed_by_place(self.partition.all_histories()).await?,
            latest: self.listed_by_place(self.partition.all_latest(None)).await?,
            of_tools: self.listed_by_place(self.partition.all_newest_of_tools()).await?,
            baselines: self.store.intact(self.partition.all_baselines()).await?.into_iter().collect(),
            marks: self.store.keys_of(self.partition.all_changes()).try_collect().await?,
        })
    }

    async fn listed_by_place(&self, range: Range) -> Result<HashMap<Place, ListedReport>, StoreError> {
        let listed: Vec<ListedReport> = self.store.intact(range).await?;
        Ok(listed.into_iter().map(|listed| (listed.summary.place(), listed)).collect())
    }
}

fn inspect_report(
    report: &ReportSummary,
    place: &Place,
    pointers: &Pointers,
    tenants: &Tenants,
    found: &mut Inspection,
) {
    let id = &place.report_id;
    found.expect(pointers.places.contains(place), id, "the report is not found by its identifier");
    let is_listed_rightly = match report.figures.report_type {
        ReportType::Baseline => pointers.baselines.contains(place),
        ReportType::FollowUp => !pointers.baselines.contains(place),
        ReportType::Unknown => true,
    };
    found.expect(is_listed_rightly, id, "the report is wrongly listed as a baseline");
    let is_listed = tenants.listed.contains_key(&place.service_tenant_id);
    let removed = tenants.removed.get(&place.service_tenant_id);
    let is_known = is_listed || removed.is_some();
    found.expect(is_known, id, "the tenant of the report does not exist and is not a removed one");
    let in_histories = [pointers.completed.get(place), pointers.histories.get(place)];
    if is_listed {
        let is_same = |listed: &ListedReport| listed.summary == *report;
        let agree = in_histories.iter().all(|listed| listed.is_some_and(is_same));
        found.expect(agree, id, "the report is missing from a history, or its summary there is not the report's");
        let newest = [pointers.latest.get(place), pointers.of_tools.get(place)];
        let agree = newest.into_iter().flatten().all(is_same);
        found.expect(agree, id, "the summary of the newest report is not the report's");
    } else if removed == Some(&false) {
        // Until a removal is complete, reads leave these out.
        let gone = in_histories.iter().all(Option::is_none);
        found.expect(gone, id, "the report of a removed tenant is still in a history");
    }
}

fn inspect_pointers(organization: &Organization, pointers: &Pointers, tenants: &Tenants, found: &mut Inspection) {
    let counts_agree = pointers.places.len() == found.reports;
    found.expect(counts_agree, organization.id(), "reports and their places differ in number");
    let listed = [&pointers.completed, &pointers.histories, &pointers.latest, &pointers.of_tools];
    for pointer in listed.into_iter().flat_map(HashMap::values) {
        let is_correct = tenants.show_correctly(pointer);
        let id = &pointer.summary.report_id;
        found.expect(is_correct, id, "a list shows the report with another name of its tenant, or of a removed tenant");
    }
    for place in listed.into_iter().flat_map(HashMap::keys).chain(&pointers.baselines) {
        let exists = pointers.places.contains(place);
        found.expect(exists, &place.report_id, "an item points to the report, which does not exist");
    }
}

fn inspect_latest(
    pointers: &Pointers,
    tenants: &Tenants,
    newest: &HashMap<ServiceTenantId, LatestReport>,
    found: &mut Inspection,
) {
    for place in pointers.latest.keys() {
        let tenant = tenants.listed.get(&place.service_tenant_id);
        let agreed = tenant.and_then(|tenant| tenant.latest_place()).is_some_and(|latest| latest == *place);
        found.expect(agreed, &place.report_id, "it is listed as the newest of its tenant, which names another");
    }
    for (id, tenant) in &tenants.listed {
        found.expect(tenant.latest.as_ref() == newest.get(id), id, "the tenant does not name its newest report");
        let listed = pointers.latest.keys().filter(|place| place.service_tenant_id == *id).count();
        found.expect(listed == usize::from(tenant.latest.is_some()), id, "its newest report is not listed once");
    }
}

/// Compares the newest report of each tool with the histories, which are complete.
fn inspect_newest_of_tools(
    organization: &Organization,
    pointers: &Pointers,
    tenants: &Tenants,
    found: &mut Inspection,
) {
    let mut newest: HashMap<(&ServiceTenantId, &str), LatestReport> = HashMap::new();
    let listed = pointers.histories.values().map(|listed| &listed.summary);
    for summary in listed.filter(|summary| tenants.listed.contains_key(&summary.service_tenant_id)) {
        let latest = LatestReport { completed_at: summary.figures.completed_at, report_id: summary.report_id.clone() };
        newest
            .entry((&summary.service_tenant_id, &summary.tool))
            .and_modify(|newest| *newest = newest.clone().max(latest.clone()))
            .or_insert(latest);
    }
    for ((tenant, _), latest) in &newest {
        let place = Place {
            service_tenant_id: (*tenant).clone(),
            completed_at: latest.completed_at,
            report_id: latest.report_id.clone(),
        };
        let is_listed = pointers.of_tools.contains_key(&place);
        found.expect(is_listed, &latest.report_id, "the newest report of its tool is not listed as that");
    }
    let is_exact = pointers.of_tools.len() == newest.len();
    found.expect(is_exact, organization.id(), "a report is wrongly listed as the newest of its tool");
}
