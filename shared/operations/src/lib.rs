//! The operations of the service, shared by the command, the import function and the dashboard.
//!
//! - [`Actor`], [`Role`]: who performs an operation, and what the role allows. The proof is a type, [`Admin`].
//! - [`organizations`], [`keys`], [`tenants`]: what an operator and an Admin manage.
//! - [`brand`]: the brand of documents for clients.
//! - [`members`]: members and invitations.
//! - [`import`]: turns results of assessment tools into reports.
//! - [`reports`], [`edits`], [`kept_edits`]: list, delete and correct reports, including future ones.
//! - [`usage`], [`billable_users`]: the billing figures, from [`rows`] that people keep or [`exports`] of a directory.
//!
//! Operations take typed values ([`DisplayName`], [`InputFile`]) and return typed results. Error messages say what
//! happened and what to do, without naming a command or a page: front ends add that.

mod actor;
pub mod billable_users;
pub mod brand;
pub mod edits;
pub mod exports;
mod files;
pub mod import;
pub mod kept_edits;
pub mod keys;
pub mod members;
mod name;
pub mod organizations;
pub mod reports;
mod role;
pub mod rows;
pub mod tenants;
pub mod usage;

pub use actor::{Actor, Admin, Who};
pub use files::{FileError, InputFile, RESULT_SUFFIX, is_omitted};
pub use model::Role;
pub use name::{DisplayName, InvalidName, fits_line};
pub use role::Forbidden;
