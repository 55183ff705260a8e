//! Sources of bytes. This crate opens no files itself.

use std::io::{self, Cursor, Read, Seek};

/// A file that can be read from its beginning as often as needed.
///
/// Implemented for closures that open a file and for bytes in memory.
pub trait Source {
    /// Opens the file at its beginning.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;

    /// Opens the file for reading at any position, as an archive needs it. Returns `None` if it can be read from its
    /// beginning only.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    fn open_seekable(&self) -> io::Result<Option<Box<dyn ReadSeek + '_>>> {
        Ok(None)
    }
}

/// A reader that can move to any position.
pub trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}

impl Source for &[u8] {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(*self))
    }

    fn open_seekable(&self) -> io::Result<Option<Box<dyn ReadSeek + '_>>> {
        Ok(Some(Box::new(Cursor::new(*self))))
    }
}

impl Source for Vec<u8> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.as_slice()))
    }

    fn open_seekable(&self) -> io::Result<Option<Box<dyn ReadSeek + '_>>> {
        Ok(Some(Box::new(Cursor::new(self.as_slice()))))
    }
}

impl<F, R> Source for F
where
    F: Fn() -> io::Result<R>,
    R: Read + Seek + 'static,
{
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self()?))
    }

    fn open_seekable(&self) -> io::Result<Option<Box<dyn ReadSeek + '_>>> {
        Ok(Some(Box::new(self()?)))
    }
}
