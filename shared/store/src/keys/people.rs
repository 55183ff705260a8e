//! Keys of members, invitations and sessions.

use model::{InvitationId, MemberId, SecretHash};

use super::{Key, Partition, Range};

impl Partition {
    /// Returns the key of a member.
    pub(crate) fn member(&self, id: &MemberId) -> Key {
        self.key(format!("MEMBER#{id}"))
    }

    /// Returns the keys of all members.
    pub(crate) fn members(&self) -> Range {
        self.below("MEMBER#")
    }

    /// Returns the key of an invitation as listed.
    pub(crate) fn invitation(&self, id: &InvitationId) -> Key {
        self.key(format!("INVITATION#{id}"))
    }

    /// Returns the keys of all invitations.
    pub(crate) fn invitations(&self) -> Range {
        self.below("INVITATION#")
    }

    /// Returns the key of a session, by the hash of its secret.
    pub(crate) fn session(&self, hash: &SecretHash) -> Key {
        self.key(format!("SESSION#{}", hash.as_str()))
    }

    /// Returns the keys of all sessions.
    pub(crate) fn sessions(&self) -> Range {
        self.below("SESSION#")
    }
}
