//! Limits that keep the memory of a read bounded, whatever the file holds.
//!
//! Parsers keep one text, one level of nesting or one row in memory, but any of these can be the whole file when the
//! file is damaged or made up. So the text is looked over on its way to the parser, and what no tool writes ends the
//! read. Only brackets and quotes are looked at; whether the text is valid is for the parser to say.

/// Largest part of a file that is kept at once, in bytes.
pub(super) const LARGEST_PART: usize = 32 << 20;

/// What a file may hold.
const LIMITS: Limits = Limits { text: 4 << 20, nesting: 100, part: LARGEST_PART };

struct Limits {
    /// Longest single text in JSON, in bytes. The longest that a tool was seen to write, a whole result table, has
    /// less than a tenth.
    text: usize,
    /// Deepest nesting of JSON. Less than the parser's own limit, which it does not apply to what it passes over.
    nesting: usize,
    /// Largest part, in bytes: an element of JSON's outermost lists, a member of its outermost
    /// object outside of lists, or a row of a table.
    part: usize,
}

/// Something in a file that no tool writes, beyond what is kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Excess {
    /// A single text.
    #[error("it holds a text of more than {} MiB", LIMITS.text >> 20)]
    Text,
    /// Lists and objects in each other.
    #[error("it nests deeper than {} levels", LIMITS.nesting)]
    Nesting,
    /// A single row or element.
    #[error("it holds a row of more than {} MiB", LIMITS.part >> 20)]
    Part,
}

/// Looks over a text as it passes.
pub(super) struct Guard {
    limits: Limits,
    seen: Seen,
}

impl Default for Guard {
    fn default() -> Self {
        Self { limits: LIMITS, seen: Seen::Blank }
    }
}

/// What the text has turned out to be.
enum Seen {
    /// Nothing but white space so far.
    Blank,
    Json(Json),
    Table(Table),
}

impl Guard {
    /// Looks over the next bytes.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> Result<(), Excess> {
        if matches!(self.seen, Seen::Blank) {
            self.seen = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => Seen::Blank,
                Some(b'{' | b'[') => Seen::Json(Json::default()),
                Some(_) => Seen::Table(Table::default()),
            };
        }
        match &mut self.seen {
            Seen::Blank => Ok(()),
            Seen::Json(json) => json.pass(bytes, &self.limits),
            Seen::Table(table) => table.pass(bytes, &self.limits),
        }
    }
}

/// Where in JSON the text is.
#[derive(Default)]
struct Json {
    text: Option<Quoted>,
    depth: usize,
    /// Depth inside the outermost list, if in one.
    list: Option<usize>,
    /// Bytes since the part began.
    part: usize,
}

/// Inside a text.
#[derive(Default)]
struct Quoted {
    length: usize,
    escaped: bool,
}

impl Json {
    fn pass(&mut self, mut bytes: &[u8], limits: &Limits) -> Result<(), Excess> {
        while let Some(first) = bytes.first() {
            let passed = match &mut self.text {
                Some(text) => {
                    let (passed, ended) = text.pass(bytes, limits)?;
                    self.text.take_if(|_| ended);
                    passed
                }
                None => {
                    self.pass_structure(*first, limits)?;
                    1
                }
            };
            self.part += passed;
            if self.part > limits.part {
                return Err(Excess::Part);
            }
            bytes = &bytes[passed..];
        }
        Ok(())
    }

    fn pass_structure(&mut self, byte: u8, limits: &Limits) -> Result<(), Excess> {
        match byte {
            b'"' => self.text = Some(Quoted::default()),
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

impl Quoted {
    /// How many bytes it goes on for, and whether it ends with them.
    fn pass(&mut self, bytes: &[u8], limits: &Limits) -> Result<(usize, bool), Excess> {
        let (passed, last) = if self.escaped { (1, None) } else { up_to(b'"', b'\\', bytes) };
        self.escaped = last == Some(b'\\');
        self.length += passed;
        if self.length > limits.text { Err(Excess::Text) } else { Ok((passed, last == Some(b'"'))) }
    }
}

/// How many bytes there are up to the first that is one of two, and which one that is.
fn up_to(one: u8, other: u8, bytes: &[u8]) -> (usize, Option<u8>) {
    memchr::memchr2(one, other, bytes).map_or((bytes.len(), None), |place| (place + 1, Some(bytes[place])))
}

/// Where in a table the text is.
#[derive(Default)]
struct Table {
    quoted: bool,
    /// Bytes since the row began.
    row: usize,
}

impl Table {
    fn pass(&mut self, mut bytes: &[u8], limits: &Limits) -> Result<(), Excess> {
        while !bytes.is_empty() {
            let (passed, last) = up_to(b'"', b'\n', bytes);
            self.row += passed;
            if self.row > limits.part {
                return Err(Excess::Part);
            }
            match last {
                Some(b'"') => self.quoted = !self.quoted,
                Some(_) if !self.quoted => self.row = 0,
                _ => {}
            }
            bytes = &bytes[passed..];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text of these pieces, each so many times, runs into under small limits.
    fn excess(pieces: &[(&str, usize)]) -> Option<Excess> {
        let mut guard = Guard { limits: Limits { text: 40, nesting: 10, part: 320 }, seen: Seen::Blank };
        let mut all = pieces.iter().flat_map(|(piece, times)| std::iter::repeat_n(piece.as_bytes(), *times));
        all.find_map(|piece| guard.pass(piece).err())
    }

    #[test]
    fn a_text_ends() {
        assert_eq!(excess(&[("[\"", 1), ("x", 40), ("\"]", 1)]), Some(Excess::Text));
        assert_eq!(excess(&[("[\"", 1), ("x", 39), ("\",\"", 1), ("x", 39), ("\"]", 1)]), None);
        assert_eq!(excess(&[("[\"\\\"", 1), ("x", 40)]), Some(Excess::Text), "an escaped quote is no end");
        assert_eq!(excess(&[("[\"\\\\\"", 1), (",\"x\"", 40)]), None, "a quote after an escaped backslash is");
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
}
