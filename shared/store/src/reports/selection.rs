//! Selections of reports.
//!
//! The state of a selection is known before a pointer is read, so a client that already has the response causes no
//! further reads. Pointers are read afterwards and strongly consistent, so a response is never older than its state.

use futures_util::stream;
use futures_util::{StreamExt, TryStreamExt};
use model::Timestamp;

use super::ListedReport;
use super::chosen::{Chosen, Pointers};
use super::place::ReportPosition;
use super::read::Reports;
use crate::table::Order;
use crate::tenants::TenantRecord;
use crate::{Organization, StoreError};

/// Maximum number of pointers that are read as one page.
const FEW: usize = 110;
/// Size of the first page of more pointers.
const FIRST_PAGE: usize = 50;

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

    /// Returns the maximum number of reports.
    pub(super) fn most(&self) -> usize {
        if self.is_one() { 1 } else { self.limit }
    }

    /// Returns whether at most one report can be selected: the newest one of a tenant.
    pub(super) fn is_one(&self) -> bool {
        self.latest_only && self.tenant.is_some()
    }

    /// Returns the sizes of the pages of pointers: one more than requested, to find out whether others follow, and one
    /// more for the key of the previous page's last report, which the range includes. Of many, a small page is read
    /// first, so that its reports can be read while the others are found.
    fn pages(&self) -> Vec<usize> {
        let wanted = self.most() + usize::from(!self.is_one()) + usize::from(self.after.is_some());
        if wanted > FEW { vec![FIRST_PAGE, wanted - FIRST_PAGE] } else { vec![wanted] }
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

    /// Returns the selected reports, a batch at a time.
    pub fn reports(&self, selection: Selection) -> Reports {
        self.choose(&selection).reports()
    }

    /// Returns the summaries of the selected reports. Reads no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn listed_reports(&self, selection: Selection) -> Result<Vec<ListedReport>, StoreError> {
        self.choose(&selection).listed().await
    }

    /// Returns the selected reports, without those of tenants whose removal is in progress.
    fn choose(&self, selection: &Selection) -> Chosen {
        Chosen::new(self, selection, self.pages_of(selection))
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
        let range = match &after {
            Some(after) => range.up_to_report(after.completed_at, &after.report_id),
            None => range,
        };
        let follows =
            move |pointer: &ListedReport| after.as_ref().is_none_or(|after| pointer.summary.position() < *after);
        self.store
            .query::<ListedReport>(range, Order::NewestFirst, &selection.pages())
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

    /// Returns the reports. Reads none of them yet.
    pub fn choose(self) -> Chosen {
        self.organization.choose(&self.selection)
    }
}
