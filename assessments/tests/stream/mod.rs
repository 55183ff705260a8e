//! Files that are generated as they are read.

use std::io::{self, Read};

use assessments::Source;

/// A closure that starts a file, which can only be read from its beginning.
pub(crate) struct Stream<F>(pub(crate) F);

impl<F: Fn() -> R, R: Read + 'static> Source for Stream<F> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.0()))
    }
}
