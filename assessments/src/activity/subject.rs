//! Whom or what an event is about, without saying who that is.

use sha2::{Digest, Sha256};

/// Whom or what an event is about: tells one user, application or mailbox from another and says nothing else of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject(u64);

impl Subject {
    /// Returns the subject of an identifier or a name, in any case.
    pub(crate) fn of(identifier: &str) -> Self {
        let digest = Sha256::digest(identifier.to_lowercase());
        Self(u64::from_le_bytes(std::array::from_fn(|index| digest[index])))
    }
}
