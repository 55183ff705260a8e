//! Where documents are kept until all are made: in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use operations::documents::Plan;
use tempfile::NamedTempFile;

use super::SetError;

/// Name of the plan.
const PLAN: &str = "plan.json";

/// The folder of one set of documents.
#[derive(Debug, Clone)]
pub struct Shelf(pub PathBuf);

impl Shelf {
    /// Returns the names of the files, with their lengths in bytes.
    pub(super) fn names(&self) -> io::Result<BTreeMap<String, u64>> {
        let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.metadata().ok()?.len()));
        Ok(fs::read_dir(&self.0)?.flatten().filter_map(named).collect())
    }

    /// Returns the plan, or `None` if none is kept.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn plan(&self) -> Result<Option<Plan>, SetError> {
        match fs::read(self.0.join(PLAN)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            plan => Ok(Some(serde_json::from_slice(&plan?)?)),
        }
    }

    /// Keeps the plan.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, plan: &Plan) -> Result<(), SetError> {
        Ok(self.put(PLAN, &serde_json::to_vec(plan)?)?)
    }

    /// Writes a file whole, or not at all. Only its owner may read it.
    pub(super) fn put(&self, file: &str, content: &[u8]) -> io::Result<()> {
        let mut part = NamedTempFile::new_in(&self.0)?;
        part.write_all(content)?;
        part.as_file().sync_all()?;
        part.persist(self.0.join(file))?;
        Ok(())
    }
}
