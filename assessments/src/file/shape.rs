//! The shape of a file: its names by path, or its columns. It identifies the format and needs one pass.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Read};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::encoding::Text;
use super::error::Unreadable;

/// Levels of names in the shape of JSON.
const LEVELS: usize = 3;

/// Members of an object that a shape keeps: the first ones.
const MEMBERS: usize = 64;

/// Longest name and longest text that a shape keeps, in bytes.
const LONGEST: usize = 200;

/// Longest header of a table, in bytes.
const LONGEST_HEADER: u64 = 64 * 1024;

/// Beginning of the line with the name of a type, which Windows PowerShell writes before the header.
const TYPE_NAME: &[u8] = b"#TYPE ";

/// Delimiters of columns.
const DELIMITERS: [u8; 3] = *b",;\t";

/// The shape of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// JSON: its names by path, each with its value if that is a short text or a whole number.
    ///
    /// Lists are not part of a path: the first element that has names represents its list, at the top as well. The path
    /// `value/controlScores` leads to the scores in the first element of the list `value`.
    Json {
        /// Names by path.
        names: BTreeMap<String, Option<String>>,
        /// The error at which the JSON is no longer valid, if it is not valid as a whole. The names before it are
        /// known.
        damage: Option<Unreadable>,
        /// Whether another value follows the first, as in JSON lines.
        has_several: bool,
    },
    /// Any other text, which may be a table.
    Table {
        /// Columns of the first line.
        columns: Vec<String>,
        /// Delimiter of the columns.
        delimiter: u8,
    },
}

impl Shape {
    /// Reads the shape of a file.
    ///
    /// # Errors
    /// Returns an error if the file is empty, a page, of a binary format, or exceeds a limit.
    pub(crate) fn of(mut text: Text<'_>) -> Result<Self, Unreadable> {
        match first_character(&mut text)? {
            None => Err(Unreadable::Empty),
            Some(b'<') => Err(Unreadable::Markup),
            Some(b'{' | b'[') => Self::of_json(text),
            Some(_) => Self::of_table(text),
        }
    }

    fn of_json(text: Text<'_>) -> Result<Self, Unreadable> {
        let mut names = BTreeMap::new();
        let mut json = serde_json::Deserializer::from_reader(text);
        let first = NamesOf { path: "", level: 0, names: &mut names }.deserialize(&mut json);
        let (read, has_several) = match first.map(|()| json.end()) {
            // Something else than the end follows.
            Ok(Err(end)) if end.is_syntax() => match IgnoredAny::deserialize(&mut json) {
                Ok(IgnoredAny) => (Ok(()), true),
                Err(error) if error.is_eof() => (Err(error), true),
                Err(_) => (Err(end), false),
            },
            first => (first.flatten(), false),
        };
        match read.map_err(Unreadable::json) {
            Ok(()) => Ok(Self::Json { names, damage: None, has_several }),
            Err(damage @ (Unreadable::Malformed(_) | Unreadable::CutOff { .. })) => {
                Ok(Self::Json { names, damage: Some(damage), has_several })
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the shape of a table. The delimiter is the one of Excel's line `sep=`, else the one that results in the
    /// most columns.
    fn of_table(mut text: Text<'_>) -> Result<Self, Unreadable> {
        let named = skip_preamble(&mut text).map_err(Unreadable::io)?;
        let mut header = Vec::new();
        text.take(LONGEST_HEADER).read_until(b'\n', &mut header).map_err(Unreadable::io)?;
        let delimiter = named.unwrap_or_else(|| likely_delimiter(&header));
        Ok(Self::Table { columns: columns(&header, delimiter), delimiter })
    }

    /// Returns the kind of the file, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Json { has_several: true, .. } => "JSON lines",
            Self::Json { .. } => "JSON",
            Self::Table { .. } => "text",
        }
    }

    /// Returns whether the file is JSON with all of these paths.
    pub(crate) fn is_json_with(&self, paths: &[&str]) -> bool {
        matches!(self, Self::Json { names, .. } if paths.iter().all(|path| names.contains_key(*path)))
    }

    /// Returns the value at a path of JSON if it is a short text.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        let Self::Json { names, .. } = self else { return None };
        names.get(path)?.as_deref()
    }

    /// Returns whether the file is JSON with all of these paths, in any case.
    pub(crate) fn is_json_with_any_case(&self, paths: &[&str]) -> bool {
        let Self::Json { names, .. } = self else { return false };
        paths.iter().all(|path| names.keys().any(|name| name.eq_ignore_ascii_case(path)))
    }

    /// Returns whether the file is JSON with names that begin with a capital letter, as PowerShell writes them.
    pub(crate) fn has_capitalized_names(&self) -> bool {
        let Self::Json { names, .. } = self else { return false };
        let last =
            |path: &str| path.rsplit('/').next().is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
        names.keys().any(|path| last(path))
    }

    /// Returns the error at which JSON is no longer valid, if there is one.
    pub(crate) fn damage(&self) -> Option<&Unreadable> {
        if let Self::Json { damage, .. } = self { damage.as_ref() } else { None }
    }

    /// Returns the delimiter of a table's columns.
    pub(super) fn delimiter(&self) -> u8 {
        if let Self::Table { delimiter, .. } = self { *delimiter } else { b',' }
    }

    /// Returns whether the file is a table with all of these columns, in any order and case, and among others.
    pub(crate) fn is_table_with(&self, wanted: &[&str]) -> bool {
        let Self::Table { columns, .. } = self else { return false };
        wanted.iter().all(|wanted| columns.iter().any(|column| column.eq_ignore_ascii_case(wanted)))
    }
}

/// Returns the delimiter of a table's columns, and the position at which its header begins: behind blank lines and
/// a line such as `sep=;`.
pub fn table_layout(text: &str) -> (u8, usize) {
    let mut rest = text.as_bytes();
    // Reading from memory cannot fail.
    let named = skip_preamble(&mut rest).ok().flatten();
    let header = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    (named.unwrap_or_else(|| likely_delimiter(header)), text.len() - rest.len())
}

/// Skips blank lines and the line that some writers put before the header: Excel's `sep=;` or PowerShell's `#TYPE`.
/// Returns the delimiter if the line names it.
pub(super) fn skip_preamble(text: &mut impl BufRead) -> io::Result<Option<u8>> {
    loop {
        let buffer = text.fill_buf()?;
        let blank = buffer.iter().take_while(|byte| b" \r\n".contains(byte)).count();
        if blank == 0 {
            break;
        }
        text.consume(blank);
    }
    let buffer = text.fill_buf()?;
    let line = buffer.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let length = line.len();
    let delimiter = excel_delimiter(line);
    if delimiter.is_some() || line.starts_with(TYPE_NAME) {
        text.consume(length);
    }
    Ok(delimiter)
}

/// Returns the delimiter that results in the most columns.
fn likely_delimiter(header: &[u8]) -> u8 {
    let most = DELIMITERS.into_iter().rev().max_by_key(|delimiter| columns(header, *delimiter).len());
    most.unwrap_or(b',')
}

/// Returns the delimiter of a line such as `sep=;`, which Excel reads and some tools write.
fn excel_delimiter(line: &[u8]) -> Option<u8> {
    match line.trim_ascii().strip_prefix(b"sep=")? {
        [delimiter] => Some(*delimiter),
        // White space at the end of the line was trimmed.
        [] => Some(b'\t'),
        _ => None,
    }
}

/// Skips white space and returns the first other byte, which stays unread.
fn first_character(text: &mut Text<'_>) -> Result<Option<u8>, Unreadable> {
    loop {
        let buffer = text.fill_buf().map_err(Unreadable::io)?;
        let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let first = buffer.get(blank).copied();
        let ended = buffer.is_empty();
        text.consume(blank);
        if first.is_some() || ended {
            return Ok(first);
        }
    }
}

fn columns(line: &[u8], delimiter: u8) -> Vec<String> {
    let mut table = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(line);
    let header = table.headers().map(|header| header.iter().map(|column| column.trim().to_owned()).collect());
    header.unwrap_or_default()
}

/// Collects the names of a value at a path.
struct NamesOf<'a> {
    path: &'a str,
    /// Number of names in the path.
    level: usize,
    names: &'a mut BTreeMap<String, Option<String>>,
}

impl<'de> DeserializeSeed<'de> for NamesOf<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NamesOf<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut room = if self.level < LEVELS { MEMBERS } else { 0 };
        while let Some(name) = map.next_key::<String>()? {
            if room == 0 || name.len() > LONGEST {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            room -= 1;
            let path = if self.level == 0 { name } else { format!("{}/{name}", self.path) };
            self.names.insert(path.clone(), None);
            map.next_value_seed(NamesOf { path: &path, level: self.level + 1, names: &mut *self.names })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let known = self.names.len();
        // A list of texts is represented by its first text.
        while self.names.len() == known && !self.names.get(self.path).is_some_and(Option::is_some) {
            let element = NamesOf { path: self.path, level: self.level, names: &mut *self.names };
            if list.next_element_seed(element)?.is_none() {
                return Ok(());
            }
        }
        while let Some(IgnoredAny) = list.next_element()? {}
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if text.len() <= LONGEST && self.level > 0 {
            self.names.insert(self.path.to_owned(), Some(text.to_owned()));
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::encoding::decode;

    fn shape(content: &str) -> Shape {
        Shape::of(decode(Box::new(content.as_bytes()))).unwrap()
    }

    #[test]
    fn names_are_found_on_three_levels_and_through_lists() {
        let json = shape(r#" [{"a": {"b": [{"c": {"d": 1}}, {"e": 1}]}, "f": true, "g": [[{"h": null}]]}, {"i": 1}]"#);
        let Shape::Json { names, .. } = &json else { panic!("this is JSON") };
        assert_eq!(names.keys().collect::<Vec<_>>(), ["a", "a/b", "a/b/c", "f", "g", "g/h"]);
        assert!(json.is_json_with(&["a/b/c", "f"]) && !json.is_json_with(&["f", "i"]));
        assert!(!json.is_table_with(&[]));
    }

    #[test]
    fn short_texts_are_kept() {
        let long = "x".repeat(LONGEST + 1);
        let json =
            shape(&format!(r#"{{"a": {{"b": "short"}}, "c": "{long}", "{long}": "d", "e": ["first", "other"]}}"#));
        assert_eq!(json.text("a/b"), Some("short"));
        assert_eq!(json.text("e"), Some("first"));
        assert!(json.is_json_with(&["c"]) && json.text("c").is_none() && json.text(&long).is_none());
    }

    #[test]
    fn a_shape_stays_small() {
        let members: Vec<_> = (0..1000).map(|number| format!("\"{number}\": {{\"a\": 1e9}}")).collect();
        let Shape::Json { names, .. } = shape(&format!("{{{}}}", members.join(","))) else { panic!("this is JSON") };
        assert_eq!(names.len(), 2 * MEMBERS);
    }

    #[test]
    fn the_delimiter_of_a_table_is_seen() {
        for (header, delimiter) in [("a,b,c;d", b','), ("\"a\";\"b, b\";c", b';'), ("a\tb", b'\t'), ("a", b',')] {
            let Shape::Table { delimiter: found, .. } = shape(header) else { panic!("this is a table") };
            assert_eq!(found, delimiter, "{header}");
        }
        for before in ["sep=;\r\n", "#TYPE Some.Object\r\n", "\n sep=;\n"] {
            let table = shape(&format!("{before}a;b;c,d\n"));
            assert!(table.is_table_with(&["a", "b", "c,d"]), "{before:?}: {table:?}");
            assert_eq!(table_layout(&format!("{before}a;b;c,d\n")), (b';', before.len()));
        }
        let table = shape("\r\n \"Control ID\" ; Status\r\n1;2");
        assert!(table.is_table_with(&["Control ID", "Status"]), "{table:?}");
        assert!(!table.is_table_with(&["Control ID", "1"]) && !table.is_json_with(&[]));
    }
}
