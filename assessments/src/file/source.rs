//! Where the bytes come from. This crate opens no file itself.

use std::io::{self, Read};

/// A file, as far as this crate is concerned: bytes that can be read from the beginning as often as needed.
///
/// A closure that opens a file is one, and so are bytes in memory.
pub trait Source {
    /// Opens the bytes at their beginning.
    ///
    /// # Errors
    /// When they cannot be opened.
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
