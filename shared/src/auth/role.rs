//! Who may do what with an organization's keys.

/// What a member of an organization may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Creates, lists and deletes keys.
    Admin,
    /// Lists keys.
    FullMember,
}

/// The role does not allow the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only an Admin may create or delete API keys")]
pub struct Forbidden;

impl Role {
    /// Refuses everybody but an [`Role::Admin`].
    ///
    /// # Errors
    /// [`Forbidden`] for a Full Member.
    pub fn may_change_keys(self) -> Result<(), Forbidden> {
        match self {
            Self::Admin => Ok(()),
            Self::FullMember => Err(Forbidden),
        }
    }
}
