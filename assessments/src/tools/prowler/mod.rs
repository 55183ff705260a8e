//! Prowler, versions 5.3 to 5.40, for Microsoft 365.
//!
//! Two files have the same findings, one for each resource that a check assessed: OCSF (JSON) and a table. Source of the
//! formats: the tool's own writers (`ocsf.py`, `csv.py`). Findings are folded by check as they are read, so that memory
//! does not grow with the number of resources.

mod finding;
mod ocsf;
mod runs;
mod table;

pub(crate) use ocsf::read_ocsf;
pub(crate) use table::read_table;
