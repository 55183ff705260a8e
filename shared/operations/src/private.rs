//! Files with names and addresses of people.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file that only its owner may read.
///
/// # Errors
/// If it exists or cannot be created.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
