//! The data of a report's page.

use std::collections::BTreeMap;

use model::{ControlId, GlobalAdmin, ReportBody, ReportHead, Timestamp};
use store::Task;
use web::view::layout::Shell;

use crate::view::edits::Edit;
use crate::view::filter::Filter;
use crate::view::history::Series;

/// A report and what is known about it.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// Identifier and tenant.
    pub(crate) head: &'a ReportHead,
    /// The report, as the API returns it.
    pub(crate) body: &'a ReportBody,
    /// Name of the tool.
    pub(crate) tool: &'a str,
    /// Scores of the tenant's reports of the same tool.
    pub(crate) history: &'a [Series],
    /// Edits of checks.
    pub(crate) edits: &'a BTreeMap<ControlId, Edit>,
    /// Administrators, in the report's order.
    pub(crate) administrators: &'a [Administrator<'a>],
    /// Tasks of its controls; `None` if it is not the newest report of its tool.
    pub(crate) tasks: Option<&'a BTreeMap<ControlId, Task>>,
    /// The checks to show.
    pub(crate) filter: &'a Filter,
    /// The present.
    pub(crate) now: Timestamp,
    /// Whether PDFs can be made.
    pub(crate) has_pdf: bool,
}

/// An administrator of the report.
pub(crate) struct Administrator<'a> {
    /// The administrator in the report.
    pub(crate) admin: &'a GlobalAdmin,
    /// Digest of the sign-in name, by which addresses name the administrator.
    pub(crate) digest: String,
    /// The last edit.
    pub(crate) edit: Option<Edit>,
}
