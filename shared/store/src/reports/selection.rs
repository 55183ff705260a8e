//! Selections of reports.
//!
//! The state of a selection is known before a pointer is read, so a client that already has the response causes no
//! further reads. Pointers are read afterwards and strongly consistent, so a response is never older than its state.

use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryFutureExt, TryStreamExt};
use model::Timestamp;

use super::ListedReport;
use super::names::Names;
use super::place::ReportPosition;
use super::read::Reports;
use crate::table::Order;
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError};

/// The requested reports.
#[derive(Debug, Clone)]
pub struct Selection {
    /// One tenant, or `None` for all tenants.
    pub tenant: Option<TenantRecord>,
    /// Only the newest report of each tenant.
    pub latest_only: bool,
    /// Only reports that completed at or after this time.
    pub since: Option<Timestamp>,
    /// Only reports after this position in the list.
    pub after: Option<ReportPosition>,
    /// Maximum number of reports.
    pub limit: usize,
}

/// A selection of which only the state was read.
pub struct Selected {
    organization: Organization,
    selection: Selection,
    state: String,
}

/// The reports of a response.
pub struct Chosen {
    organization: Organization,
    names: Names,
    reports: Vec<ListedReport>,
    next: Option<ReportPosition>,
}

type Pointers = BoxStream<'static, Result<Vec<ListedReport>, StoreError>>;

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

    /// Returns how many pointers to find: one more than requested, which shows that others follow. A tenant has only
    /// one newest report.
    fn wanted(&self) -> usize {
        if self.is_one() { 1 } else { self.limit + 1 }
    }

    fn is_one(&self) -> bool {
        self.latest_only && self.tenant.is_some()
    }
}

impl Organization {
    /// Reads only the state of a selection.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn select(&self, selection: Selection) -> Result<Selected, StoreError> {
        let state = match &selection.tenant {
            Some(tenant) => {
                let reports = self.reports_state_of(&tenant.service_tenant_id).await?;
                format!("{reports} {} {}", tenant.service_tenant_id, tenant.name)
            }
            None => self.reports_state().await?,
        };
        Ok(Selected { organization: self.clone(), selection, state })
    }

    /// Returns the pointers of the selected reports, a page at a time.
    pub fn reports(&self, selection: Selection) -> Reports {
        let organization = self.clone();
        let chosen = async move { organization.choose(selection).await };
        chosen.map_ok(Chosen::reports).try_flatten_stream().boxed()
    }

    /// Returns the summaries of the selected reports. Reads no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn listed_reports(&self, selection: Selection) -> Result<Vec<ListedReport>, StoreError> {
        self.choose(selection).await?.listed().await
    }

    /// Finds the pointers of the selected reports. Leaves out the reports of tenants whose removal is in progress.
    async fn choose(&self, selection: Selection) -> Result<Chosen, StoreError> {
        let mut names = self.names_for(&selection);
        let mut pages = self.pages_of(&selection);
        let mut reports = take(&mut pages, Vec::new(), selection.wanted()).await?;
        // The pointer of a tenant's newest report disappears with the tenant, so only histories need more pages.
        if !selection.latest_only {
            loop {
                let found = reports.len();
                reports = names.correct(reports).await?;
                if reports.len() == found {
                    break;
                }
                reports = take(&mut pages, reports, selection.wanted()).await?;
                names = self.names_for(&selection);
            }
        }
        let more = reports.len() > selection.limit;
        reports.truncate(selection.limit);
        let next = if more { reports.last().map(|report| report.summary.position()) } else { None };
        Ok(Chosen { organization: self.clone(), names, reports, next })
    }

    fn names_for(&self, selection: &Selection) -> Names {
        selection.tenant.as_ref().map_or_else(|| Names::new(self), |tenant| Names::of(self, tenant))
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
        let follows =
            move |pointer: &ListedReport| after.as_ref().is_none_or(|after| pointer.summary.position() < *after);
        self.store
            .query::<ListedReport>(range, Order::NewestFirst, Some(first))
            .map_ok(move |page| page.into_iter().filter(&follows).collect())
            .boxed()
    }
}

impl Selected {
    /// Returns a text that changes with every change of a selectable report or tenant. It contains names, so it must be
    /// hashed and never shown.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Finds the reports. Reads their pointers and no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn choose(self) -> Result<Chosen, StoreError> {
        self.organization.choose(self.selection).await
    }
}

impl Chosen {
    /// Returns the position of the last report if others follow it.
    pub fn next(&self) -> Option<&ReportPosition> {
        self.next.as_ref()
    }

    /// Returns the reports, a batch at a time.
    pub fn reports(self) -> Reports {
        self.organization.reports_at(self.reports, self.names)
    }

    /// Returns the summaries of the reports. Reads no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn listed(self) -> Result<Vec<ListedReport>, StoreError> {
        self.names.correct(self.reports).await
    }
}

/// Reads pages until there are enough pointers, or no more.
async fn take(
    pages: &mut Pointers,
    mut found: Vec<ListedReport>,
    wanted: usize,
) -> Result<Vec<ListedReport>, StoreError> {
    while found.len() < wanted {
        let Some(page) = pages.try_next().await? else { break };
        found.extend(page);
    }
    Ok(found)
}
