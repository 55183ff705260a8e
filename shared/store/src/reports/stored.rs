//! Reports as they are read from the table.

use std::collections::BTreeMap;
use std::fmt;

use model::{Check, ControlId, ReportBody, ReportId};
use serde::{Deserialize, Serialize};

use super::marks::EditMark;
use super::summary::ReportSummary;
use crate::kept_edits::FIRST_REVISION;
use crate::{Fragment, StoreError};

/// A report, read from the table.
#[derive(Clone, PartialEq)]
pub struct StoredReport {
    /// The summary of the report.
    pub summary: ReportSummary,
    /// Current name of the tenant.
    pub tenant_name: String,
    /// Revisions of controls, if they are not 1. A later report needs them for its comparison.
    pub revisions: BTreeMap<ControlId, u32>,
    /// The edits of people, including those kept from earlier reports.
    pub edits: Vec<EditMark>,
    /// The run of which it is the report; `None` if an earlier version of the service added it.
    pub content: Option<RunContent>,
    /// The body's JSON text without its opening brace, ready to send.
    pub tail: Fragment,
}

/// The content of a run, to distinguish copies of the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunContent {
    /// Number of readable rows.
    pub rows: usize,
    /// Digest of the results.
    pub digest: String,
}

/// An earlier report, to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct PastReport {
    /// Identifier.
    pub id: ReportId,
    /// The tool whose results the report contains.
    pub tool: String,
    /// The report.
    pub body: ReportBody,
    /// Revisions of controls, if they are not 1.
    pub revisions: BTreeMap<ControlId, u32>,
}

impl StoredReport {
    /// Reads the report's body.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the stored bytes are damaged.
    pub fn open(self) -> Result<PastReport, StoreError> {
        let body = serde_json::from_slice(&self.text()?);
        let body = body.map_err(|_| self.tail.unexpected("a report has an unexpected shape"))?;
        let ReportSummary { report_id: id, tool, .. } = self.summary;
        Ok(PastReport { id, tool, body, revisions: self.revisions })
    }

    /// Returns the revision of the control of a check.
    pub(crate) fn revision_of(&self, check: &Check) -> u32 {
        self.revisions.get(&check.control_id).copied().unwrap_or(FIRST_REVISION)
    }

    /// Returns the body's JSON text.
    pub(super) fn text(&self) -> Result<Vec<u8>, StoreError> {
        let mut text = self.tail.inflate()?;
        text.insert(0, b'{');
        Ok(text)
    }
}

impl fmt::Debug for StoredReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredReport").field("report_id", &self.summary.report_id).finish_non_exhaustive()
    }
}
