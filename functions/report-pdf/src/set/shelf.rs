//! Where documents are kept until all are made: in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use tempfile::NamedTempFile;

/// The folder of one set of documents.
#[derive(Debug, Clone)]
pub struct Shelf(pub PathBuf);

impl Shelf {
    /// Returns the names of the files, with their lengths in bytes.
    pub(super) fn names(&self) -> io::Result<BTreeMap<String, u64>> {
        let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.metadata().ok()?.len()));
        Ok(fs::read_dir(&self.0)?.flatten().filter_map(named).collect())
    }

    /// Writes a file whole, or not at all. Only its owner may read it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&self, file: &str, content: &[u8]) -> io::Result<()> {
        let mut part = NamedTempFile::new_in(&self.0)?;
        part.write_all(content)?;
        part.as_file().sync_all()?;
        part.persist(self.0.join(file))?;
        Ok(())
    }

    /// Returns the content of a file, or `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn get(&self, file: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.0.join(file)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            content => Ok(Some(content?)),
        }
    }
}
