//! Reports: stored ready to send, found by pointers in the order they are asked for, visible whole or not at all.
//!
//! A pointer carries a summary of its report, so that lists read no bodies. The name of a tenant is kept with the tenant
//! alone and read with its reports: a rename is one write, and no answer mixes two names.

mod add;
mod edit;
mod item;
mod names;
mod read;
mod summaries;
mod summary;

use std::collections::BTreeMap;
use std::fmt;

use model::{ControlId, ReportBody, ReportId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

pub use add::{NewReport, ReportError};
pub use edit::EditError;
pub(crate) use item::ReportItem;
pub use summary::{ListedReport, ReportSummary};

use crate::{Fragment, StoreError};

/// A report, read from the table.
#[derive(Clone, PartialEq)]
pub struct StoredReport {
    /// What is listed of the report.
    pub summary: ReportSummary,
    /// Current name of the tenant.
    pub tenant_name: String,
    /// Revisions of controls, if they are not 1. A later report needs them to compare.
    pub revisions: BTreeMap<ControlId, u32>,
    /// The body's JSON text without its opening brace, ready to send.
    pub tail: Fragment,
}

/// An earlier report, to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct PastReport {
    /// Identifier.
    pub id: ReportId,
    /// The tool whose results the report was made of.
    pub tool: String,
    /// The report.
    pub body: ReportBody,
    /// Revisions of controls, if they are not 1.
    pub revisions: BTreeMap<ControlId, u32>,
}

/// Where a report is: part of every pointer to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Place {
    pub(crate) service_tenant_id: ServiceTenantId,
    pub(crate) completed_at: Timestamp,
    pub(crate) report_id: ReportId,
}

impl StoredReport {
    /// Reads the report's body.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the stored bytes are damaged.
    pub fn open(self) -> Result<PastReport, StoreError> {
        let body = item::body_of(&self.tail)?;
        let ReportSummary { report_id: id, tool, .. } = self.summary;
        Ok(PastReport { id, tool, body, revisions: self.revisions })
    }
}

impl fmt::Debug for StoredReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredReport").field("report_id", &self.summary.report_id).finish_non_exhaustive()
    }
}
