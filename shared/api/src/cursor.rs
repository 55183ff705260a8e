//! Places in a list, as texts that clients send back.
//!
//! A text contains the place and a digest of its list. The digest is not a secret: a client that forges a text only
//! reaches another place in the list of its own organization, because the organization is never taken from the text.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Number of bytes of the digest in a text: enough to detect every mistake.
const DIGEST_BYTES: usize = 9;

/// Returns the text for a place in a list, which is a text that no other list has.
pub fn write(list: &str, place: &str) -> String {
    let mut bytes = digest(list, place).to_vec();
    bytes.extend(place.bytes());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the place in a text, or `None` if the text was not written for this list.
pub fn read(list: &str, text: &str) -> Option<String> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    let (digest, place) = bytes.split_at_checked(DIGEST_BYTES)?;
    let place = str::from_utf8(place).ok()?;
    (digest == self::digest(list, place)).then(|| place.to_owned())
}

fn digest(list: &str, place: &str) -> [u8; DIGEST_BYTES] {
    // Debug quotes the place, so no two pairs have the same representation.
    let digest = Sha256::digest(format!("{list}, {place:?})"));
    std::array::from_fn(|at| digest[at])
}
