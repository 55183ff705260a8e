//! The archive of a set of documents, written as a stream: no more of it is in memory than a part.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::mem;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_s3::Client;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{CompletedMultipartUpload, CompletedPart};
use chrono::{Datelike, Timelike};
use futures_util::{StreamExt, TryStreamExt, stream};
use operations::documents::Planned;
use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::shelf::{ShelfError, failed};
use super::{Missing, Set};

/// Name of the list of reports without a document.
const MISSING: &str = "MISSING.txt";
/// Documents that are read ahead.
const AHEAD: usize = 8;
/// Length of the archive's parts in bytes. S3 takes 10,000 parts, of at least 5 MiB.
const PART: usize = 8 << 20;

/// Where an archive is written. Nothing is there until all of it is.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// A file.
    File(&'a Path),
    /// An object of a bucket.
    Object {
        /// Connection.
        client: &'a Client,
        /// Name of the bucket.
        bucket: &'a str,
        /// The object.
        key: &'a str,
    },
}

/// Writes the archive of the documents on the shelf, without those that are missing.
pub(super) async fn write(set: &Set<'_>, missing: &[Missing], target: Target<'_>) -> Result<(), ShelfError> {
    let left_out: BTreeSet<_> = missing.iter().map(|it| it.file.as_str()).collect();
    let documents = set.plan.documents.iter().filter(|planned| !left_out.contains(planned.file.as_str()));
    let contents = stream::iter(documents).map(async |planned| match set.shelf.get(&planned.file).await? {
        Some(content) => Ok((planned, content)),
        None => Err(ShelfError::Disk(io::ErrorKind::NotFound.into())),
    });
    let mut contents = contents.buffered(AHEAD).boxed();
    let (buffer, mut out) = (Buffer::default(), Out::new(target).await?);
    let mut zip = ZipWriter::new_stream(buffer.clone());
    // A document is compressed already.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    while let Some((planned, content)) = contents.try_next().await? {
        zip.start_file(&*planned.file, options.last_modified_time(completed(planned)))?;
        zip.write_all(&content)?;
        if buffer.len() >= PART {
            out.add(buffer.take()).await?;
        }
    }
    if !missing.is_empty() {
        zip.start_file(MISSING, options)?;
        for Missing { report_id, tenant_name, reason, .. } in missing {
            writeln!(zip, "{tenant_name}, report {report_id}: {reason}\r")?;
        }
    }
    zip.finish()?;
    out.add(buffer.take()).await?;
    out.finish().await
}

/// Returns the time of a document's file: when its report was completed, as far as archives can say it.
fn completed(planned: &Planned) -> DateTime {
    let time = planned.completed_at.to_datetime();
    let part = |number: u32| u8::try_from(number).unwrap_or_default();
    let year = u16::try_from(time.year()).unwrap_or_default();
    let (month, day) = (part(time.month()), part(time.day()));
    let (hour, minute, second) = (part(time.hour()), part(time.minute()), part(time.second()));
    DateTime::from_date_and_time(year, month, day, hour, minute, second).unwrap_or_default()
}

/// The part of the archive that is not written yet.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An archive that is being written.
enum Out<'a> {
    File(NamedTempFile, &'a Path),
    Upload { client: &'a Client, bucket: &'a str, key: &'a str, id: String, parts: Vec<CompletedPart> },
}

impl<'a> Out<'a> {
    async fn new(target: Target<'a>) -> Result<Self, ShelfError> {
        match target {
            Target::File(path) => {
                let folder = path.parent().filter(|folder| *folder != "").unwrap_or(Path::new("."));
                Ok(Self::File(NamedTempFile::new_in(folder)?, path))
            }
            Target::Object { client, bucket, key } => {
                let begun = client.create_multipart_upload().bucket(bucket).key(key).content_type("application/zip");
                let begun = begun.send().await.map_err(|error| failed("CreateMultipartUpload", &error))?;
                let id = begun.upload_id.unwrap_or_default();
                Ok(Self::Upload { client, bucket, key, id, parts: Vec::new() })
            }
        }
    }

    async fn add(&mut self, bytes: Vec<u8>) -> Result<(), ShelfError> {
        match self {
            Self::File(file, _) => Ok(file.write_all(&bytes)?),
            Self::Upload { client, bucket, key, id, parts } => {
                let number = i32::try_from(parts.len()).unwrap_or(i32::MAX) + 1;
                let part = client.upload_part().bucket(*bucket).key(*key).upload_id(&*id).part_number(number);
                let part = part.body(ByteStream::from(bytes)).send().await;
                let part = part.map_err(|error| failed("UploadPart", &error))?;
                parts.push(CompletedPart::builder().part_number(number).set_e_tag(part.e_tag).build());
                Ok(())
            }
        }
    }

    async fn finish(self) -> Result<(), ShelfError> {
        match self {
            Self::File(file, path) => {
                file.as_file().sync_all()?;
                file.persist(path).map_err(|error| error.error)?;
                Ok(())
            }
            Self::Upload { client, bucket, key, id, parts } => {
                let parts = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
                let end = client.complete_multipart_upload().bucket(bucket).key(key).upload_id(id);
                let end = end.multipart_upload(parts).send().await;
                end.map(drop).map_err(|error| failed("CompleteMultipartUpload", &error))
            }
        }
    }
}
