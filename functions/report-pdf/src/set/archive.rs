//! The archive of a set of documents. A few of them at a time are in memory.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use chrono::{Datelike, Timelike};
use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, stream};
use operations::documents::Planned;
use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{Missing, Set, SetError};
use crate::bucket::Bucket;

/// Name of the list of reports without a document.
const MISSING: &str = "MISSING.txt";
/// Documents that are read at once: an object takes tens of milliseconds.
const READ_AT_ONCE: usize = 8;

/// The place of an archive.
#[derive(Debug, Clone)]
pub enum Place {
    /// A file.
    File(PathBuf),
    /// An object of a bucket, by its key.
    Object(Bucket, String),
}

impl Place {
    /// Deletes the archive, if there is one.
    pub(crate) async fn clear(&self) -> Result<(), SetError> {
        match self {
            Self::File(path) => match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            },
            Self::Object(bucket, key) => Ok(bucket.delete_below(key).await?),
        }
    }
}

/// Writes the archive of the documents on the shelf, without those that are missing: whole, or not at all.
pub(super) async fn write(set: &Set<'_>, missing: &[Missing], place: &Place) -> Result<(), SetError> {
    let folder = match place {
        Place::File(path) => path.parent().filter(|folder| *folder != "").unwrap_or(Path::new(".")).to_owned(),
        Place::Object(..) => env::temp_dir(),
    };
    let part = NamedTempFile::new_in(folder)?;
    fill(set, missing, part.as_file()).await?;
    match place {
        Place::File(path) => drop(part.persist(path).map_err(io::Error::from)?),
        Place::Object(bucket, key) => bucket.put_file(key, part.path()).await?,
    }
    Ok(())
}

async fn fill(set: &Set<'_>, missing: &[Missing], file: &File) -> Result<(), SetError> {
    let mut zip = ZipWriter::new(file);
    // A document is compressed already.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let left_out: BTreeSet<_> = missing.iter().map(|it| it.file.as_str()).collect();
    let documents = set.plan.documents.iter().filter(|planned| !left_out.contains(planned.file.as_str()));
    let read = documents.map(|planned| set.shelf.read(&planned.file).map_ok(move |content| (planned, content)).boxed());
    let mut read = stream::iter(read.collect::<Vec<_>>()).buffered(READ_AT_ONCE);
    while let Some((planned, content)) = read.try_next().await? {
        zip.start_file(&*planned.file, options.last_modified_time(completed(planned)))?;
        zip.write_all(&content)?;
    }
    if !missing.is_empty() {
        zip.start_file(MISSING, options)?;
        for Missing { report_id, tenant_name, reason, .. } in missing {
            write!(zip, "{tenant_name}, report {report_id}: {reason}\r\n")?;
        }
    }
    zip.finish()?.sync_all()?;
    Ok(())
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
