//! The service's own assessment: judges a snapshot of a tenant's configuration.
//!
//! A snapshot is read once, as a stream ([`read`](read::read_snapshot)): of each response, its place among the
//! [sources](source::Source) is noted, and of each row, the fields that a control needs. Then every control of the
//! [table] judges the [tenant](tenant::Tenant), without clock or network.
//!
//! Three rules apply to all of them:
//!
//! - What is not in the snapshot, or not in the documented form, is not assessed, with the reason.
//! - Secure is only what is understood completely: an unknown word never counts as a good one.
//! - A finding of one row can be enough to be open, but secure needs all of them.

mod accounts;
mod administrators;
mod applications;
mod body;
mod conditional_access;
mod document;
mod licences;
mod list;
mod mail;
mod read;
mod received;
mod rows;
mod sharing;
mod sign_ins;
mod source;
mod table;
mod tenant;
mod verdict;

pub(crate) use read::read_snapshot;
