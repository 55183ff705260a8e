//! Who may use a route.

use model::Role;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody, without signing in.
    Public,
    /// Everybody who is signed in, whichever organization they are in.
    Person,
    /// Every member of the organization: Admins and Full Members.
    Member,
    /// Admins. A Full Member gets 403.
    Admin,
}

impl Access {
    /// Returns whether a member with a role may use the route. A role that this release does not know has no rights.
    pub(crate) fn allows(self, role: Role) -> bool {
        match self {
            Self::Public | Self::Person => true,
            Self::Member => matches!(role, Role::Admin | Role::FullMember),
            Self::Admin => role == Role::Admin,
        }
    }
}
