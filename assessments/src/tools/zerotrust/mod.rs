//! Microsoft Zero Trust Assessment, versions 1.0 to 2.2.
//!
//! Source of the format: the tool's own writers (`Get-ZtAssessmentResults`, `Add-ZtTestResultDetail`). The rows are
//! counted, because the counts in the head of the file differ from them.

mod report;
mod test_row;

pub(crate) use report::read_report;
