//! ScubaGear, versions 1.4 to 1.8.
//!
//! Three files hold the same rows: the results of a whole run, the report of one product, and the results as a table.
//! Only the first names the tenant, the run and the administrators. Source of the formats: the tool's own writers
//! (`CreateReport.psm1`, `Orchestrator.psm1`), whose `ConvertTo-Json` writes a list of one as the element itself.

mod file;
mod rows;

pub(crate) use file::{ProductReport, Results, ResultsTable};
