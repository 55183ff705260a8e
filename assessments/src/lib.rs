//! Turns results of assessment tools into posture reports.
//!
//! There are three steps: [`read`] streams a file of any tool; [`combine`] turns the contents of one or several files
//! into [`Run`]s and the exports of a [`Directory`]; [`assemble`] turns a run into the body of a report, alone or
//! compared with an earlier report. Data that the tools leave out about their controls (category, likelihood, reason,
//! fix) and the references of a control to frameworks come from the catalogue in `catalogue/`, which is embedded in
//! the crate. [`rescore`] updates a report's figures after an edit.
//!
//! Nothing here uses a clock or the network, or reads any bytes except those of the given [`Source`]. No error, issue
//! or `Debug` output repeats a tool's text about a tenant, which can name people. Only control ids and unknown result
//! words are repeated.

mod activity;
mod catalogue;
mod controls;
mod directory;
mod file;
mod formats;
mod natural_order;
mod report;
mod run;
mod text;
mod tools;

pub use directory::{Directory, LicensesUnknown, TRIAL_DAYS, Terms, Usage};
pub use file::{
    Excess, Member, Packed, ReadSeek, Source, TableEnd, Unique, Unreadable, members, table_layout, text as decoded,
};
pub use formats::{Combined, Contents, combine, format_names, read};
pub use report::{
    Assembled, DEFAULT_LOOKBACK_DAYS, Earlier, NoReport, NothingAssessed, Revisions, Settings, assemble, rescore,
    score_and_grade,
};
pub use run::{AdminReview, Administrator, Finding, Issue, IssueKind, LeftOut, RowCount, Run, RunContent, Tool};
