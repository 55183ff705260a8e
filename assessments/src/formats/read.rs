//! Reads a file of any known format.

use super::companions::Companion;
use super::contents::Contents;
use super::table::{FORMATS, Format};
use crate::file::{Input, Shape, Source, Unreadable, decode};

/// Reads a file of any known format, for [`combine`](super::combine).
///
/// The file is streamed twice: once for its shape, by which the format is recognized, and once by the format's reader.
/// The encoding is UTF-8 with or without a byte order mark, or UTF-16 with a byte order mark.
///
/// # Errors
/// Returns an error if the format is not known, the file is damaged, or it cannot be opened and read to its end.
pub fn read(source: &dyn Source) -> Result<Contents, Unreadable> {
    let text = || source.open().map(decode).map_err(Unreadable::io);
    let shape = Shape::of(text()?)?;
    if let Some(companion) = Companion::of(&shape) {
        return Err(companion.error());
    }
    match Format::of(&shape) {
        Some((rank, format)) => {
            let contents = (format.read)(Input::new(&shape, &text))?;
            match shape.damage() {
                // Rows of a log count without those that are lost. Results of a tool do not.
                Some(damage @ Unreadable::CutOff { .. }) if contents.directory.is_none() => Err(damage.clone()),
                _ => Ok(Contents { rank, ..contents }),
            }
        }
        None => Err(shape.damage().cloned().unwrap_or(Unreadable::UnknownFormat { found: shape.kind() })),
    }
}

/// Returns the names of all formats that [`read`] knows.
pub fn format_names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name)
}
