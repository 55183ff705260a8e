//! ScubaGear, versions 1.4 to 1.8.
//!
//! Three files have the same rows: the results of a whole run, the report of one product, and the results as a table.
//! Only the first identifies the tenant, the run and the administrators. Source of the formats: the tool's own writers
//! (`CreateReport.psm1`, `Orchestrator.psm1`), whose `ConvertTo-Json` writes a list of one as the element itself.

mod control_row;
mod files;

pub(crate) use files::{read_product_reports, read_results, read_table};
