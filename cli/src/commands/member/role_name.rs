//! Roles, as typed on the command line.

use clap::ValueEnum;
use model::Role;

/// A role, as typed on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RoleName {
    /// Reads and changes everything, and manages keys and members
    Admin,
    /// Reads everything, and works on tenants and reports
    FullMember,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Admin => Self::Admin,
            RoleName::FullMember => Self::FullMember,
        }
    }
}
