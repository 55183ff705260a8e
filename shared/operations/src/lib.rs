//! What people do with the service, whoever asks for it: the command, the import function or the dashboard.
//!
//! - [`role`]: who may do what, proven by a type.
//! - [`keys`]: API keys.
//! - [`import`]: results of assessment tools become reports.

pub mod import;
pub mod keys;
pub mod role;
