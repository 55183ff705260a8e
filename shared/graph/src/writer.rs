//! Writes a snapshot as a file.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use model::snapshot::{Completion, End, Header, Response};
use serde::Serialize;

/// Returns lines of a snapshot as a file of their own, compressed. Such files in a row are one file, so a snapshot can be
/// kept in parts: a header, responses in the order of their arrival, and the end.
pub fn lines<L: Serialize>(lines: &[L]) -> Vec<u8> {
    let mut writer = SnapshotWriter(GzEncoder::new(Vec::new(), Compression::default()));
    let written = lines.iter().try_for_each(|line| writer.line(line)).and_then(|()| writer.0.finish());
    written.expect("memory takes all bytes, and lines have texts as keys")
}

/// Writes a snapshot, compressed, line by line. Without [`end`](Self::end) the file counts as cut off.
pub struct SnapshotWriter<W: Write>(GzEncoder<W>);

impl<W: Write> SnapshotWriter<W> {
    /// Begins a snapshot.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(to: W, header: &Header) -> io::Result<Self> {
        let mut writer = Self(GzEncoder::new(to, Compression::default()));
        writer.line(header)?;
        Ok(writer)
    }

    /// Adds responses.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn add<B: Serialize>(&mut self, responses: &[Response<B>]) -> io::Result<()> {
        responses.iter().try_for_each(|response| self.line(response))
    }

    /// Ends the snapshot, and returns what it was written to.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end(mut self, completion: Completion) -> io::Result<W> {
        self.line(&End { end: completion })?;
        self.0.finish()
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, line)?;
        self.0.write_all(b"\n")
    }
}
