//! Sources of bytes. This crate opens no files itself.

use std::io::{self, Read};

/// A file that can be read from its beginning as often as needed.
///
/// Implemented for closures that open a file and for bytes in memory.
pub trait Source {
    /// Opens the file at its beginning.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;
}

impl Source for &[u8] {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(*self))
    }
}

impl Source for Vec<u8> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.as_slice()))
    }
}

impl<F, R> Source for F
where
    F: Fn() -> io::Result<R>,
    R: Read + 'static,
{
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self()?))
    }
}
