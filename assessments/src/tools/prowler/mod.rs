//! Prowler, versions 5.3 to 5.40, where it assessed the suite.
//!
//! Two files hold the same findings, one for each resource that a check looked at: OCSF (JSON) and a table. Source of
//! the formats: the tool's own writers (`ocsf.py`, `csv.py`). Findings are folded by check as they are read, so that
//! memory does not grow with the number of resources.

mod finding;
mod ocsf;
mod runs;
mod table;

pub(crate) use ocsf::Ocsf;
pub(crate) use table::Table;
