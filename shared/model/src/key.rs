//! The text of an API key and its hash.
//!
//! A key is `spk_`, 32 random base62 characters and a checksum of 6. With the checksum, a mistyped key is refused
//! without a read, and secret scanners recognize a leaked key.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const PREFIX: &str = "spk_";
const SECRET_LENGTH: usize = 32;
const CHECKSUM_LENGTH: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The text before the key in an `Authorization` header. Every other spelling is refused.
const SCHEME: &str = "Bearer ";

/// The full text of an API key. Exists only while a key is created or a request is authenticated; never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// The SHA-256 of a key's text, in lower-case hexadecimal: the only part of a key that is stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyHash(String);

/// The requests that a key may make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum KeyScope {
    /// Reads everything of its organization, and changes nothing.
    #[default]
    Read,
    /// Imports files, and reads nothing but what became of them.
    Import,
    /// A scope that this release does not know, written by a later one. It permits nothing.
    #[serde(other)]
    Unknown,
}

/// Text that cannot be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an API key")]
pub struct MalformedKey;

impl ApiKey {
    /// Creates a key from the system's random source.
    ///
    /// # Errors
    /// If the random source cannot be read.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut secret = String::with_capacity(SECRET_LENGTH);
        let mut bytes = [0; SECRET_LENGTH];
        while secret.len() < SECRET_LENGTH {
            getrandom::fill(&mut bytes)?;
            secret.extend(bytes.iter().filter_map(base62_digit).take(SECRET_LENGTH - secret.len()));
        }
        Ok(Self(with_checksum(&secret)))
    }

    /// Returns the key in an `Authorization` header.
    ///
    /// # Errors
    /// If the header is anything but `Bearer`, one space and a key.
    pub fn from_authorization(header: &str) -> Result<Self, MalformedKey> {
        header.strip_prefix(SCHEME).ok_or(MalformedKey)?.parse()
    }

    /// Returns the key's text, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash, which is stored instead of the key.
    pub fn hash(&self) -> KeyHash {
        KeyHash(hex::encode(Sha256::digest(self.0.as_bytes())))
    }
}

impl FromStr for ApiKey {
    type Err = MalformedKey;

    fn from_str(text: &str) -> Result<Self, MalformedKey> {
        let body = text.strip_prefix(PREFIX).ok_or(MalformedKey)?;
        let well_formed =
            body.len() == SECRET_LENGTH + CHECKSUM_LENGTH && body.bytes().all(|b| b.is_ascii_alphanumeric());
        if well_formed && with_checksum(&body[..SECRET_LENGTH]) == text {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedKey)
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

impl KeyHash {
    /// Returns the hash as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(hidden)")
    }
}

/// Returns a random byte as a base62 digit. Returns `None` for the few bytes that would make some digits more likely.
fn base62_digit(byte: &u8) -> Option<char> {
    const UNBIASED: u8 = (256 / ALPHABET.len() * ALPHABET.len()) as u8;
    (*byte < UNBIASED).then(|| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]))
}

/// Returns the whole key: prefix, secret, and the CRC-32 (ISO-HDLC) of both in base62, padded with zeros on the left.
fn with_checksum(secret: &str) -> String {
    let unchecked = format!("{PREFIX}{secret}");
    let checksum = base62::encode(crc32fast::hash(unchecked.as_bytes()));
    format!("{unchecked}{checksum:0>CHECKSUM_LENGTH$}")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_checksum_agrees_with_the_published_vectors() {
        assert!(format!("spk_{}4N5Z6U", "A".repeat(32)).parse::<ApiKey>().is_ok());
        assert!("spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF".parse::<ApiKey>().is_ok());
    }

    #[test]
    fn a_generated_key_is_unique_and_can_be_parsed() {
        let keys: Vec<_> = (0..100).map(|_| ApiKey::generate().unwrap()).collect();
        for key in &keys {
            assert_eq!(key.reveal().parse().as_ref(), Ok(key));
            assert_eq!(key.reveal().len(), 42);
        }
        assert_eq!(keys.iter().map(ApiKey::reveal).collect::<HashSet<_>>().len(), keys.len());
        for place in 4..36 {
            let digits: HashSet<_> = keys.iter().map(|key| key.reveal().as_bytes()[place]).collect();
            assert!(digits.len() > 20, "every digit is random: {place}");
        }
    }

    #[test]
    fn only_the_exact_header_carries_a_key() {
        let key = "spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF";
        assert_eq!(ApiKey::from_authorization(&format!("Bearer {key}")).unwrap().reveal(), key);
        for header in [
            key.to_owned(),
            format!("bearer {key}"),
            format!("Bearer  {key}"),
            format!(" Bearer {key}"),
            format!("Bearer {key} "),
            format!("Basic {key}"),
            format!("Bearer {}", key.to_lowercase()),
            format!("Bearer {}x", &key[..41]),
            format!("Bearer {}", &key[..41]),
            format!("Bearer {}", &key[..20]),
            format!("Bearer spk_{}", "ä".repeat(19)),
            // 38 bytes, but no character ends after 32.
            format!("Bearer spk_{}ab", "€".repeat(12)),
            "Bearer ".to_owned(),
            String::new(),
        ] {
            assert_eq!(ApiKey::from_authorization(&header), Err(MalformedKey), "{header:?} must be refused");
        }
    }

    proptest! {
        #[test]
        fn a_parsed_key_has_the_same_text(
            secret in "[0-9A-Za-z]{32}", place in 0..49_usize, removed in 0..2_usize, added in "\\PC{0,2}",
        ) {
            let header = format!("Bearer {}", with_checksum(&secret));
            let key = ApiKey::from_authorization(&header).unwrap();
            prop_assert_eq!(key.reveal(), &header["Bearer ".len()..]);
            let mut changed = header.clone();
            changed.replace_range(place..place + removed, &added);
            if changed != header {
                prop_assert_eq!(ApiKey::from_authorization(&changed), Err(MalformedKey));
            }
        }

        #[test]
        fn text_is_not_a_key(text in "\\PC{0,80}") {
            prop_assert_eq!(ApiKey::from_authorization(&text), Err(MalformedKey));
        }
    }

    #[test]
    fn debug_shows_neither_key_nor_hash() {
        let key = ApiKey::generate().unwrap();
        assert_eq!(format!("{key:?} {:?}", key.hash()), "ApiKey(hidden) KeyHash(hidden)");
    }

    #[test]
    fn every_digit_is_equally_likely() {
        let mut bytes_of = [0; ALPHABET.len()];
        for digit in (0..=u8::MAX).filter_map(|byte| base62_digit(&byte)) {
            bytes_of[ALPHABET.iter().position(|it| char::from(*it) == digit).unwrap()] += 1;
        }
        assert_eq!(bytes_of, [4; ALPHABET.len()]);
    }

    #[test]
    fn the_hash_is_the_sha_256_of_the_whole_text() {
        let key: ApiKey = "spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF".parse().unwrap();
        let expected = "eff62416ed3b502c15db703b7682c49b7dc35ffe9b0a8f7bb3604d0788ed8b5d";
        assert_eq!(key.hash().as_str(), expected);
    }
}
