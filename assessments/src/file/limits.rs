//! Limits that keep memory bounded, whatever a file contains.
//!
//! Parsers keep one text, one level of nesting or one row in memory, but in a damaged or malicious file any of these
//! can be the whole file. The text is therefore checked on its way to the parser, and reading ends where a limit is
//! exceeded. The check looks at brackets and quotes only; the parser decides whether the text is valid.

use std::ops::Range;

/// Largest part of a file that is kept in memory at once, in bytes.
pub(super) const LARGEST_PART: usize = 32 << 20;

/// The limits that apply to every file.
const LIMITS: Limits = Limits { shortened: 1 << 20, text: 4 << 20, nesting: 100, part: LARGEST_PART };

struct Limits {
    /// Length from which a text in JSON is shortened, in bytes. A report carries far less of a text. It ends at the
    /// first space beyond this length, so that no character and no escape sequence is split.
    shortened: usize,
    /// Longest single text in JSON without a space beyond that length, in bytes.
    text: usize,
    /// Deepest nesting of JSON. Less than the parser's own limit, which does not apply to values that it skips.
    nesting: usize,
    /// Largest part, in bytes: an element of JSON's outermost lists, a member of its outermost
    /// object outside of lists, or a row of a table.
    part: usize,
}

/// A limit that a file exceeds. No tool writes such a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// A single text.
    #[error("it contains a text of more than {} MiB", LIMITS.text >> 20)]
    Text,
    /// Nested lists and objects.
    #[error("it has more than {} nested levels", LIMITS.nesting)]
    Nesting,
    /// A single row or element.
    #[error("it contains a row of more than {} MiB", LIMITS.part >> 20)]
    Part,
}

/// Checks a text against the limits as it is decoded.
pub(super) struct LimitedText {
    limits: Limits,
    kind: TextKind,
}

impl Default for LimitedText {
    fn default() -> Self {
        Self { limits: LIMITS, kind: TextKind::Blank }
    }
}

/// Kind of a text, as far as it is known.
enum TextKind {
    /// Only white space so far.
    Blank,
    Json(JsonPosition),
    Table(TablePosition),
}

impl LimitedText {
    /// Checks the next bytes and removes the rest of texts that are shortened. Returns how many bytes are left.
    pub(super) fn check(&mut self, bytes: &mut [u8]) -> Result<usize, Excess> {
        if matches!(self.kind, TextKind::Blank) {
            self.kind = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => TextKind::Blank,
                Some(b'{' | b'[') => TextKind::Json(JsonPosition::default()),
                Some(_) => TextKind::Table(TablePosition::default()),
            };
        }
        match &mut self.kind {
            TextKind::Blank => Ok(bytes.len()),
            TextKind::Json(json) => json.check(bytes, &self.limits),
            TextKind::Table(table) => table.advance(bytes, self.limits.part).map(|()| bytes.len()),
        }
    }

    /// Returns how a table ends, once its text was checked to the end.
    pub(super) fn table_end(&self) -> TableEnd {
        if let TextKind::Table(table) = &self.kind { table.end() } else { TableEnd::AfterRow }
    }
}

/// Position within JSON.
#[derive(Default)]
struct JsonPosition {
    text: Option<QuotedText>,
    depth: usize,
    /// Depth inside the outermost list, if there is one.
    list: Option<usize>,
    /// Bytes since the part began.
    part: usize,
}

/// Position within a quoted text.
#[derive(Default)]
struct QuotedText {
    /// Bytes that were kept.
    length: usize,
    escaped: bool,
    /// Whether the rest of the text is removed.
    is_shortened: bool,
}

impl JsonPosition {
    fn check(&mut self, bytes: &mut [u8], limits: &Limits) -> Result<usize, Excess> {
        let (mut read, mut kept) = (0, 0);
        while read < bytes.len() {
            let (passed, dropped) = match &mut self.text {
                Some(text) => {
                    let (passed, dropped, ended) = text.skip(&bytes[read..], limits)?;
                    self.text.take_if(|_| ended);
                    (passed, dropped)
                }
                None => {
                    self.check_structure(bytes[read], limits)?;
                    (1, 0..0)
                }
            };
            for piece in [read..read + dropped.start, read + dropped.end..read + passed] {
                let length = piece.len();
                if piece.start != kept {
                    bytes.copy_within(piece, kept);
                }
                kept += length;
                self.part += length;
            }
            if self.part > limits.part {
                return Err(Excess::Part);
            }
            read += passed;
        }
        Ok(kept)
    }

    fn check_structure(&mut self, byte: u8, limits: &Limits) -> Result<(), Excess> {
        match byte {
            b'"' => self.text = Some(QuotedText::default()),
            b'{' | b'[' => self.open(byte, limits)?,
            b'}' | b']' => self.close(),
            b',' if self.list.unwrap_or(1) == self.depth => self.part = 0,
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, byte: u8, limits: &Limits) -> Result<(), Excess> {
        self.depth += 1;
        if self.depth > limits.nesting {
            return Err(Excess::Nesting);
        }
        if byte == b'[' && self.list.is_none() {
            self.list = Some(self.depth);
            self.part = 0;
        }
        Ok(())
    }

    fn close(&mut self) {
        if self.list == Some(self.depth) {
            self.list = None;
            self.part = 0;
        }
        self.depth = self.depth.saturating_sub(1);
    }
}

impl QuotedText {
    /// Returns how many of the bytes belong to the text, which of them are removed, and whether the text ends with
    /// them.
    fn skip(&mut self, bytes: &[u8], limits: &Limits) -> Result<(usize, Range<usize>, bool), Excess> {
        let was_escaped = self.escaped;
        let (passed, last) = if was_escaped { (1, None) } else { up_to(b'"', b'\\', bytes) };
        self.escaped = last == Some(b'\\');
        let ended = last == Some(b'"');
        let content = passed - usize::from(ended);
        let mut dropped = content..content;
        if self.is_shortened {
            dropped.start = 0;
        } else if self.length + content > limits.shortened && !was_escaped {
            let beyond = limits.shortened.saturating_sub(self.length);
            if let Some(space) = memchr::memchr(b' ', &bytes[beyond..content]) {
                dropped.start = beyond + space;
                self.is_shortened = true;
            }
        }
        self.length += passed - dropped.len();
        if self.length > limits.text { Err(Excess::Text) } else { Ok((passed, dropped, ended)) }
    }
}

/// Returns the number of bytes up to and including the first of two, and which of them it is.
fn up_to(one: u8, other: u8, bytes: &[u8]) -> (usize, Option<u8>) {
    memchr::memchr2(one, other, bytes).map_or((bytes.len(), None), |place| (place + 1, Some(bytes[place])))
}

/// How the text of a table ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableEnd {
    /// After a row.
    AfterRow,
    /// Within a quoted cell.
    WithinQuotes,
    /// After a cell without quotation marks, and without a line break. Whether the cell is complete is unknown.
    WithinCell,
}

impl TableEnd {
    /// Returns how a text ends.
    pub fn of(text: &str) -> Self {
        let mut position = TablePosition::default();
        position.advance(text.as_bytes(), usize::MAX).map_or(Self::AfterRow, |()| position.end())
    }
}

/// Position within a table.
#[derive(Default)]
struct TablePosition {
    quoted: bool,
    /// Whether the last byte is a quotation mark that ended a quoted cell.
    closed: bool,
    last: Option<u8>,
    /// Bytes since the row began.
    row: usize,
}

impl TablePosition {
    fn advance(&mut self, mut bytes: &[u8], longest: usize) -> Result<(), Excess> {
        while !bytes.is_empty() {
            let (passed, found) = up_to(b'"', b'\n', bytes);
            self.row += passed;
            if self.row > longest {
                return Err(Excess::Part);
            }
            let before = passed.checked_sub(2).map_or(self.last, |index| Some(bytes[index]));
            if found == Some(b'"') {
                self.take_quotation_mark(before);
            } else {
                self.closed = false;
                self.row = if self.quoted { self.row } else { 0 };
            }
            self.last = Some(bytes[passed - 1]);
            bytes = &bytes[passed..];
        }
        Ok(())
    }

    /// A quotation mark begins a quoted cell, ends it, or is half of a doubled one. Within another cell, it is text.
    fn take_quotation_mark(&mut self, before: Option<u8>) {
        let is_doubled = self.closed && before == Some(b'"');
        let begins_cell = before.is_none_or(|byte| b",;\t\r\n".contains(&byte));
        self.closed = self.quoted;
        self.quoted = !self.quoted && (is_doubled || begins_cell);
    }

    fn end(&self) -> TableEnd {
        match self.last {
            _ if self.quoted => TableEnd::WithinQuotes,
            None | Some(b'\r' | b'\n') => TableEnd::AfterRow,
            Some(_) if self.closed => TableEnd::AfterRow,
            Some(_) => TableEnd::WithinCell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the limit that a text of repeated pieces exceeds, with small limits.
    fn excess(pieces: &[(&str, usize)]) -> Option<Excess> {
        let mut text =
            LimitedText { limits: Limits { shortened: 20, text: 40, nesting: 10, part: 320 }, kind: TextKind::Blank };
        let mut all = pieces.iter().flat_map(|(piece, times)| std::iter::repeat_n(piece.as_bytes(), *times));
        all.find_map(|piece| text.check(&mut piece.to_vec()).err())
    }

    #[test]
    fn a_text_ends() {
        assert_eq!(excess(&[("[\"", 1), ("x", 40), ("\"]", 1)]), Some(Excess::Text));
        assert_eq!(excess(&[("[\"", 1), ("x", 39), ("\",\"", 1), ("x", 39), ("\"]", 1)]), None);
        assert_eq!(excess(&[("[\"\\\"", 1), ("x", 40)]), Some(Excess::Text), "an escaped quote is no end");
        assert_eq!(excess(&[("[\"\\\\\"", 1), (",\"x\"", 40)]), None, "a quote after an escaped backslash is");
    }

    #[test]
    fn a_long_text_is_shortened_at_a_space() {
        let shortened = |pieces: &[&str]| {
            let mut text =
                LimitedText { limits: Limits { shortened: 8, text: 40, nesting: 9, part: 90 }, kind: TextKind::Blank };
            let kept = pieces.iter().map(|piece| {
                let mut bytes = piece.as_bytes().to_vec();
                let kept = text.check(&mut bytes).unwrap();
                String::from_utf8(bytes[..kept].to_vec()).unwrap()
            });
            kept.collect::<String>()
        };
        assert_eq!(shortened(&[r#"{"a": "12345 678 90", "b": 1}"#]), r#"{"a": "12345 678", "b": 1}"#);
        assert_eq!(
            shortened(&[r#"["12345678\""#, r#"\u00e4 9 "#, r#"\" ", "1 3"]"#]),
            r#"["12345678\"\u00e4", "1 3"]"#
        );
        assert_eq!(shortened(&["[\"1 3456789", &"x ".repeat(99), "\"]"]), "[\"1 3456789x\"]", "any length");
    }

    #[test]
    fn nesting_ends() {
        assert_eq!(excess(&[("[", 10)]), None);
        assert_eq!(excess(&[("[", 11)]), Some(Excess::Nesting));
        assert_eq!(excess(&[("{\"a\":", 11)]), Some(Excess::Nesting));
        assert_eq!(excess(&[("[", 1), ("[],", 1000)]), None);
        assert_eq!(excess(&[("[\"", 1), ("[", 30)]), None, "brackets in a text are text");
        assert_eq!(excess(&[("[", 1), ("}", 100), ("[", 10)]), None, "surplus ends do not count");
    }

    #[test]
    fn a_file_may_be_large_and_a_part_of_it_not() {
        let item = format!("{{\"a\":[{}1]}}", "1,".repeat(100));
        let element = [item.as_str(), ","].concat();
        let member = ["\"a\":", item.as_str(), ","].concat();
        for file in [[("[", 1), (&element, 40)], [("{\"v\":[", 1), (&element, 40)], [("{", 1), (&member, 40)]] {
            assert_eq!(excess(&file), None, "{}", file[0].0);
        }
        assert_eq!(excess(&[("[[", 1), (&element, 2)]), Some(Excess::Part));
        assert_eq!(excess(&[("{\"v\":{", 1), ("\"a\":1,", 100)]), Some(Excess::Part));
        assert_eq!(excess(&[("[", 1), (" ", 400)]), Some(Excess::Part));
    }

    #[test]
    fn a_row_of_a_table_ends() {
        let line = format!("{}\n", "x,".repeat(100));
        assert_eq!(excess(&[(&line, 40)]), None);
        assert_eq!(excess(&[("a,b\n\"", 1), (&line, 40)]), Some(Excess::Part), "a quote that never ends");
        assert_eq!(excess(&[(" ", 400)]), None, "white space alone is not kept");
    }

    #[test]
    fn a_table_ends_after_a_row_or_within_a_cell() {
        for (text, end) in [
            ("", TableEnd::AfterRow),
            ("a,b\n1,2\n", TableEnd::AfterRow),
            ("a,b\n1,2\r", TableEnd::AfterRow),
            ("a,b\n1,\"2\"", TableEnd::AfterRow),
            ("a,b\n1,\"2 \"\"two\"\"\"", TableEnd::AfterRow),
            ("a,b\n1,\"2\n", TableEnd::WithinQuotes),
            ("a,b\n1,\"2 \"\"two\"\"", TableEnd::WithinQuotes),
            ("\"", TableEnd::WithinQuotes),
            ("a,b\n1,2", TableEnd::WithinCell),
            ("a,b\n1,", TableEnd::WithinCell),
            ("a,b\n1,5\" pipe", TableEnd::WithinCell),
            ("a,b\n1,5\" pipe\n", TableEnd::AfterRow),
        ] {
            assert_eq!(TableEnd::of(text), end, "{text:?}");
            let mut position = TablePosition::default();
            text.bytes().for_each(|byte| position.advance(&[byte], 100).unwrap());
            assert_eq!(position.end(), end, "{text:?}, byte by byte");
        }
    }
}
