//! The repair of an organization: what it changes is kept in a file first.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use store::{AdminWriter, Repair, Repaired, StoreError, StoredItem};

use crate::private::private_file;

/// Why an organization was not repaired.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The file exists. Nothing was changed.
    #[error("{0} exists already: choose another file")]
    FileExists(PathBuf),
    /// The items cannot be kept. Nothing was changed.
    #[error("{0} cannot be written, so nothing was changed")]
    File(PathBuf, #[source] io::Error),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Makes the changes of a repair. Before it, writes the items that it overwrites or deletes to a new file, one a line, in
/// DynamoDB's JSON.
///
/// After an interruption, plan the repair again, with another file: what is done is not found again.
///
/// # Errors
/// If the file exists or cannot be written, or the store fails.
pub async fn repair(writer: &AdminWriter, repair: Repair, file: &Path) -> Result<Repaired, RepairError> {
    if repair.originals().next().is_some() {
        keep(repair.originals(), file)?;
    }
    Ok(writer.repair(repair).await?)
}

/// Writes items to a new file, which only its owner may read, and returns once they are on the disk.
fn keep(items: impl Iterator<Item = StoredItem>, path: &Path) -> Result<(), RepairError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => RepairError::FileExists(path.to_owned()),
        _ => RepairError::File(path.to_owned(), error),
    };
    let mut file = BufWriter::new(private_file(path).map_err(failed)?);
    let write = || -> io::Result<()> {
        for item in items {
            serde_json::to_writer(&mut file, &item)?;
            file.write_all(b"\n")?;
        }
        file.flush()?;
        file.get_ref().sync_all()
    };
    write().map_err(failed)
}
