//! Files that are made as they are read.

use std::io::{self, Read};

use assessments::Source;

/// A closure that begins a file, which can be read from its beginning only.
pub(crate) struct Stream<F>(pub(crate) F);

impl<F: Fn() -> R, R: Read + 'static> Source for Stream<F> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.0()))
    }
}
