//! Reasons why a file cannot be read.

use std::io;

use serde_json::error::Category;

use super::limits::Excess;

/// Longest name of a product or a provider that a message repeats, in characters.
const NAME_LENGTH: usize = 20;

/// Beginning of the parsers' message about a field that is repeated.
pub(super) const REPEATED_FIELD: &str = "duplicate field";

/// Reason why a file cannot be read. The message says what was found; of the file's own text it repeats at most the
/// name of a provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The file could not be opened, or not read to its end.
    #[error("the file could not be read: {0}")]
    Io(
        /// Kind of the failure.
        io::ErrorKind,
    ),
    /// The file contains only white space.
    #[error("the file is empty")]
    Empty,
    /// The text does not have the encoding that its byte order mark, or the lack of one, indicates.
    #[error(
        "the file is not text in UTF-8, or in UTF-16 with a byte order mark: save it again as UTF-8 (in PowerShell with \
         -Encoding utf8, in Excel as \"CSV UTF-8\")"
    )]
    Encoding,
    /// A binary file.
    #[error("the file is {kind}: import the tool's JSON or CSV file, and save a workbook as CSV")]
    Binary {
        /// Kind of the file, with its article.
        kind: &'static str,
    },
    /// An archive that is not unpacked: of another format than ZIP, or within an archive.
    #[error("the file is {kind}: unpack it and import its files")]
    Archive {
        /// Kind of the archive, with its article.
        kind: &'static str,
    },
    /// A ZIP archive that cannot be read to its end.
    #[error("the ZIP archive is damaged: copy or pack it again")]
    ArchiveDamaged,
    /// A ZIP archive with more members or bytes than any tool writes.
    #[error("the ZIP archive has more files or content than any tool's output: unpack it and import the folder")]
    ArchiveTooLarge,
    /// A member of an archive that needs a password.
    #[error("the file is encrypted: unpack the archive with its password and import the folder")]
    Encrypted,
    /// A member of an archive with an unsupported compression method.
    #[error("the file is not compressed with Deflate: unpack the archive and import the folder")]
    OtherCompression,
    /// A table with a header and without rows.
    #[error("the table has a header but no rows: run the tool again, or import another of its files")]
    NoRows,
    /// No row of the file is readable.
    #[error("the file has {}, but none is readable: export the file again", model::counted(*.0, "row"))]
    NoReadableRow(
        /// Number of rows.
        usize,
    ),
    /// A file of a tool that is not the one to import.
    #[error("this is {found}: {instead}")]
    Companion {
        /// Name of the file.
        found: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
    /// Results of a related tool for another product suite.
    #[error("the file contains results of {tool} for {suite}; only results for Microsoft 365 can be imported")]
    OtherSuite {
        /// Name of the tool.
        tool: String,
        /// Name of the suite.
        suite: String,
    },
    /// HTML or XML. Most tools write such a page next to the file to import.
    #[error("the file is an HTML or XML page: import the tool's JSON or CSV file")]
    Markup,
    /// JSON that ends before it is complete.
    #[error("the JSON ends at line {line}, column {column} before it is complete: copy or export the file again")]
    CutOff {
        /// Line of the end, from 1.
        line: usize,
        /// Column of the end, from 1.
        column: usize,
    },
    /// A table that ends within a row.
    #[error("the table ends in the middle of row {row}: copy or export the file again")]
    TableCutOff {
        /// The row, from 1, without the header.
        row: usize,
    },
    /// A table whose last row has all its cells, but no line break, so that its last cell may be cut off.
    #[error(
        "the table ends without a line break, so row {row} may be cut off: copy or export the file again, or add a line \
         break if the row is complete"
    )]
    NoLineBreak {
        /// The row, from 1, without the header.
        row: usize,
    },
    /// Text that starts like JSON but is not valid.
    #[error("the file is not valid JSON: {0}")]
    Malformed(
        /// Description of the error, with line and column.
        String,
    ),
    /// JSON in which an object has two fields of the same name. Either can be the right one.
    #[error("the JSON repeats a field at line {line}, column {column}: copy or export the file again")]
    RepeatedField {
        /// Line of the second field, from 1.
        line: usize,
        /// Column of the second field, from 1.
        column: usize,
    },
    /// JSON of a known format with a part of unexpected structure.
    #[error("the JSON is valid, but its structure at line {line}, column {column} is not the tool's")]
    Unexpected {
        /// Line of the part, from 1.
        line: usize,
        /// Column of the part, from 1.
        column: usize,
    },
    /// A part of the file is too large to be kept in memory. No tool writes such a file.
    #[error("the file is damaged or not written by a tool: {0}")]
    Excess(Excess),
    /// The format is not known.
    #[error("the file is {found}, but its format is not supported")]
    UnknownFormat {
        /// Kind of the file.
        found: &'static str,
    },
    /// A file that is compressed with gzip and cannot be read to its end.
    #[error("the gzip file is damaged or cut off: copy or collect it again")]
    GzipDamaged,
    /// A snapshot without its last line, or without some of its responses.
    #[error("the snapshot ends before it is complete: copy it again, or collect it again")]
    SnapshotCutOff,
    /// A snapshot in the format of another release.
    #[error("the snapshot has format version {0}, which this release does not read: update the service")]
    SnapshotVersion(
        /// Version of the format.
        u32,
    ),
    /// A snapshot with responses of a tenant that it does not name.
    #[error("the snapshot contains responses of another tenant than the one it names: collect it again")]
    SnapshotOfOtherTenant,
    /// Findings of another tool, in a shape that several tools write.
    #[error("the file contains findings of {found:?}; only those of {read} can be imported")]
    OtherProduct {
        /// Name of the tool in the file.
        found: String,
        /// The tool whose findings are read.
        read: &'static str,
    },
    /// Results of a tool for many providers, for a provider other than Microsoft 365.
    #[error("the file contains results for the provider {found:?}; only results for {read:?} can be imported")]
    OtherProvider {
        /// The provider, as the tool names it.
        found: String,
        /// The provider whose results are read.
        read: &'static str,
    },
}

impl Unreadable {
    /// Returns the reason to skip a file without results, such as a page or an image that tools write along with them.
    /// In a folder, such files are skipped. Returns `None` if the file may hold results.
    pub fn beside_results(&self) -> Option<&'static str> {
        match self {
            Self::Companion { found, .. } => Some(found),
            Self::Markup => Some("an HTML or XML page"),
            Self::Binary { kind } => Some(kind),
            Self::UnknownFormat { .. } => Some("in an unsupported format"),
            _ => None,
        }
    }

    /// Converts a parser's error. Its text is kept for errors of syntax only, where it quotes nothing from the file.
    pub(crate) fn json(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        match error.classify() {
            Category::Eof => Self::CutOff { line, column },
            Category::Syntax => Self::Malformed(error.to_string()),
            Category::Data if error.to_string().starts_with(REPEATED_FIELD) => Self::RepeatedField { line, column },
            Category::Data => Self::Unexpected { line, column },
            Category::Io => Self::io(error.into()),
        }
    }

    /// Creates the error for another provider.
    pub(crate) fn other_provider(found: &str, read: &'static str) -> Self {
        Self::OtherProvider { found: name(found), read }
    }

    /// Creates the error for another tool.
    pub(crate) fn other_product(found: &str, read: &'static str) -> Self {
        Self::OtherProduct { found: name(found), read }
    }

    /// Creates the error for another product suite.
    pub(crate) fn other_suite(tool: &str, suite: &str) -> Self {
        Self::OtherSuite { tool: name(tool), suite: name(suite) }
    }

    /// Converts an error of the source, or one that decoding and the limits passed through it.
    pub(crate) fn io(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(|error| Self::Io(error.kind()))
    }
}

/// Returns a text as far as it can be the name of a product or a provider.
fn name(text: &str) -> String {
    let is_name = |character: &char| character.is_ascii_alphanumeric() || " -_".contains(*character);
    text.chars().take_while(is_name).take(NAME_LENGTH).collect()
}
