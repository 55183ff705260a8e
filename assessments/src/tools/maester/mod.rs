//! Maester, versions 0.1 to 2.3.
//!
//! A file has the results of one tenant, or a merged file those of several. Source of the formats: the tool's own writers
//! (`ConvertTo-MtMaesterResult`, `Merge-MtMaesterResult`). The rows are counted, because the counts in the head of the
//! file can differ from them.

mod files;
mod test_row;

pub(crate) use files::{read_merged_results, read_results};
