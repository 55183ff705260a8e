//! Members of an organization: their roles, and how they are recognized.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Length of a secret in bytes.
const SECRET_LENGTH: usize = 32;

/// The role of a member of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Role {
    /// Reads and changes everything, manages keys and members.
    Admin,
    /// Reads everything, and works on tenants and reports.
    FullMember,
    /// A role that this release does not know, written by a later one. It has no rights.
    #[serde(other)]
    Unknown,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Admin => "Admin",
            Self::FullMember => "Full Member",
            Self::Unknown => "Unknown",
        })
    }
}

/// A random text whose holder has a session or an invitation. Never stored: the table holds its [`SecretHash`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The SHA-256 of a secret, in lower-case hexadecimal: the only part of a secret that is stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretHash(String);

/// The SHA-256 of an issuer and the subject by which it identifies a person.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdentityHash(String);

/// Text that cannot be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a secret: expected 64 hexadecimal digits")]
pub struct MalformedSecret;

impl Secret {
    /// Creates a secret from the system's random source.
    ///
    /// # Errors
    /// If the random source cannot be read.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; SECRET_LENGTH];
        getrandom::fill(&mut bytes)?;
        Ok(Self(hex::encode(bytes)))
    }

    /// Returns the text, for a cookie or a link.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash, which is stored instead of the secret.
    pub fn hash(&self) -> SecretHash {
        SecretHash(hex::encode(Sha256::digest(self.0.as_bytes())))
    }
}

impl FromStr for Secret {
    type Err = MalformedSecret;

    fn from_str(text: &str) -> Result<Self, MalformedSecret> {
        let digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let well_formed = text.len() == 2 * SECRET_LENGTH && text.bytes().all(digit);
        well_formed.then(|| Self(text.to_owned())).ok_or(MalformedSecret)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl SecretHash {
    /// Returns the hash as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(hidden)")
    }
}

impl IdentityHash {
    /// Returns the hash of an issuer (`iss`) and a subject (`sub`). No two pairs share the hashed text, since the
    /// length of the issuer precedes it.
    pub fn of(issuer: &str, subject: &str) -> Self {
        let length = (issuer.len() as u64).to_be_bytes();
        let digest = Sha256::new().chain_update(length).chain_update(issuer).chain_update(subject);
        Self(hex::encode(digest.finalize()))
    }

    /// Returns the hash as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdentityHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdentityHash(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_can_be_parsed_and_hides_itself_in_debug_output() {
        let secret = Secret::generate().unwrap();
        assert_eq!(secret.reveal().parse(), Ok(secret.clone()));
        assert_eq!(format!("{secret:?} {:?}", secret.hash()), "Secret(hidden) SecretHash(hidden)");
        for malformed in ["", &secret.reveal()[1..], &secret.reveal().to_uppercase().replace('1', "A"), &"g".repeat(64)]
        {
            assert_eq!(malformed.parse::<Secret>(), Err(MalformedSecret), "{malformed}");
        }
    }

    #[test]
    fn identities_differ_wherever_issuer_and_subject_meet() {
        assert_eq!(IdentityHash::of("https://a", "b"), IdentityHash::of("https://a", "b"));
        assert_ne!(IdentityHash::of("https://a", "b"), IdentityHash::of("https://ab", ""));
        assert_ne!(IdentityHash::of("https://a", "b"), IdentityHash::of("https://a", "c"));
        assert_ne!(IdentityHash::of("https://a", "b"), IdentityHash::of("https://c", "b"));
    }

    #[test]
    fn hashes_are_the_sha_256_in_hexadecimal() {
        let secret: Secret = "0".repeat(64).parse().unwrap();
        let expected = "60e05bd1b195af2f94112fa7197a5c88289058840ce7c6df9693756bc6250f55";
        assert_eq!(secret.hash().as_str(), expected);
        let identity = IdentityHash::of("https://issuer.example", "subject");
        let expected = "a70d4845831a8a93ce0174a5eb06beb04c4d1249c44504fa623ab2287d6fa25d";
        assert_eq!(identity.as_str(), expected);
    }

    #[test]
    fn a_role_has_a_name() {
        assert_eq!([Role::Admin, Role::FullMember].map(|role| role.to_string()), ["Admin", "Full Member"]);
    }
}
