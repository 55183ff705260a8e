//! Decodes the text of a file, within the limits that keep memory bounded.
//!
//! The encoding of PowerShell's output depends on its version and on the machine: UTF-8 with or without a byte order
//! mark, or UTF-16.

use std::io::{self, BufReader, Cursor, Read};
use std::ops::Range;

use encoding_rs::{Decoder, DecoderResult, UTF_8};
use flate2::read::MultiGzDecoder;

use super::error::Unreadable;
use super::limits::{LimitedText, TableEnd};
use super::source::Source;

/// Bytes that are read from the source at a time, and bytes of text that are decoded at a time.
const CHUNK: usize = 64 * 1024;

/// First bytes of a ZIP archive, and of one without members.
const ARCHIVE: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// First bytes of other archives.
const OTHER_ARCHIVES: [(&[u8], &str); 2] = [(b"7z\xbc\xaf", "a 7z archive"), (b"Rar!", "a RAR archive")];

/// First bytes of a file that is compressed with gzip, and the most bytes that are read of its content.
const GZIP: &[u8] = b"\x1f\x8b";
const MOST_UNPACKED: u64 = 8 << 30;

/// Position of the mark of a tape archive.
const TAPE_ARCHIVE: (usize, &[u8]) = (257, b"ustar");

/// First bytes of other binary formats that people confuse with the files to import.
const BINARY: [(&[u8], &str); 7] = [
    (b"\xd0\xcf\x11\xe0", "a document of an old version of Office"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\0", "a database"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"\0\0\x01\0", "an image"),
];

/// Position of a mark of the tools' database, which its first bytes do not contain.
const DATABASE: (usize, &[u8]) = (8, b"DUCK");

/// Position of the name of an archive's first member.
const FIRST_NAME: usize = 30;

/// Beginnings of the names in a document of Office, which is an archive.
const OFFICE: [&[u8]; 5] = [b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/", b"word/"];

/// Returns whether a file that begins like this is a ZIP archive, and not a document of Office.
pub(super) fn is_archive(beginning: &[u8]) -> bool {
    ARCHIVE.iter().any(|magic| beginning.starts_with(magic)) && !is_office(beginning)
}

fn is_office(beginning: &[u8]) -> bool {
    let first_name = beginning.get(FIRST_NAME..).unwrap_or_default();
    beginning.starts_with(ARCHIVE[0]) && OFFICE.iter().any(|name| first_name.starts_with(name))
}

/// Returns the error for a file that begins like a binary format.
fn binary(beginning: &[u8]) -> Option<Unreadable> {
    let named = |(magic, kind): &(&[u8], &'static str)| beginning.starts_with(magic).then_some(*kind);
    let (position, database) = DATABASE;
    let (tape_position, tape) = TAPE_ARCHIVE;
    if beginning.get(tape_position..).is_some_and(|rest| rest.starts_with(tape)) {
        return Some(Unreadable::Archive { kind: "a tape archive" });
    }
    if is_office(beginning) {
        Some(Unreadable::Binary { kind: "an Excel workbook or another document of Office" })
    } else if is_archive(beginning) {
        Some(Unreadable::Archive { kind: "a ZIP archive" })
    } else if beginning.get(position..).is_some_and(|rest| rest.starts_with(database)) {
        Some(Unreadable::Binary { kind: "a database" })
    } else if let Some(kind) = OTHER_ARCHIVES.iter().find_map(named) {
        Some(Unreadable::Archive { kind })
    } else {
        BINARY.iter().find_map(named).map(|kind| Unreadable::Binary { kind })
    }
}

/// A file's text as UTF-8, without its byte order mark. The mark names the encoding; a file without one is UTF-8.
///
/// Malformed text is an error and never becomes replacement characters. Exceeding a limit is an error, too.
///
/// Parsers read it byte by byte, which is fast on a `BufReader`.
pub(crate) type Text<'a> = BufReader<Decoded<'a>>;

/// Returns the decoded text of a source.
pub(crate) fn decode<'a>(bytes: Box<dyn Read + 'a>) -> Text<'a> {
    BufReader::with_capacity(CHUNK, Decoded::new(bytes))
}

/// Returns the text of a file that is small enough to be kept, such as a table that people write.
///
/// # Errors
/// Returns an error if the file is binary, in no known encoding, or exceeds a limit, or if it cannot be read.
pub fn text(source: &dyn Source) -> Result<String, Unreadable> {
    let mut text = String::new();
    let mut decoded = source.open().map(decode).map_err(Unreadable::io)?;
    decoded.read_to_string(&mut text).map_err(Unreadable::io)?;
    Ok(text)
}

/// A reader that decodes its source.
pub(crate) struct Decoded<'a> {
    source: Box<dyn Read + 'a>,
    decoder: Decoder,
    limits: LimitedText,
    chunk: Box<[u8]>,
    /// Part of the chunk that is not decoded yet.
    undecoded: Range<usize>,
    /// Whether the first chunk is still to be read.
    is_first_chunk: bool,
    /// Whether the source has ended.
    ended: bool,
    /// Whether the source was compressed.
    is_unpacked: bool,
    text: Box<[u8]>,
    /// Part of the text that is not read yet.
    unread: Range<usize>,
}

impl<'a> Decoded<'a> {
    fn new(source: Box<dyn Read + 'a>) -> Self {
        Self {
            source,
            decoder: UTF_8.new_decoder(),
            limits: LimitedText::default(),
            chunk: vec![0; CHUNK].into_boxed_slice(),
            undecoded: 0..0,
            is_first_chunk: true,
            ended: false,
            is_unpacked: false,
            text: vec![0; CHUNK].into_boxed_slice(),
            unread: 0..0,
        }
    }

    /// Returns how a table ends, once it was read to the end.
    pub(super) fn table_end(&self) -> TableEnd {
        self.limits.table_end()
    }

    /// Decodes more text, unless the source has ended.
    fn advance(&mut self) -> io::Result<()> {
        while self.unread.is_empty() {
            if self.undecoded.is_empty() && !self.ended {
                self.refill()?;
            }
            let bytes = &self.chunk[self.undecoded.clone()];
            let (result, taken, written) =
                self.decoder.decode_to_utf8_without_replacement(bytes, &mut self.text, self.ended);
            self.undecoded.start += taken;
            let kept = self.limits.check(&mut self.text[..written]);
            self.unread = 0..kept.map_err(|excess| io::Error::other(Unreadable::Excess(excess)))?;
            match result {
                DecoderResult::Malformed(..) => return Err(io::Error::other(Unreadable::Encoding)),
                DecoderResult::InputEmpty if self.ended => break,
                DecoderResult::InputEmpty | DecoderResult::OutputFull => {}
            }
        }
        Ok(())
    }

    fn refill(&mut self) -> io::Result<()> {
        let length = loop {
            match self.source.read(&mut self.chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.is_unpacked && is_damage(&error) => {
                    return Err(io::Error::other(Unreadable::GzipDamaged));
                }
                other => break other?,
            }
        };
        if self.is_first_chunk && self.chunk[..length].starts_with(GZIP) && !self.is_unpacked {
            return self.unpack(length);
        }
        self.undecoded = 0..length;
        self.ended = length == 0;
        if std::mem::take(&mut self.is_first_chunk)
            && let Some(error) = binary(&self.chunk[..length])
        {
            return Err(io::Error::other(error));
        }
        Ok(())
    }

    /// Continues with the content of a file that is compressed with gzip and begins with the chunk.
    fn unpack(&mut self, length: usize) -> io::Result<()> {
        let rest = std::mem::replace(&mut self.source, Box::new(io::empty()));
        let packed = Cursor::new(self.chunk[..length].to_vec()).chain(rest);
        self.source = Box::new(MultiGzDecoder::new(packed).take(MOST_UNPACKED));
        self.is_unpacked = true;
        self.refill()
    }
}

/// Returns whether an error says that compressed content is damaged or cut off.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

impl Read for Decoded<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.unread.is_empty() && !(self.ended && self.undecoded.is_empty()) {
            self.advance()?;
        }
        let length = (&self.text[self.unread.clone()]).read(out)?;
        self.unread.start += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns its bytes one at a time, so that every character is split.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(1);
            self.0.read(&mut out[..length])
        }
    }

    fn decoded(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        super::decode(Box::new(Drip(bytes))).read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn characters_may_be_split_anywhere() {
        let text = "a\u{e4}\u{20ac}\u{1f511}\r\n";
        let marked = ["\u{feff}", text].concat();
        let utf_16 = |bytes: fn(u16) -> [u8; 2]| marked.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        for bytes in [text.as_bytes(), marked.as_bytes(), &utf_16(u16::to_le_bytes), &utf_16(u16::to_be_bytes)] {
            assert_eq!(decoded(bytes).unwrap(), text);
        }
        assert_eq!(decoded(b"").unwrap(), "");
    }

    #[test]
    fn a_text_may_be_longer_than_a_chunk() {
        let text = "\u{e4}".repeat(CHUNK);
        let wide: Vec<u8> = ["\u{feff}", &text].concat().encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [text.as_bytes(), &wide] {
            let mut read = String::new();
            super::decode(Box::new(bytes)).read_to_string(&mut read).unwrap();
            assert!(read == text);
        }
    }

    #[test]
    fn broken_text_is_refused() {
        let broken: [&[u8]; 5] = [b"{\x80}", b"a\xc3", b"\xff\xfe\x00\xd8", b"\xff\xfea", b"\xfe\xff\xdc\x00\x00a"];
        for bytes in broken {
            let error = decoded(bytes).unwrap_err();
            assert_eq!(error.downcast::<Unreadable>().unwrap(), Unreadable::Encoding, "{bytes:?}");
        }
    }
}
