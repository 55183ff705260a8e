//! Where documents are kept until all are made: in a bucket, or in a folder of this machine.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::Arc;

use aws_sdk_s3::Client;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::primitives::ByteStream;
use tempfile::NamedTempFile;

/// A place for the files of one set of documents.
#[derive(Debug, Clone)]
pub enum Shelf {
    /// Objects of a bucket, whose lifecycle deletes them.
    Bucket {
        /// Connection.
        client: Client,
        /// Name of the bucket.
        name: Arc<str>,
        /// The beginning of the keys.
        prefix: String,
    },
    /// Files of a folder.
    Folder(PathBuf),
}

/// A file cannot be kept, read or deleted. Repeats no key.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// The bucket failed.
    #[error("{0} of the bucket failed ({1})")]
    Bucket(&'static str, String),
    /// The folder or the disk failed.
    #[error("the files of documents cannot be used: {0}")]
    Disk(#[from] io::Error),
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Archive(#[from] zip::result::ZipError),
}

impl Shelf {
    /// Returns the names of the files, with their lengths in bytes.
    pub(super) async fn names(&self) -> Result<BTreeMap<String, u64>, ShelfError> {
        match self {
            Self::Bucket { client, name, prefix } => {
                let mut pages = client.list_objects_v2().bucket(&**name).prefix(prefix).into_paginator().send();
                let mut names = BTreeMap::new();
                while let Some(page) = pages.next().await {
                    let page = page.map_err(|error| failed("ListObjectsV2", &error))?;
                    names.extend(page.contents.unwrap_or_default().into_iter().filter_map(|object| {
                        let name = object.key?.strip_prefix(prefix)?.to_owned();
                        Some((name, object.size?.unsigned_abs()))
                    }));
                }
                Ok(names)
            }
            Self::Folder(folder) => {
                let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.metadata().ok()?));
                let files = fs::read_dir(folder)?.flatten().filter_map(named);
                Ok(files.map(|(name, metadata)| (name, metadata.len())).collect())
            }
        }
    }

    /// Writes a file whole, or not at all. In a folder, only its owner may read it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn put(&self, file: &str, content: Vec<u8>) -> Result<(), ShelfError> {
        match self {
            Self::Bucket { client, name, prefix } => {
                let object = client.put_object().bucket(&**name).key(format!("{prefix}{file}"));
                let sent = object.body(ByteStream::from(content)).send().await;
                sent.map(drop).map_err(|error| failed("PutObject", &error))
            }
            Self::Folder(folder) => {
                let mut part = NamedTempFile::new_in(folder)?;
                part.write_all(&content)?;
                part.as_file().sync_all()?;
                part.persist(folder.join(file)).map_err(|error| error.error)?;
                Ok(())
            }
        }
    }

    /// Returns the content of a file, or `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub async fn get(&self, file: &str) -> Result<Option<Vec<u8>>, ShelfError> {
        match self {
            Self::Bucket { client, name, prefix } => {
                let object = client.get_object().bucket(&**name).key(format!("{prefix}{file}")).send().await;
                let object = match object {
                    Err(error) if error.code() == Some("NoSuchKey") => return Ok(None),
                    object => object.map_err(|error| failed("GetObject", &error))?,
                };
                let bytes = object.body.collect().await;
                let bytes = bytes.map_err(|_| ShelfError::Bucket("GetObject", "the body broke off".to_owned()))?;
                Ok(Some(bytes.to_vec()))
            }
            Self::Folder(folder) => match fs::read(folder.join(file)) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                content => Ok(Some(content?)),
            },
        }
    }
}

pub(super) fn failed(operation: &'static str, error: &impl ProvideErrorMetadata) -> ShelfError {
    ShelfError::Bucket(operation, error.code().unwrap_or("no response").to_owned())
}
