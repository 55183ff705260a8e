//! Maester, versions 0.1 to 2.3.
//!
//! One file holds the results of one tenant, or a merged file those of several. Source of the formats: the tool's own
//! writers (`ConvertTo-MtMaesterResult`, `Merge-MtMaesterResult`). Counts are taken from the rows, since those of the
//! file's head can differ from them.

mod file;
mod rows;

pub(crate) use file::{MergedResults, Results};
