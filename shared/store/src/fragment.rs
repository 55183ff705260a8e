//! JSON text, compressed so that several texts can be joined without inflating them.

use std::sync::Arc;

use bytes::Bytes;
use crc32fast::Hasher;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use serde::{Deserialize, Serialize};

use crate::keys::Key;
use crate::{Damage, StoreError};

/// Highest ratio of DEFLATE, in bytes of text per byte of data: a match of 258 bytes takes at least two bits.
const MAX_RATIO: u64 = 1032;
/// Room for the DEFLATE block headers of an incompressible text, in bytes.
const OVERHEAD: usize = 64;

/// A text as raw DEFLATE blocks that end on a byte boundary and are not final, so that other fragments can follow.
///
/// Every fragment begins with an empty window: it never refers to earlier text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The DEFLATE blocks.
    pub deflated: Bytes,
    /// CRC-32 (ISO-HDLC) of the text.
    pub crc32: u32,
    /// Length of the text, in bytes.
    pub length: u64,
    /// The item that contains it, if it was read from one.
    pub(crate) item: Option<Arc<Key>>,
}

/// The stored bytes do not inflate to their original text. Names the item that contains them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a stored fragment does not inflate to its text")]
pub struct CorruptFragment(pub(crate) Option<Arc<Key>>);

impl Fragment {
    /// Compresses a text that is written once and read often: slowly, with a high ratio.
    pub fn stored(text: &[u8]) -> Self {
        Self::compress(text, Compression::best())
    }

    /// Compresses a text that is sent once: fast.
    pub fn passing(text: &[u8]) -> Self {
        Self::compress(text, Compression::fast())
    }

    fn compress(text: &[u8], level: Compression) -> Self {
        let mut compress = Compress::new(level, false);
        let mut deflated = Vec::with_capacity(text.len() / 4 + OVERHEAD);
        loop {
            let taken = usize::try_from(compress.total_in()).expect("at most the text's length");
            compress
                .compress_vec(&text[taken..], &mut deflated, FlushCompress::Sync)
                .expect("a compressor without a dictionary cannot fail");
            // The flush is complete once the compressor leaves room unused.
            if deflated.len() < deflated.capacity() {
                break;
            }
            deflated.reserve(deflated.len() + OVERHEAD);
        }
        Self { deflated: deflated.into(), crc32: crc32fast::hash(text), length: text.len() as u64, item: None }
    }

    /// Returns a fragment that was read from an item.
    pub(crate) fn of_item(key: Key, deflated: Vec<u8>, crc32: u32, length: u64) -> Self {
        Self { deflated: Bytes::from(deflated), crc32, length, item: Some(Arc::new(key)) }
    }

    /// Returns both texts as one, of the same item.
    pub(crate) fn followed_by(self, other: &Self) -> Self {
        let mut sum = Hasher::new_with_initial_len(self.crc32, self.length);
        sum.combine(&Hasher::new_with_initial_len(other.crc32, other.length));
        let deflated = [self.deflated, other.deflated.clone()].concat().into();
        Self { deflated, crc32: sum.finalize(), length: self.length + other.length, item: self.item }
    }

    /// Returns the error of a text that is not what its item should contain.
    pub(crate) fn unexpected(&self, what: &'static str) -> StoreError {
        match &self.item {
            Some(item) => Damage { item: Arc::clone(item), what }.into(),
            None => StoreError::Corrupt(what),
        }
    }

    /// Returns the text.
    ///
    /// # Errors
    /// If the bytes do not inflate, or not to the recorded length and checksum.
    pub fn inflate(&self) -> Result<Vec<u8>, CorruptFragment> {
        // No DEFLATE data yields more. Without this check, a damaged length could request any amount of memory.
        if self.length > self.deflated.len() as u64 * MAX_RATIO {
            return Err(self.corrupt());
        }
        let length = usize::try_from(self.length).map_err(|_| self.corrupt())?;
        // One byte more than expected, to notice a longer text.
        let mut text = Vec::with_capacity(length + 1);
        let mut decompress = Decompress::new(false);
        let status = decompress.decompress_vec(&self.deflated, &mut text, FlushDecompress::Sync);
        let whole = matches!(status, Ok(Status::Ok | Status::BufError))
            && decompress.total_in() == self.deflated.len() as u64
            && text.len() == length
            && crc32fast::hash(&text) == self.crc32;
        whole.then_some(text).ok_or_else(|| self.corrupt())
    }

    fn corrupt(&self) -> CorruptFragment {
        CorruptFragment(self.item.clone())
    }
}

/// A fragment as an item stores it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredText {
    /// CRC-32 of the text.
    pub(crate) crc32: u32,
    /// Length of the text, in bytes.
    pub(crate) length: u64,
    /// The DEFLATE blocks.
    #[serde(with = "serde_bytes")]
    pub(crate) tail: Vec<u8>,
}

impl StoredText {
    /// Returns the fragment of the item with a key.
    pub(crate) fn of_item(self, key: Key) -> Fragment {
        Fragment::of_item(key, self.tail, self.crc32, self.length)
    }
}

impl From<Fragment> for StoredText {
    fn from(Fragment { deflated, crc32, length, .. }: Fragment) -> Self {
        Self { crc32, length, tail: deflated.into() }
    }
}

impl From<StoredText> for Fragment {
    fn from(StoredText { crc32, length, tail }: StoredText) -> Self {
        Self { deflated: tail.into(), crc32, length, item: None }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_survives(text in proptest::collection::vec(any::<u8>(), 0..5_000), times in 1_usize..40) {
            let text = text.repeat(times);
            for fragment in [Fragment::stored(&text), Fragment::passing(&text)] {
                prop_assert_eq!(fragment.length, text.len() as u64);
                prop_assert!(fragment.deflated.ends_with(&[0, 0, 0xff, 0xff]), "must end with an empty stored block");
                prop_assert_eq!(fragment.inflate(), Ok(text.clone()));
            }
        }

        #[test]
        fn damage_is_noticed(text in "[a-z]{20,2000}", at in any::<prop::sample::Index>(), cut in any::<bool>()) {
            let mut fragment = Fragment::stored(text.as_bytes());
            let mut bytes = fragment.deflated.to_vec();
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] ^= 0x55 }
            fragment.deflated = bytes.into();
            // Cutting off only the trailing empty block leaves the text complete.
            prop_assert!(fragment.inflate().is_err() || fragment.inflate() == Ok(text.into_bytes()));
        }

        #[test]
        fn random_text_causes_no_panic(noise in proptest::collection::vec(any::<u8>(), 0..500), length in 0..10_000_u64) {
            let fragment = Fragment { deflated: noise.into(), crc32: 1, length, item: None };
            prop_assert_eq!(fragment.inflate(), Err(CorruptFragment(None)));
        }
    }

    #[test]
    fn a_false_length_or_checksum_is_refused() {
        let fragment = Fragment::stored(b"text");
        for broken in [
            Fragment { length: 3, ..fragment.clone() },
            Fragment { length: 5, ..fragment.clone() },
            Fragment { length: u64::MAX, ..fragment.clone() },
            Fragment { crc32: 0, ..fragment.clone() },
        ] {
            assert_eq!(broken.inflate(), Err(CorruptFragment(None)));
        }
    }
}
