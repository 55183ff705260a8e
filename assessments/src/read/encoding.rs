//! Encodings: what PowerShell writes depends on its version and on the machine.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

use super::Unreadable;

/// The text of a file, without its byte order mark, which names the encoding; without one it is UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((UTF_8, 0));
    encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]).ok_or(Unreadable::Encoding)
}
