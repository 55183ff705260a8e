//! The data of a report's page.

use std::collections::BTreeMap;

use model::{ControlId, GlobalAdmin, ReportBody, ReportHead};

use super::filter::Filter;
use crate::view::edits::Edit;
use crate::view::history::Series;
use crate::view::layout::Shell;

/// A report and what is known about it.
pub struct Page<'a> {
    /// The frame.
    pub shell: &'a Shell,
    /// Identifier and tenant.
    pub head: &'a ReportHead,
    /// The report, as the API returns it.
    pub body: &'a ReportBody,
    /// Name of the tool.
    pub tool: &'a str,
    /// Scores of the tenant's reports of the same tool.
    pub history: &'a [Series],
    /// Edits of checks.
    pub edits: &'a BTreeMap<ControlId, Edit>,
    /// Administrators, in the report's order.
    pub administrators: &'a [Administrator<'a>],
    /// The checks to show.
    pub filter: &'a Filter,
    /// Whether PDFs can be made.
    pub has_pdf: bool,
}

/// An administrator of the report.
pub struct Administrator<'a> {
    /// The administrator in the report.
    pub admin: &'a GlobalAdmin,
    /// Digest of the sign-in name, by which addresses name the administrator.
    pub digest: String,
    /// The last edit.
    pub edit: Option<Edit>,
}
