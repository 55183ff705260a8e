//! The members of an archive: each is a gzip file of its own with whole files in it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use model::Timestamp;
use serde_json::Value;
use store::StoredItem;

use super::{ArchiveError, End, FORMAT, Manifest};

const MANIFEST: &str = "organization.json";
const END: &str = "end.json";
const ITEMS: &str = "items/";

/// Most bytes of a file that an import reads. A page of items has 1 MB, which JSON makes a third larger.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// A file with its name.
type NamedFile = (String, Vec<u8>);

/// A member that is written. Only [`close`](Self::close) completes it: what was written before is cut off otherwise.
pub(super) struct NewMember<'f> {
    /// Contains one file of the archive at a time. Never finished, because an archive has one end.
    tar: tar::Builder<Vec<u8>>,
    gzip: GzEncoder<BufWriter<&'f File>>,
    at: Timestamp,
}

impl<'f> NewMember<'f> {
    pub(super) fn new(file: &'f File, at: Timestamp) -> Self {
        let gzip = GzEncoder::new(BufWriter::new(file), Compression::default());
        Self { tar: tar::Builder::new(Vec::new()), gzip, at }
    }

    /// Adds a file.
    pub(super) fn add(&mut self, path: &str, content: &[u8]) -> io::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        header.set_mtime(u64::try_from(self.at.to_datetime().timestamp()).unwrap_or_default());
        self.tar.append_data(&mut header, path, content)?;
        self.gzip.write_all(self.tar.get_ref())?;
        self.tar.get_mut().clear();
        Ok(())
    }

    pub(super) fn add_manifest(&mut self, manifest: &Manifest) -> io::Result<()> {
        self.add(MANIFEST, &serde_json::to_vec_pretty(manifest)?)
    }

    /// Adds the items of a part. They come last in their member, and make it whole.
    pub(super) fn add_items(&mut self, part: usize, items: &[StoredItem]) -> io::Result<()> {
        let mut lines = Vec::new();
        for item in items {
            serde_json::to_writer(&mut lines, item)?;
            lines.push(b'\n');
        }
        self.add(&items_of(part), &lines)
    }

    /// Ends the archive.
    pub(super) fn add_end(&mut self, end: End) -> io::Result<()> {
        self.add(END, &serde_json::to_vec_pretty(&end)?)?;
        self.tar.finish()?;
        self.gzip.write_all(self.tar.get_ref())
    }

    pub(super) fn close(self) -> io::Result<()> {
        self.gzip.finish()?.flush()
    }
}

/// The members of an archive, read one by one.
pub(super) struct Members {
    source: BufReader<File>,
    /// Number of parts that were read.
    pub(super) parts: usize,
    /// Number of items in them.
    pub(super) items: usize,
}

/// A member that was read.
pub(super) struct Member {
    pub(super) items: Vec<StoredItem>,
    /// Whether it is the last one.
    pub(super) is_last: bool,
}

impl Members {
    /// Opens an archive and reads its manifest.
    pub(super) fn open(path: &Path) -> Result<(Self, Manifest), ArchiveError> {
        let mut members = Self { source: BufReader::new(File::open(path)?), parts: 0, items: 0 };
        let files = members.files().ok().flatten().unwrap_or_default();
        let manifest = files.iter().find(|(name, _)| name == MANIFEST).map(|(_, text)| serde_json::from_slice(text));
        let Some(Ok(manifest)) = manifest else { return Err(ArchiveError::NotAnArchive) };
        let manifest: Value = manifest;
        let is_newer = |name: &str, known: u32| manifest[name].as_u64().is_some_and(|format| format > known.into());
        if is_newer("format", FORMAT) || is_newer("dataFormat", store::FORMAT) {
            return Err(ArchiveError::Newer { release: manifest["release"].as_str().unwrap_or("unknown").to_owned() });
        }
        let manifest = serde_json::from_value(manifest).map_err(|_| ArchiveError::NotAnArchive)?;
        Ok((members, manifest))
    }

    /// Returns the next member, or `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Member>, ArchiveError> {
        let part = self.parts + 1;
        let damaged = || ArchiveError::Damaged(part - 1);
        let Some(files) = self.files().map_err(|_| damaged())? else { return Ok(None) };
        let (mut items, mut end) = (None, None);
        for (name, content) in files {
            if name == END {
                end = Some(serde_json::from_slice::<End>(&content).map_err(|_| damaged())?);
            } else if name == items_of(part) {
                let lines = serde_json::Deserializer::from_slice(&content).into_iter();
                items = Some(lines.collect::<Result<Vec<StoredItem>, _>>().map_err(|_| damaged())?);
            }
        }
        let items = items.ok_or_else(damaged)?;
        let read = self.items + items.len();
        if end.is_some_and(|end| (end.parts, end.items) != (part, read)) {
            return Err(damaged());
        }
        (self.parts, self.items) = (part, read);
        Ok(Some(Member { items, is_last: end.is_some() }))
    }

    /// Returns the position in the file after the last member that was read.
    pub(super) fn position(&mut self) -> io::Result<u64> {
        self.source.stream_position()
    }

    /// Returns those files of the next member from which an import is made, or `None` at the end of the file.
    fn files(&mut self) -> io::Result<Option<Vec<NamedFile>>> {
        if self.source.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut tar = tar::Archive::new(GzDecoder::new(&mut self.source));
        let mut files = Vec::new();
        for entry in tar.entries()? {
            let entry = entry?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if name == MANIFEST || name == END || name.starts_with(ITEMS) {
                let mut content = Vec::new();
                entry.take(FILE_LIMIT).read_to_end(&mut content)?;
                files.push((name, content));
            }
        }
        // The checksum of the member follows its content.
        io::copy(&mut tar.into_inner(), &mut io::sink())?;
        Ok(Some(files))
    }
}

/// Returns the name of the file with the items of a part.
fn items_of(part: usize) -> String {
    format!("{ITEMS}{part:06}.jsonl")
}
