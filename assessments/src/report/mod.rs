//! Turns a run into a report: assembly, comparison with an earlier report, score, and order of the controls.

mod assemble;
mod coverage;
mod follow_up;
mod no_report;
mod order;
mod score;

pub use assemble::{Assembled, DEFAULT_LOOKBACK_DAYS, Settings, assemble};
pub use follow_up::{Earlier, Revisions};
pub use no_report::NoReport;
pub use score::{NothingAssessed, rescore, score_and_grade};
