//! Writes a snapshot as a file.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use model::snapshot::{Completion, End, Header, Response};
use serde::Serialize;

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
