//! Results of assessment tools become posture reports.
//!
//! Three steps: [`read`] takes in a file of any tool, as a stream; [`combine`] makes [`Run`]s of what one or several
//! files hold, and a [`Directory`] of the exports of one; and [`assemble`] turns a run into the body of a report, alone
//! or compared with an earlier one. What the tools leave unsaid about their controls (category, likelihood, why, fix)
//! comes from the catalogue in `catalogue/`, embedded in the crate, and so do the [`references`] of a control to
//! frameworks. [`rescore`] keeps a report's figures true after an edit.
//!
//! Nothing here reads a clock or the network, nor any bytes but those of the [`Source`] that it is given. No error,
//! issue or `Debug` output repeats what a tool wrote about a tenant, which can name people; only control ids, and
//! result words that are not known, are repeated.

mod assemble;
mod catalogue;
mod collector;
#[cfg(test)]
mod corpus_tests;
mod directory;
mod findings;
mod follow_up;
mod graph;
mod header;
mod maester;
mod markdown;
mod markup;
mod order;
mod prowler;
mod read;
mod references;
mod run;
mod score;
mod scubagear;
mod securescore;
mod wording;
mod zerotrust;

pub use assemble::{Assembled, DEFAULT_LOOKBACK_DAYS, Settings, assemble};
pub use directory::{Directory, LicensesUnknown, TRIAL_DAYS, Terms, Usage};
pub use follow_up::{Earlier, Revisions};
pub use read::{Combined, Excess, Part, Source, Unreadable, combine, read};
pub use references::{Reference, references};
pub use run::{AdminReview, Administrator, Finding, Issue, IssueKind, LeftOut, Run, Tool};
pub use score::{NothingAssessed, rescore};
