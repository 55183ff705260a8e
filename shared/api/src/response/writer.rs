//! Writes texts and fragments in the negotiated content coding.

use bytes::{Bytes, BytesMut};

use super::gzip::GzipSplicer;
use store::{CorruptFragment, Fragment};

use super::Encoding;

/// Minimum size of text that is compressed, in bytes; shorter text is sent in a stored block.
const WORTH_COMPRESSING: usize = 1024;

/// Writes a response in one coding, a piece at a time.
pub(super) struct Writer {
    /// `None` if the text is sent without compression.
    gzip: Option<GzipSplicer>,
    /// Text not yet encoded.
    text: String,
    /// Bytes ready to send.
    out: BytesMut,
}

impl Writer {
    pub(super) fn new(encoding: Encoding) -> Self {
        let mut out = BytesMut::new();
        let gzip = (encoding == Encoding::Gzip).then(|| GzipSplicer::start(&mut out));
        Self { gzip, text: String::new(), out }
    }

    /// Returns the number of pending bytes, before compression if they are still text.
    pub(super) fn waiting(&self) -> usize {
        self.out.len() + self.text.len()
    }

    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn fragment(&mut self, fragment: &Fragment) -> Result<(), CorruptFragment> {
        self.encode_text();
        match &mut self.gzip {
            Some(gzip) => gzip.fragment(fragment, &mut self.out),
            None => self.out.extend_from_slice(&fragment.inflate()?),
        }
        Ok(())
    }

    /// Returns the bytes that are ready.
    pub(super) fn take(&mut self) -> Bytes {
        self.encode_text();
        self.out.split().freeze()
    }

    /// Returns the last bytes, without which no decoder accepts a compressed response as complete.
    pub(super) fn finish(mut self) -> Bytes {
        self.encode_text();
        if let Some(gzip) = self.gzip.take() {
            gzip.finish(&mut self.out);
        }
        self.out.freeze()
    }

    fn encode_text(&mut self) {
        let text = self.text.as_bytes();
        match &mut self.gzip {
            Some(gzip) if text.len() < WORTH_COMPRESSING => gzip.text(text, &mut self.out),
            Some(gzip) => gzip.fragment(&Fragment::passing(text), &mut self.out),
            None => self.out.extend_from_slice(text),
        }
        self.text.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_texts_are_compressed() {
        let size = |length| {
            let mut writer = Writer::new(Encoding::Gzip);
            writer.text(&"x".repeat(length));
            writer.finish().len()
        };
        assert!(size(WORTH_COMPRESSING - 1) > WORTH_COMPRESSING);
        assert!(size(WORTH_COMPRESSING) < 100);
        assert!(size(WORTH_COMPRESSING + 1) < 100);
    }
}
