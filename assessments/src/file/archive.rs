//! ZIP archives of a tool's output folder.
//!
//! The members are inflated as they are read. Nothing is unpacked to a disk, so the path of a member is only a
//! name. The bounds are far above what any tool writes, and a member never yields more bytes than its archive
//! announces.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::encoding::is_archive;
use super::error::Unreadable;
use super::source::Source;

/// Largest number of members. A large tenant's export has some thousand pages.
const MOST_MEMBERS: usize = 20_000;

/// Maximum total size of the unpacked members in bytes.
const MOST_BYTES: u64 = 8 << 30;

/// Largest ratio of unpacked to packed bytes. JSON that repeats itself is packed to a hundredth at best.
const MOST_RATIO: u64 = 400;

/// Bytes up to which the ratio does not matter.
const SMALL: u64 = 16 << 20;

/// Number of bytes at the beginning of a file that identify an archive.
const BEGINNING: u64 = 4096;

/// A member of an archive.
pub struct Member<'a> {
    /// Path within the archive, without the steps of a path that lead outside.
    pub name: String,
    /// The content, or why it cannot be read.
    pub content: Result<Packed<'a>, Unreadable>,
}

/// The content of a member. It can only be read from its beginning, so an archive within an archive is not unpacked.
pub struct Packed<'a> {
    archive: Arc<dyn Source + Send + Sync + 'a>,
    /// Position of the packed bytes.
    start: u64,
    packed: u64,
    unpacked: u64,
    deflated: bool,
    checksum: u32,
}

/// Returns the members of an archive, without folders, in the order of their names. Returns `None` if the file is not
/// an archive, or can be read from its beginning only.
///
/// # Errors
/// Returns an error if the archive is damaged, exceeds a bound, or cannot be opened.
pub fn members<'a>(source: &Arc<dyn Source + Send + Sync + 'a>) -> Result<Option<Vec<Member<'a>>>, Unreadable> {
    let Some(mut file) = source.open_seekable().map_err(Unreadable::io)? else { return Ok(None) };
    let mut beginning = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut beginning).map_err(Unreadable::io)?;
    if !is_archive(&beginning) {
        return Ok(None);
    }
    let length = file.seek(SeekFrom::End(0)).map_err(Unreadable::io)?;
    let mut archive = ZipArchive::new(file).map_err(damaged)?;
    if archive.len() > MOST_MEMBERS {
        return Err(Unreadable::ArchiveTooLarge);
    }
    let mut members = Vec::new();
    let mut unpacked = 0_u64;
    let mut packed = 0_u64;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(damaged)?;
        if entry.is_dir() {
            continue;
        }
        unpacked = unpacked.saturating_add(entry.size());
        packed = packed.saturating_add(entry.compressed_size());
        let content = match entry.compression() {
            _ if entry.encrypted() => Err(Unreadable::Encrypted),
            CompressionMethod::Stored | CompressionMethod::Deflated => Ok(Packed {
                archive: Arc::clone(source),
                start: entry.data_start().ok_or(Unreadable::ArchiveDamaged)?,
                packed: entry.compressed_size(),
                unpacked: entry.size(),
                deflated: entry.compression() == CompressionMethod::Deflated,
                checksum: entry.crc32(),
            }),
            _ => Err(Unreadable::OtherCompression),
        };
        members.push(Member { name: inner_path(&entry.name().map_err(damaged)?), content });
    }
    // If members share their bytes, their total size exceeds that of their archive.
    let is_bomb = packed > length || (unpacked > SMALL && unpacked / MOST_RATIO > packed);
    if is_bomb || unpacked > MOST_BYTES {
        return Err(Unreadable::ArchiveTooLarge);
    }
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Some(members))
}

impl Source for Packed<'_> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        let mut file = self.archive.open_seekable()?.ok_or(io::ErrorKind::NotSeekable)?;
        file.seek(SeekFrom::Start(self.start))?;
        let packed = file.take(self.packed);
        let unpacked: Box<dyn Read + '_> =
            if self.deflated { Box::new(DeflateDecoder::new(packed)) } else { Box::new(packed) };
        Ok(Box::new(Checked { bytes: CrcReader::new(unpacked), left: self.unpacked, checksum: self.checksum }))
    }
}

/// A reader that fails if the length or checksum of a member differs from its archive's record.
struct Checked<R> {
    bytes: CrcReader<R>,
    left: u64,
    checksum: u32,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let damaged = || io::Error::other(Unreadable::ArchiveDamaged);
        let read = self.bytes.read(out).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => damaged(),
            _ => error,
        })?;
        let length = u64::try_from(read).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(length).ok_or_else(damaged)?;
        let ended = read == 0 && !out.is_empty();
        if ended && (self.left > 0 || self.bytes.crc().sum() != self.checksum) {
            return Err(damaged());
        }
        Ok(read)
    }
}

/// Returns a path with slashes, without drives, roots and parent folders, which lead outside.
fn inner_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    let steps = path.split('/').filter(|step| !matches!(*step, "" | "." | "..") && !step.ends_with(':'));
    steps.collect::<Vec<_>>().join("/")
}

fn damaged(error: ZipError) -> Unreadable {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => Unreadable::io(error),
        _ => Unreadable::ArchiveDamaged,
    }
}
