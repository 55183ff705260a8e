//! Folders beside the data.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Returns the folder beside the file of the data, or one that is deleted at the end if the data are in memory.
///
/// # Errors
/// If the folder of data in memory cannot be created.
pub(crate) fn beside(data: Option<&Path>, name: &str) -> io::Result<(PathBuf, Option<TempDir>)> {
    let Some(data) = data else {
        let folder = TempDir::with_prefix(format!("posture-{name}-"))?;
        return Ok((folder.path().to_owned(), Some(folder)));
    };
    Ok((data.with_added_extension(name), None))
}
