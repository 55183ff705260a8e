//! What people do by rules: import, edit, record. Shared by the command, the import function and the dashboard.
//!
//! - [`organizations`]: what an operator manages.
//! - [`archive`]: an organization as a file.
//! - [`brand`], [`documents`]: documents of reports for clients, and their brand.
//! - [`grants()`]: whatever gives access to organizations.
//! - [`import`]: turns results of assessment tools into reports.
//! - [`notifications`]: who is told of events.
//! - [`repair`]: the repair of an organization with damaged items.
//! - [`requests`]: reports that the service makes itself.
//! - [`retention`]: which reports are kept.
//! - [`schedules`]: when it does so unasked.
//! - [`edits`]: correct reports, including future ones.
//! - [`risks`]: accepted for a time, in reports and future ones.
//! - [`uploads`]: files of the bucket, and the erasure of a tenant.
//! - [`usage`], [`billable_users`]: the billing figures, from [`rows`] that people keep or [`exports`] of a directory.
//!
//! Changes without rules are made directly, by [`store::Writer`].
//!
//! Operations take typed values ([`model::DisplayName`], [`InputFile`]) and return typed results. Error messages say
//! what happened and what to do, without naming a command or a page: front ends add that.

pub mod archive;
pub mod billable_users;
pub mod brand;
pub mod documents;
pub mod edits;
pub mod exports;
mod files;
mod grants;
pub mod import;
mod invitations;
mod leading;
pub mod notifications;
pub mod organizations;
mod private;
mod queue;
pub mod repair;
pub mod requests;
pub mod retention;
pub mod risks;
pub mod rows;
pub mod schedules;
pub mod tasks;
pub mod texts;
mod trends;
pub mod uploads;
pub mod usage;

pub use assessments::Tool;
pub use files::{FileError, InputFile, RESULT_SUFFIX, is_omitted};
pub use grants::{Grant, GrantKind, grants};
pub use invitations::invitation_link;
pub use leading::{CURRENT_DAYS, leading_first};
pub use queue::{Queue, QueueError, Queues};
