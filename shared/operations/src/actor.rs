//! Who performs an operation. Every operation that changes something takes an [`Actor`], or the proof that the actor
//! is an [`Admin`].

use std::fmt;

use model::{MemberId, Role, Timestamp};
use store::{Author, Organization};

use crate::role::Forbidden;

/// Who performs an operation, and with which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    who: Who,
    role: Role,
}

/// The identity of an [`Actor`].
#[derive(Clone, PartialEq, Eq)]
pub enum Who {
    /// The operator of the service, who has access to the table.
    Operator,
    /// Anyone who may write files to the bucket of assessment files.
    Bucket,
    /// A member of the organization.
    Member {
        /// Identifier of the member.
        id: MemberId,
        /// Display name, stored with the member's actions, so that it stays readable after the member is removed.
        name: String,
    },
}

/// An actor who is an Admin. Operations that only an Admin may perform take this type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admin(Actor);

impl Actor {
    /// Returns the operator of the service, who acts as an Admin of every organization.
    pub fn operator() -> Self {
        Self { who: Who::Operator, role: Role::Admin }
    }

    /// Returns the actor behind files that arrive in the bucket.
    pub fn bucket() -> Self {
        Self { who: Who::Bucket, role: Role::FullMember }
    }

    /// Returns a member of the organization.
    pub fn member(id: MemberId, name: String, role: Role) -> Self {
        Self { who: Who::Member { id, name }, role }
    }

    /// Returns the identity.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// Returns the name that the audit trail shows.
    pub(crate) fn name(&self) -> &str {
        match &self.who {
            Who::Operator => "Operator",
            Who::Bucket => "Bucket of assessment files",
            Who::Member { name, .. } => name,
        }
    }

    /// Returns the role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the organization, whose audit trail records the actor's changes.
    pub(crate) fn acting_on(&self, organization: &Organization, at: Timestamp) -> Organization {
        let id = match &self.who {
            Who::Operator => "operator",
            Who::Bucket => "bucket",
            Who::Member { id, .. } => id.as_str(),
        };
        organization.acting(Author { id: id.to_owned(), name: self.name().to_owned(), at })
    }

    /// Returns the proof that the actor is an Admin.
    ///
    /// # Errors
    /// [`Forbidden`] for a Full Member.
    pub fn admin(&self) -> Result<Admin, Forbidden> {
        match self.role {
            Role::Admin => Ok(Admin(self.clone())),
            Role::FullMember => Err(Forbidden),
        }
    }
}

impl Admin {
    /// Returns the operator of the service, who acts as an Admin of every organization.
    pub fn operator() -> Self {
        Self(Actor::operator())
    }

    /// Returns the actor.
    pub fn actor(&self) -> &Actor {
        &self.0
    }
}

impl fmt::Debug for Who {
    /// Omits the display name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("Operator"),
            Self::Bucket => f.write_str("Bucket"),
            Self::Member { id, .. } => f.debug_struct("Member").field("id", id).finish_non_exhaustive(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> MemberId {
        MemberId::generate("2026-01-01T00:00:00Z".parse().unwrap())
    }

    #[test]
    fn only_an_admin_gets_the_proof() {
        let member = |role| Actor::member(id(), "Amara".to_owned(), role);
        let admin = member(Role::Admin);
        assert_eq!(admin.admin().unwrap().actor(), &admin);
        assert_eq!(Actor::operator().admin(), Ok(Admin::operator()));
        assert_eq!(member(Role::FullMember).admin(), Err(Forbidden));
        assert_eq!(Actor::bucket().admin(), Err(Forbidden));
    }

    #[test]
    fn debug_output_omits_the_name() {
        let actor = Actor::member(id(), "Amara".to_owned(), Role::Admin);
        assert!(!format!("{actor:?} {:?}", actor.admin()).contains("Amara"));
    }
}
