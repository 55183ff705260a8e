//! The permissions of a role.

/// The role does not allow the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only an Admin may do this: ask an Admin of the organization")]
pub struct Forbidden;
