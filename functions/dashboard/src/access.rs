//! Who may use a route.

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody, without signing in.
    Public,
    /// Every member of the organization: Admins and Full Members.
    Member,
    /// Admins. A Full Member gets 403.
    Admin,
}
