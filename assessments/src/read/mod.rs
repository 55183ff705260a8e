//! From bytes to runs: the encoding, then the format, recognized from the content, then that format's own reader.

mod encoding;
mod outline;
mod unreadable;

pub use unreadable::Unreadable;

pub(crate) use outline::Outline;

use crate::run::Run;
use crate::scubagear;

/// A file format of a tool.
pub(crate) trait Format: Sync {
    /// What the file is called, as an operator would look for it.
    fn name(&self) -> &'static str;

    /// Whether a file is of this format. At most one format recognizes a file.
    fn recognizes(&self, outline: &Outline) -> bool;

    /// Reads a file of this format.
    fn read(&self, text: &str) -> Result<Vec<Run>, Unreadable>;
}

/// Every format that is read.
static FORMATS: [&dyn Format; 3] = [&scubagear::Results, &scubagear::ProductReport, &scubagear::ResultsTable];

/// Reads a file of any known tool: the runs that it holds, each with its issues.
///
/// UTF-8 with or without byte order mark, and UTF-16 with one, are understood.
pub fn read(bytes: &[u8]) -> Result<Vec<Run>, Unreadable> {
    let text = encoding::decode(bytes)?;
    let outline = Outline::of(&text)?;
    match FORMATS.iter().find(|format| format.recognizes(&outline)) {
        Some(format) => format.read(&text),
        None => Err(Unreadable::UnknownFormat { found: outline.kind() }),
    }
}
