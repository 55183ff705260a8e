//! Where snapshots are kept: in a bucket, or in a folder of this machine. Both hold them compressed.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;

use aws_sdk_s3::Client;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::primitives::ByteStream;

/// Where snapshots are kept.
#[derive(Debug, Clone)]
pub enum Snapshots {
    /// A bucket, whose lifecycle deletes them.
    Bucket {
        /// Connection.
        client: Client,
        /// Name of the bucket.
        name: Arc<str>,
    },
    /// A folder, with a file for each.
    Folder(PathBuf),
}

/// A snapshot cannot be kept, read or deleted. Repeats no key.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The bucket failed.
    #[error("{0} of the bucket of snapshots failed ({1})")]
    Bucket(&'static str, String),
    /// The folder failed.
    #[error("the folder of snapshots cannot be used: {0}")]
    Folder(#[from] io::Error),
}

impl Snapshots {
    pub(crate) async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), SnapshotError> {
        match self {
            Self::Bucket { client, name } => {
                let object = client.put_object().bucket(&**name).key(key).content_type("application/gzip");
                let sent = object.body(ByteStream::from(bytes)).send().await;
                sent.map(drop).map_err(|error| failed("PutObject", &error))
            }
            Self::Folder(folder) => Ok(write(folder, &file_name(key), &bytes)?),
        }
    }

    pub(crate) async fn get(&self, key: &str) -> Result<Vec<u8>, SnapshotError> {
        match self {
            Self::Bucket { client, name } => {
                let object = client.get_object().bucket(&**name).key(key).send().await;
                let object = object.map_err(|error| failed("GetObject", &error))?;
                let bytes = object.body.collect().await;
                let bytes = bytes.map_err(|_| SnapshotError::Bucket("GetObject", "the body broke off".to_owned()))?;
                Ok(bytes.to_vec())
            }
            Self::Folder(folder) => Ok(fs::read(folder.join(file_name(key)))?),
        }
    }

    pub(crate) async fn delete(&self, key: &str) -> Result<(), SnapshotError> {
        match self {
            Self::Bucket { client, name } => {
                let sent = client.delete_object().bucket(&**name).key(key).send().await;
                sent.map(drop).map_err(|error| failed("DeleteObject", &error))
            }
            Self::Folder(folder) => match fs::remove_file(folder.join(file_name(key))) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            },
        }
    }
}

fn failed(operation: &'static str, error: &impl ProvideErrorMetadata) -> SnapshotError {
    SnapshotError::Bucket(operation, error.code().unwrap_or("no response").to_owned())
}

/// Returns the name of the file for a key: one name, whatever the identifiers in the key are.
fn file_name(key: &str) -> String {
    key.replace('/', "+")
}

/// Writes a file whole, or not at all. Only its owner may read it.
fn write(folder: &PathBuf, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let part = folder.join(format!("{name}.part"));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(part, folder.join(name))
}
