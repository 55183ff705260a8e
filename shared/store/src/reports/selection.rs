//! Selections of reports.

use model::Timestamp;

use super::place::ReportPosition;
use crate::keys::{Partition, Range};
use crate::tenants::TenantRecord;

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

    /// Returns how many pointers to read: one more than requested, to find out whether others follow, and one more for
    /// the last report of the page before, which the range includes.
    pub(super) fn wanted(&self) -> usize {
        self.most() + usize::from(!self.is_one()) + usize::from(self.after.is_some())
    }

    /// Returns whether at most one report can be selected: the newest one of a tenant.
    pub(super) fn is_one(&self) -> bool {
        self.latest_only && self.tenant.is_some()
    }

    /// Returns the keys of the pointers.
    pub(super) fn range(&self, partition: &Partition) -> Range {
        let range = match (&self.tenant, self.latest_only) {
            // The newest report of a tenant is the first of its history.
            (Some(tenant), _) => partition.history_of(&tenant.service_tenant_id, self.since),
            (None, true) => partition.all_latest(self.since),
            (None, false) => partition.history(self.since),
        };
        match &self.after {
            Some(after) => range.up_to_report(after.completed_at, &after.report_id),
            None => range,
        }
    }
}
