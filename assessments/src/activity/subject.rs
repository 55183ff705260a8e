//! The users, applications and mailboxes that events are about, without their identity.

use sha2::{Digest, Sha256};

/// A digest that distinguishes one user, application or mailbox from another and reveals nothing else about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject(u64);

impl Subject {
    /// Returns the subject of an identifier or a name, in any case.
    pub(crate) fn of(identifier: &str) -> Self {
        let digest = Sha256::digest(identifier.to_lowercase());
        Self(u64::from_le_bytes(std::array::from_fn(|index| digest[index])))
    }
}
