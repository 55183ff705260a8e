//! The roles of an organization's members.

/// The role of a member of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads and changes everything, manages keys and members.
    Admin,
    /// Reads everything, and works on tenants and reports.
    FullMember,
}

/// The role does not allow the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only an Admin may do this: ask an Admin of the organization")]
pub struct Forbidden;
