//! A run becomes a report: assembling, the comparison with an earlier report, the score and the order of the controls.

mod assemble;
mod follow_up;
mod no_report;
mod order;
mod score;

pub use assemble::{Assembled, DEFAULT_LOOKBACK_DAYS, Settings, assemble};
pub use follow_up::{Earlier, Revisions};
pub use no_report::NoReport;
pub use score::{NothingAssessed, rescore};
