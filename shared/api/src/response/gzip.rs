//! One gzip member (RFC 1952), joined from existing DEFLATE blocks.

use bytes::{BufMut, BytesMut};
use crc32fast::Hasher;

use store::Fragment;

/// Magic number, DEFLATE, no flags, no time, no extra flags, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// An empty stored block with the final bit set.
const FINAL_BLOCK: [u8; 5] = [1, 0, 0, 0xff, 0xff];
/// Maximum size of a stored block in bytes: its length field has 16 bits.
const STORED_MAX: usize = u16::MAX as usize;

/// Joins texts and fragments into one gzip member, a piece at a time.
pub(super) struct GzipSplicer {
    /// Checksum and length of everything joined so far.
    sum: Hasher,
    length: u64,
}

impl GzipSplicer {
    pub(super) fn start(out: &mut BytesMut) -> Self {
        out.put_slice(&HEADER);
        Self { sum: Hasher::new(), length: 0 }
    }

    /// Writes text as stored blocks: for the short text between fragments, where compressing costs more than it saves.
    pub(super) fn text(&mut self, text: &[u8], out: &mut BytesMut) {
        self.sum.update(text);
        self.length += text.len() as u64;
        for block in text.chunks(STORED_MAX) {
            let length = block.len() as u16;
            out.put_u8(0);
            out.put_u16_le(length);
            out.put_u16_le(!length);
            out.put_slice(block);
        }
    }

    /// Writes a fragment unchanged; its checksum is combined, not computed again.
    pub(super) fn fragment(&mut self, fragment: &Fragment, out: &mut BytesMut) {
        self.sum.combine(&Hasher::new_with_initial_len(fragment.crc32, fragment.length));
        self.length += fragment.length;
        out.put_slice(&fragment.deflated);
    }

    /// Writes the last bytes, without which no decoder accepts the member as complete.
    pub(super) fn finish(self, out: &mut BytesMut) {
        out.put_slice(&FINAL_BLOCK);
        out.put_u32_le(self.sum.finalize());
        // RFC 1952: the length modulo 2^32.
        out.put_u32_le(self.length as u32);
    }
}
