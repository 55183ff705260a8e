//! From bytes to runs: the encoding, then the format, recognized from the content, then that format's own reader.
//!
//! A file is read as a stream, twice: once for its outline, from which a format recognizes it, and once by that format.
//! What is kept in memory is what the result needs, and never more of the file than `guard` allows.

mod combine;
mod guard;
mod input;
mod outline;
mod part;
mod rows;
mod source;
mod text;
mod unreadable;

pub use combine::{Combined, combine};
pub use guard::Excess;
pub use part::Part;
pub use source::Source;
pub use unreadable::Unreadable;

pub(crate) use input::Input;
pub(crate) use outline::Outline;
pub(crate) use rows::{each, rows};

use crate::{directory, maester, prowler, scubagear, securescore, zerotrust};

/// A file format of a tool.
pub(crate) trait Format: Sync {
    /// What the file is called, as an operator would look for it.
    fn name(&self) -> &'static str;

    /// Whether a file is of this format. At most one format recognizes a file.
    fn recognizes(&self, outline: &Outline) -> bool;

    /// Reads a file of this format.
    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable>;
}

/// Every format that is read.
static FORMATS: [&dyn Format; 16] = [
    &scubagear::Results,
    &scubagear::ProductReport,
    &scubagear::ResultsTable,
    &maester::Results,
    &maester::MergedResults,
    &prowler::Ocsf,
    &prowler::Table,
    &zerotrust::Report,
    &securescore::Scores,
    &securescore::ControlProfiles,
    &directory::USERS,
    &directory::SUBSCRIPTIONS,
    &directory::ROLES,
    &directory::MEMBERS,
    &directory::REGISTRATIONS,
    &directory::SIGN_INS,
];

/// Reads a file of any known tool: what it holds, for [`combine`].
///
/// UTF-8 with or without byte order mark, and UTF-16 with one, are understood.
///
/// # Errors
/// When the file is none that is read, is damaged, or cannot be opened and read to its end.
pub fn read(source: &dyn Source) -> Result<Vec<Part>, Unreadable> {
    let text = || source.open().map(text::text).map_err(Unreadable::io);
    let outline = Outline::of(text()?)?;
    match FORMATS.iter().find(|format| format.recognizes(&outline)) {
        Some(format) => format.read(Input::new(text()?, &outline)),
        None => Err(Unreadable::UnknownFormat { found: outline.kind() }),
    }
}
