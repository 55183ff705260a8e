//! Data that the tools leave out about their controls: category, severity, likelihood, reason, fix and references.
//!
//! The data is in `catalogue/` beside `src/`, one folder per tool, written for this service. Changing it needs no change
//! to the code.

#[cfg(test)]
mod corpus_tests;
mod entry;
mod lookup;
mod references;
mod revised;

pub(crate) use entry::{Control, Placement};
pub(crate) use lookup::{DEFAULT_CATEGORY, catalogue};
#[cfg(test)]
pub(crate) use references::is_recommendation;
pub(crate) use references::references;
pub(crate) use revised::RevisedControl;
