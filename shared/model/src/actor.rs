//! Who changes something. Every change is made by an [`Actor`], or by an [`Admin`] if it is reserved for Admins.

use std::fmt;

use crate::{KeyId, MemberId, Role};

/// Who makes a change, and with which role.
#[derive(Clone, PartialEq, Eq)]
pub struct Actor {
    id: String,
    name: String,
    role: Role,
}

/// An actor who is an Admin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admin(Actor);

/// The role does not allow the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only an Admin may do this: ask an Admin of the organization")]
pub struct Forbidden;

impl Actor {
    /// Returns the operator of the service, who has access to the table and acts as an Admin of every organization.
    pub fn operator() -> Self {
        Self { id: "operator".to_owned(), name: "Operator".to_owned(), role: Role::Admin }
    }

    /// Returns anyone who may write files to the bucket of assessment files.
    pub fn bucket() -> Self {
        Self { id: "bucket".to_owned(), name: "Bucket of assessment files".to_owned(), role: Role::FullMember }
    }

    /// Returns the service itself, which adds the reports that were requested.
    pub fn service() -> Self {
        Self { id: "service".to_owned(), name: "The service".to_owned(), role: Role::FullMember }
    }

    /// Returns whoever sends files with an API key.
    pub fn api_key(id: &KeyId, description: Option<&str>) -> Self {
        let name = format!("API key {}", description.unwrap_or(id.as_str()));
        Self { id: id.to_string(), name, role: Role::FullMember }
    }

    /// Returns a member of the organization. The name is recorded with the member's changes, so that they stay readable
    /// after the member is removed.
    pub fn member(id: &MemberId, name: String, role: Role) -> Self {
        Self { id: id.to_string(), name, role }
    }

    /// Returns the identifier of the member or the API key, or `operator`, `bucket` or `service`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the name that the audit trail shows.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the proof that the actor is an Admin.
    ///
    /// # Errors
    /// [`Forbidden`] for a Full Member.
    pub fn admin(&self) -> Result<Admin, Forbidden> {
        match self.role {
            Role::Admin => Ok(Admin(self.clone())),
            Role::FullMember | Role::Unknown => Err(Forbidden),
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

impl fmt::Debug for Actor {
    /// Omits the name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actor").field("id", &self.id).field("role", &self.role).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(role: Role) -> Actor {
        Actor::member(&MemberId::generate("2026-01-01T00:00:00Z".parse().unwrap()), "Amara".to_owned(), role)
    }

    #[test]
    fn only_an_admin_gets_the_proof() {
        let admin = member(Role::Admin);
        assert_eq!(admin.admin().unwrap().actor(), &admin);
        assert_eq!(Actor::operator().admin(), Ok(Admin::operator()));
        let key = Actor::api_key(&"key_1".parse().unwrap(), None);
        for other in [member(Role::FullMember), member(Role::Unknown), Actor::bucket(), Actor::service(), key] {
            assert_eq!(other.admin(), Err(Forbidden), "{other:?}");
        }
    }

    #[test]
    fn an_actor_has_the_identifier_and_the_name_that_the_audit_trail_shows() {
        let id = MemberId::generate("2026-01-01T00:00:00Z".parse().unwrap());
        let member = Actor::member(&id, "Amara".to_owned(), Role::FullMember);
        assert_eq!((member.id(), member.name()), (id.as_str(), "Amara"));
        let own = [Actor::operator(), Actor::bucket(), Actor::service()].map(|it| it.id().to_owned());
        assert_eq!(own, ["operator", "bucket", "service"]);
    }

    #[test]
    fn debug_output_omits_the_name() {
        let actor = member(Role::Admin);
        assert!(!format!("{actor:?} {:?}", actor.admin()).contains("Amara"));
    }
}
