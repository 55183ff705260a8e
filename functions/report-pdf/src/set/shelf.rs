//! The place of documents until all are made: a folder, or a bucket.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use operations::documents::Plan;
use tempfile::NamedTempFile;

use super::SetError;
use crate::bucket::Bucket;

/// Name of the plan.
const PLAN: &str = "plan.json";

/// The place of one set of documents.
#[derive(Debug, Clone)]
pub enum Shelf {
    /// A folder that exists.
    Folder(PathBuf),
    /// The objects of a bucket whose keys begin with this.
    Bucket(Bucket, String),
}

impl Shelf {
    /// Returns the names of the files, with their lengths in bytes.
    pub(super) async fn names(&self) -> Result<BTreeMap<String, u64>, SetError> {
        let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.metadata().ok()?.len()));
        match self {
            Self::Folder(folder) => Ok(fs::read_dir(folder)?.flatten().filter_map(named).collect()),
            Self::Bucket(bucket, prefix) => Ok(bucket.names(prefix).await?),
        }
    }

    /// Returns the plan, or `None` if none is kept.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn plan(&self) -> Result<Option<Plan>, SetError> {
        if !self.names().await?.contains_key(PLAN) {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&self.read(PLAN).await?)?))
    }

    /// Keeps the plan.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn keep(&self, plan: &Plan) -> Result<(), SetError> {
        self.put(PLAN, serde_json::to_vec(plan)?).await
    }

    /// Returns the content of a file.
    pub(super) async fn read(&self, file: &str) -> Result<Vec<u8>, SetError> {
        match self {
            Self::Folder(folder) => Ok(fs::read(folder.join(file))?),
            Self::Bucket(bucket, prefix) => Ok(bucket.get(&format!("{prefix}{file}")).await?),
        }
    }

    /// Writes a file whole, or not at all. In a folder, only its owner may read it.
    pub(super) async fn put(&self, file: &str, content: Vec<u8>) -> Result<(), SetError> {
        match self {
            Self::Folder(folder) => {
                let mut part = NamedTempFile::new_in(folder)?;
                part.write_all(&content)?;
                part.as_file().sync_all()?;
                part.persist(folder.join(file)).map_err(std::io::Error::from)?;
                Ok(())
            }
            Self::Bucket(bucket, prefix) => Ok(bucket.put(&format!("{prefix}{file}"), content).await?),
        }
    }

    /// Deletes everything.
    pub(crate) async fn clear(&self) -> Result<(), SetError> {
        match self {
            Self::Folder(folder) => match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            },
            Self::Bucket(bucket, prefix) => Ok(bucket.delete_below(prefix).await?),
        }
    }
}
