//! What people do with the service, whoever asks for it: the command, the import function or the dashboard.
//!
//! - [`Actor`], [`Role`]: who performs an operation, and what the role allows. The proof is a type, [`Admin`].
//! - [`keys`]: API keys.
//! - [`brand`]: how documents for clients look.
//! - [`members`]: members and invitations.
//! - [`import`]: results of assessment tools become reports.

mod actor;
pub mod brand;
pub mod import;
pub mod keys;
pub mod members;
mod role;

pub use actor::{Actor, Admin, Who};
pub use model::Role;
pub use role::Forbidden;
