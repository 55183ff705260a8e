//! Files that were uploaded and not imported yet: kept for a day, in chunks that fit into items.

use futures_util::TryStreamExt;
use model::{Timestamp, UploadId};
use serde::{Deserialize, Serialize};

use super::keys::Key;
use super::table::Found;
use super::{Fragment, Organization, StoreError, Writer};

/// How long files are kept, in seconds.
const KEPT: i64 = 24 * 60 * 60;
/// Length of a chunk in bytes, before it is deflated: what does not shrink still fits into an item.
const CHUNK: usize = 350_000;
/// Maximum number of chunks of an upload: 21 MB.
const MOST_CHUNKS: usize = 60;

/// A file of an upload.
#[derive(Clone, PartialEq, Eq)]
pub struct UploadedFile {
    /// Name or path at the sender.
    pub name: String,
    /// The content, as it was sent.
    pub content: Vec<u8>,
}

/// A chunk of a file, as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UploadChunk {
    name: String,
    /// Number of the file in the upload.
    file: u32,
    /// Number of chunks of the file.
    chunks: usize,
    /// CRC-32 of the chunk.
    crc32: u32,
    /// Length of the chunk, in bytes.
    length: u64,
    /// The chunk, deflated.
    #[serde(with = "serde_bytes")]
    content: Vec<u8>,
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

impl UploadChunk {
    /// Inflates the chunk of the item with a key.
    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        self.fragment(key).inflate()?;
        Ok(())
    }

    fn fragment(&self, key: Key) -> Fragment {
        Fragment::of_item(key, self.content.clone(), self.crc32, self.length)
    }
}

impl Organization {
    /// Returns the files of an upload, in the order of their numbers. It has none if it was kept for longer than a day.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn upload(&self, id: &UploadId, now: Timestamp) -> Result<Vec<UploadedFile>, StoreError> {
        let chunks: Vec<Found<UploadChunk>> = self.store.all_unexpired(self.partition.upload(id), now).await?;
        let mut files = Vec::new();
        for of_file in chunks.chunk_by(|a, b| a.value.file == b.value.file) {
            let first = &of_file[0].value;
            // DynamoDB deletes expired items one by one, and late.
            if first.chunks != of_file.len() {
                continue;
            }
            let mut content = Vec::new();
            for Found { key, value } in of_file {
                content.extend(value.fragment(key.clone()).inflate()?);
            }
            files.push(UploadedFile { name: first.name.clone(), content });
        }
        Ok(files)
    }
}

impl Writer {
    /// Keeps a file of an upload for a day. The upload is no change of the organization's data, so it is not in the
    /// audit trail.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] if the files of the upload are too large together, or the store fails.
    pub async fn keep_file(
        &self,
        id: &UploadId,
        number: u32,
        UploadedFile { name, content }: &UploadedFile,
    ) -> Result<(), StoreError> {
        let chunks = content.len().div_ceil(CHUNK).max(1);
        let others = self.store.keys_of(self.partition.upload(id)).try_collect::<Vec<_>>().await?.len();
        if others + chunks > MOST_CHUNKS {
            return Err(StoreError::TooLarge { what: "the upload", size: (others + chunks) * CHUNK });
        }
        let expires_at = self.at.to_datetime().timestamp() + KEPT;
        let mut parts: Vec<_> = content.chunks(CHUNK).collect();
        parts.resize(chunks, &[]);
        for (place, part) in parts.into_iter().enumerate() {
            let Fragment { deflated, crc32, length, .. } = Fragment::passing(part);
            let (name, content) = (name.clone(), deflated.into());
            let chunk = UploadChunk { name, file: number, chunks, crc32, length, content, expires_at };
            self.store.put(self.partition.upload_chunk(id, number, place), &chunk).await?;
        }
        Ok(())
    }

    /// Deletes the files of an upload.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn forget_upload(&self, id: &UploadId) -> Result<(), StoreError> {
        self.store.delete_range(self.partition.upload(id), |_| false).await.map(drop)
    }
}
