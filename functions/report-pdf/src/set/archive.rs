//! The archive of a set of documents. One of them at a time is in memory.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use chrono::{Datelike, Timelike};
use operations::documents::Planned;
use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::{Missing, Set, SetError};

/// Name of the list of reports without a document.
const MISSING: &str = "MISSING.txt";

/// Writes the archive of the documents on the shelf, without those that are missing: whole, or not at all.
pub(super) fn write(set: &Set<'_>, missing: &[Missing], path: &Path) -> Result<(), SetError> {
    let folder = path.parent().filter(|folder| *folder != "").unwrap_or(Path::new("."));
    let part = NamedTempFile::new_in(folder)?;
    let mut zip = ZipWriter::new(part.as_file());
    // A document is compressed already.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let left_out: BTreeSet<_> = missing.iter().map(|it| it.file.as_str()).collect();
    for planned in set.plan.documents.iter().filter(|planned| !left_out.contains(planned.file.as_str())) {
        zip.start_file(&*planned.file, options.last_modified_time(completed(planned)))?;
        io::copy(&mut File::open(set.shelf.0.join(&planned.file))?, &mut zip)?;
    }
    if !missing.is_empty() {
        zip.start_file(MISSING, options)?;
        for Missing { report_id, tenant_name, reason, .. } in missing {
            write!(zip, "{tenant_name}, report {report_id}: {reason}\r\n")?;
        }
    }
    zip.finish()?.sync_all()?;
    part.persist(path).map_err(io::Error::from)?;
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
