//! Choosing reports by their pointers, before any body is read.
//!
//! An answer is decided by the pointers alone, together with the tenants' names. So its state is known before a body is
//! read, and a client that has the answer already costs no more than that.

use futures_util::future::{Either, ready, try_join};
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryFutureExt, TryStreamExt};
use model::Timestamp;

use super::names::Names;
use super::place::ReportPosition;
use super::read::Reports;
use super::{ListedReport, ReportSummary};
use crate::table::{Consistency, Order};
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError};

/// Which reports are asked for.
#[derive(Debug, Clone)]
pub struct Selection {
    /// One tenant, or `None` for all tenants.
    pub tenant: Option<TenantRecord>,
    /// Only the newest report of each tenant.
    pub latest_only: bool,
    /// Only reports that completed at or after this moment.
    pub since: Option<Timestamp>,
    /// Only reports that follow this place in the list.
    pub after: Option<ReportPosition>,
    /// Maximum number of reports.
    pub limit: usize,
}

/// Reports that a selection found, known by their pointers. Removed tenants may still be among them.
pub struct Selected {
    organization: Organization,
    selection: Selection,
    names: Names,
    /// Decides the names of tenants: the revision of the tenant list, or the one tenant's name.
    names_state: String,
    /// At most one more than asked for, which shows that others follow.
    found: Vec<ReportSummary>,
    rest: Pointers,
}

/// The reports of an answer.
pub struct Chosen {
    organization: Organization,
    names: Names,
    reports: Vec<ReportSummary>,
    next: Option<ReportPosition>,
    is_settled: bool,
}

type Pointers = BoxStream<'static, Result<Vec<ReportSummary>, StoreError>>;

impl Selection {
    /// Selects the newest report of each tenant.
    pub fn latest(limit: usize) -> Self {
        Self { tenant: None, latest_only: true, since: None, after: None, limit }
    }

    /// Selects all reports.
    pub fn history(limit: usize) -> Self {
        Self { latest_only: false, ..Self::latest(limit) }
    }

    /// Limits the selection to one tenant.
    #[must_use]
    pub fn of(self, tenant: TenantRecord) -> Self {
        Self { tenant: Some(tenant), ..self }
    }

    /// Returns how many pointers to find: one more than asked for, which shows that others follow. A tenant has one
    /// newest report, behind which there is none.
    fn wanted(&self) -> usize {
        if self.is_one() { 1 } else { self.limit + 1 }
    }

    fn is_one(&self) -> bool {
        self.latest_only && self.tenant.is_some()
    }
}

impl Organization {
    /// Finds the reports that a selection asks for. Reads their pointers and no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn select(&self, selection: Selection) -> Result<Selected, StoreError> {
        let names = Names::new(self);
        // Read before any name, so that a rename during the answer gives the next one another state.
        let names_state = match &selection.tenant {
            Some(tenant) => {
                names.know(tenant);
                Either::Left(ready(Ok(format!("{} {}", tenant.service_tenant_id, tenant.name))))
            }
            None => Either::Right(self.tenants_revision().map_ok(|revision| revision.to_string())),
        };
        let mut rest = self.pages_of(&selection);
        let found = take(&mut rest, Vec::new(), selection.wanted());
        let (names_state, found) = try_join(names_state, found).await?;
        Ok(Selected { organization: self.clone(), selection, names, names_state, found, rest })
    }

    /// Returns the reports that a selection asks for, a batch at a time.
    pub fn reports(&self, selection: Selection) -> Reports {
        let organization = self.clone();
        let chosen = async move { organization.select(selection).await?.present().await };
        chosen.map_ok(Chosen::reports).try_flatten_stream().boxed()
    }

    fn pages_of(&self, selection: &Selection) -> Pointers {
        let since = selection.since;
        let range = match (&selection.tenant, selection.latest_only) {
            // The newest report of a tenant is the first of its history.
            (Some(tenant), _) => self.partition.history_of(&tenant.service_tenant_id, since),
            (None, true) => self.partition.all_latest(since),
            (None, false) => self.partition.history(since),
        };
        let after = selection.after.clone();
        if selection.is_one() && after.is_some() {
            return stream::empty().boxed();
        }
        // The range includes its last key.
        let first = selection.wanted() + usize::from(after.is_some());
        let range = match &after {
            Some(after) => range.up_to_report(after.completed_at, &after.report_id),
            None => range,
        };
        let follows = move |pointer: &ReportSummary| after.as_ref().is_none_or(|after| pointer.position() < *after);
        self.store
            .query::<ReportSummary>(range, Order::NewestFirst, Consistency::Eventual, Some(first))
            .map_ok(move |page| page.into_iter().filter(&follows).collect())
            .boxed()
    }
}

impl Selected {
    /// Returns a text that is another whenever the reports or their tenants are: the pointers with their revisions, and
    /// the state of the names. It holds identifiers and names, so it is to be hashed and never shown.
    pub fn state(&self) -> String {
        let mut state = format!("{} {}", self.names_state, self.found.len() > self.selection.limit);
        for report in self.found.iter().take(self.selection.limit) {
            state.push(' ');
            state.push_str(&report.state());
        }
        state
    }

    /// Leaves out the reports of tenants whose removal is under way.
    ///
    /// The pointers of a tenant's newest report disappear with the tenant, so those are taken as they are.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn present(mut self) -> Result<Chosen, StoreError> {
        let mut is_settled = true;
        let mut reports = std::mem::take(&mut self.found);
        while !self.selection.latest_only && self.selection.tenant.is_none() {
            let names = self.names.of(reports.iter().map(|report| report.service_tenant_id.clone()).collect()).await?;
            let found = reports.len();
            reports = reports.into_iter().zip(names).filter_map(|(report, name)| name.map(|_| report)).collect();
            if reports.len() == found {
                break;
            }
            is_settled = false;
            reports = take(&mut self.rest, reports, self.selection.wanted()).await?;
        }
        let more = reports.len() > self.selection.limit;
        reports.truncate(self.selection.limit);
        let next = if more { reports.last().map(ReportSummary::position) } else { None };
        Ok(Chosen { organization: self.organization, names: self.names, reports, next, is_settled })
    }
}

impl Chosen {
    /// Returns the place of the last report if others follow it.
    pub fn next(&self) -> Option<&ReportPosition> {
        self.next.as_ref()
    }

    /// Returns whether the state of the selection decides the answer. False while a removed tenant's reports are still
    /// taken out of the history: reports then fill the gaps that the state does not name.
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Returns the reports, a batch at a time.
    pub fn reports(self) -> Reports {
        self.organization.reports_at(self.reports, self.names)
    }

    /// Returns what is listed of the reports. Reads no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn listed(self) -> Result<Vec<ListedReport>, StoreError> {
        let names = self.names.of(self.reports.iter().map(|report| report.service_tenant_id.clone()).collect()).await?;
        let reports = self.reports.into_iter().zip(names);
        Ok(reports.filter_map(|(summary, name)| Some(ListedReport { tenant_name: name?, summary })).collect())
    }
}

/// Reads pages until there are as many pointers as wanted, or no more.
async fn take(
    pages: &mut Pointers,
    mut found: Vec<ReportSummary>,
    wanted: usize,
) -> Result<Vec<ReportSummary>, StoreError> {
    while found.len() < wanted {
        let Some(page) = pages.try_next().await? else { break };
        found.extend(page);
    }
    Ok(found)
}
