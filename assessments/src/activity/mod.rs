//! Counts the use of a tenant's controls in its own logs and usage reports.
//!
//! Readers turn rows into [`Events`]: a measure, a moment, and a digest that distinguishes one user or application from
//! another. Names, addresses and identifiers end there, so no sentence can contain one.

mod audit;
mod audit_log;
mod collected;
mod events;
mod findings;
mod forwarding;
mod log;
mod measure;
mod sentence;
mod sign_in;
mod speech;
mod subject;
mod tables;
mod tally;
mod unified_audit;
mod usage_reports;
mod window;

pub(crate) use audit_log::{Audit, read_audit_log, read_audit_table, take_audit};
pub(crate) use collected::{Activity, Observed};
pub(crate) use events::Entry;
pub(crate) use forwarding::read_forwarding;
pub(crate) use log::Log;
pub(crate) use measure::{BY_ACCOUNT, BY_NOTHING, BY_POLICY, Measure};
pub(crate) use sign_in::{SignIn, squeezed};
pub(crate) use speech::Source;
pub(crate) use subject::Subject;
pub(crate) use tables::Columns;
pub(crate) use tally::Tally;
pub(crate) use unified_audit::{read_unified_audit, read_unified_audit_list};
pub(crate) use usage_reports::{read_mail_apps, read_mailboxes, read_one_drive, read_share_point, read_teams};
pub(crate) use window::Window;
