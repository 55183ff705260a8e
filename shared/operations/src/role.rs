//! Who may do what in an organization.

/// The role of a member of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads and changes everything, manages keys and members.
    Admin,
    /// Reads everything, and works on tenants and reports.
    FullMember,
}

/// Proof that the actor is an Admin. Operations that need one take it as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admin(());

/// The role does not allow the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only an Admin may do this")]
pub struct Forbidden;

impl Role {
    /// Returns the proof that this is the Admin role.
    ///
    /// # Errors
    /// [`Forbidden`] for a Full Member.
    pub fn admin(self) -> Result<Admin, Forbidden> {
        match self {
            Self::Admin => Ok(Admin(())),
            Self::FullMember => Err(Forbidden),
        }
    }
}

impl Admin {
    /// Whoever operates the service acts as an Admin of every organization.
    pub fn operator() -> Self {
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_admin_gets_the_proof() {
        assert_eq!(Role::Admin.admin(), Ok(Admin::operator()));
        assert_eq!(Role::FullMember.admin(), Err(Forbidden));
    }
}
