//! Why a file could not be read at all.

use std::{fmt, io};

use serde_json::error::Category;

use super::FORMATS;
use super::guard::Excess;

/// Longest name of a provider, in characters.
const PROVIDER_LENGTH: usize = 20;

/// A file that gives no run. Says what was found and what is read; repeats nothing of the file's text but a provider's
/// name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The file could not be opened, or not read to its end.
    #[error("the file could not be read: {0}")]
    Io(
        /// What kept it from being read.
        io::ErrorKind,
    ),
    /// Nothing but white space.
    #[error("the file is empty; {Readable}")]
    Empty,
    /// Not the text that its byte order mark, or the lack of one, promises.
    #[error("the file is not text in UTF-8, or in UTF-16 with a byte order mark; {Readable}")]
    Encoding,
    /// HTML or XML: most tools write such a report beside the file that is read.
    #[error("the file is an HTML or XML page; {Readable}")]
    Markup,
    /// JSON that ends before it is complete.
    #[error("the JSON ends unfinished at line {line}, column {column}: the file was cut off")]
    CutOff {
        /// Line of the end, from 1.
        line: usize,
        /// Column of the end, from 1.
        column: usize,
    },
    /// Text that begins like JSON and is none.
    #[error("the file is not valid JSON: {0}")]
    Malformed(
        /// What is wrong, and at which line and column.
        String,
    ),
    /// JSON of a known format with a part that is not what the format has there.
    #[error("the JSON is valid, but at line {line}, column {column} it is not what the tool writes there")]
    Unexpected {
        /// Line of the part, from 1.
        line: usize,
        /// Column of the part, from 1.
        column: usize,
    },
    /// The file holds something too large to be kept in memory, which no tool writes.
    #[error("the file is damaged or made up: {0}")]
    Excess(Excess),
    /// None of the formats that are read.
    #[error("the file is {found}, but none of the results that are read; {Readable}")]
    UnknownFormat {
        /// What it is instead.
        found: &'static str,
    },
    /// Results of a tool that looks at several providers, for another one than the suite's.
    #[error("the file holds results for the provider {found:?}; of this tool's results, those for {read:?} are read")]
    OtherProvider {
        /// The provider, as the tool names it.
        found: String,
        /// The provider whose results are read.
        read: &'static str,
    },
}

impl Unreadable {
    /// The parser's own text is kept only for errors of syntax, where it quotes nothing from the file.
    pub(crate) fn json(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        match error.classify() {
            Category::Eof => Self::CutOff { line, column },
            Category::Syntax => Self::Malformed(error.to_string()),
            Category::Data => Self::Unexpected { line, column },
            Category::Io => Self::io(error.into()),
        }
    }

    /// Repeats what names the provider in the file only as far as it can be a provider's name.
    pub(crate) fn other_provider(found: &str, read: &'static str) -> Self {
        let is_name = |character: &char| character.is_ascii_alphanumeric() || "-_".contains(*character);
        Self::OtherProvider { found: found.chars().take_while(is_name).take(PROVIDER_LENGTH).collect(), read }
    }

    /// An error of the source, or one that decoding and the limits pass through it.
    pub(crate) fn io(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(|error| Self::Io(error.kind()))
    }
}

/// The list of what is read.
struct Readable;

impl fmt::Display for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
        write!(f, "what is read: {}", names.join(", "))
    }
}
