//! The top-privilege role.

/// Identifier of the top-privilege role, which is the same in every tenant.
pub(crate) const TOP_ROLE: &str = "62e90394-69f5-4237-9190-012177145e10";

/// Number of members up to which Microsoft Graph lists the members within the role. If there are this many, there may
/// be more.
pub(super) const MOST_EXPANDED: usize = 20;
