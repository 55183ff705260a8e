//! Readers of the tools' files, one module per tool. No tool knows another tool or the table of formats.

pub(crate) mod maester;
pub(crate) mod prowler;
pub(crate) mod scubagear;
pub(crate) mod securescore;
pub(crate) mod zerotrust;
