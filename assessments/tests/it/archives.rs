//! ZIP archives: their members are read like files, within limits, and have no other effect.

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use assessments::{Member, Source, Unreadable, members, read};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::{results, row};

/// Packs files.
fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    packed_by(CompressionMethod::Deflated, files)
}

fn packed_by(method: CompressionMethod, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn open(archive: Vec<u8>) -> Result<Option<Vec<Member<'static>>>, Unreadable> {
    let source: Arc<dyn Source + Send + Sync> = Arc::new(archive);
    members(&source)
}

fn names(archive: Vec<u8>) -> Vec<String> {
    open(archive).unwrap().unwrap().into_iter().map(|member| member.name).collect()
}

/// Returns the content of the only member.
fn content(archive: Vec<u8>) -> Result<Vec<u8>, Unreadable> {
    let member = open(archive)?.unwrap().remove(0).content?;
    let mut bytes = Vec::new();
    let mut reader = member.open().unwrap();
    match reader.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(error.downcast().unwrap()),
    }
}

/// Replaces all occurrences of bytes.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

#[test]
fn a_member_is_read_like_a_file_as_often_as_needed() {
    let file = results(&[row("MS.AAD.1.1v1", "Fail")]);
    for method in [CompressionMethod::Deflated, CompressionMethod::Stored] {
        let archive = packed_by(method, &[("a/", b""), ("a/results.json", &file)]);
        let members = open(archive).unwrap().unwrap();
        assert_eq!(members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>(), ["a/results.json"]);
        let member = members.into_iter().next().unwrap().content.unwrap();
        assert!(read(&member).is_ok() && read(&member).is_ok());
    }
}

#[test]
fn other_files_are_not_archives() {
    for file in [&b"{}"[..], b"", b"PK", b"PK\x03\x04"] {
        let archive = open(file.to_vec());
        assert!(!matches!(archive, Ok(Some(_))), "{file:?}");
    }
    let workbook = packed(&[("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<x/>")]);
    assert!(open(workbook.clone()).unwrap().is_none());
    let message = "the file is an Excel workbook or another document of Office: import the tool's JSON or CSV file, and \
                   save a workbook as CSV";
    assert_eq!(read(&workbook).unwrap_err().to_string(), message);
    assert_eq!(names(packed(&[])), [""; 0]);
}

#[test]
fn a_path_that_leads_outside_is_only_a_name() {
    let paths = ["../../etc/a.json", "/b.json", "C:\\Users\\c.json", "./d/../e.json"];
    let files: Vec<_> = paths.iter().map(|path| (*path, &b"{}"[..])).collect();
    assert_eq!(names(packed(&files)), ["Users/c.json", "b.json", "d/e.json", "etc/a.json"]);
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let zeros = vec![b' '; 40 << 20];
    assert_eq!(open(packed(&[("zeros.json", &zeros)])).err(), Some(Unreadable::ArchiveTooLarge));
    let many: Vec<_> = (0..20_001).map(|number| format!("{number}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(open(packed(&many)).err(), Some(Unreadable::ArchiveTooLarge));
    // Members that share their bytes: more than the archive has.
    let shared = packed_by(CompressionMethod::Stored, &[("a.json", &[b'a'; 1000])]);
    let shared = replaced(&shared, &1000_u32.to_le_bytes(), &10_000_u32.to_le_bytes());
    assert_eq!(open(shared).err(), Some(Unreadable::ArchiveTooLarge));
    // More than 8 GiB, of which the archive has enough bytes to be no bomb by their ratio.
    let part = &zeros[..11 << 20];
    let mut large = packed_by(CompressionMethod::Stored, &[("a.json", part), ("b.json", part), ("c.json", part)]);
    for at in large.len() - 400..large.len() - 28 {
        if large[at..].starts_with(b"PK\x01\x02") {
            large[at + 24..at + 28].copy_from_slice(&0xf000_0000_u32.to_le_bytes());
        }
    }
    assert_eq!(open(large).err(), Some(Unreadable::ArchiveTooLarge));
    // A wrong size does not make a member longer.
    let archive = packed(&[("a.json", &[b'a'; 1000])]);
    let lie = replaced(&archive, &1000_u32.to_le_bytes(), &10_u32.to_le_bytes());
    assert_eq!(content(lie), Err(Unreadable::ArchiveDamaged));
}

#[test]
fn a_member_that_cannot_be_unpacked_is_named() {
    let inner = packed(&[("a.json", b"{}")]);
    let nested = open(packed(&[("inner.zip", &inner)])).unwrap().unwrap().remove(0).content.unwrap();
    assert_eq!(read(&nested).unwrap_err().to_string(), "the file is a ZIP archive: unpack it and import its files");
    let seven: &[u8] = b"7z\xbc\xaf\x27\x1c";
    assert_eq!(read(&seven).unwrap_err().to_string(), "the file is a 7z archive: unpack it and import its files");

    // The encryption flag, in both headers.
    let archive = packed_by(CompressionMethod::Stored, &[("a.json", b"{}")]);
    let mut encrypted = replaced(&archive, b"PK\x03\x04\x0a\0\0\0", b"PK\x03\x04\x0a\0\x01\0");
    let central = encrypted.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    encrypted[central + 8] |= 1;
    assert_eq!(content(encrypted), Err(Unreadable::Encrypted));
}

#[test]
fn a_damaged_archive_is_an_error() {
    let text = b"0123456789 abcdefghij";
    let archive = packed_by(CompressionMethod::Stored, &[("a.json", text)]);
    assert_eq!(content(archive.clone()).unwrap(), text);
    assert_eq!(content(replaced(&archive, b"abc", b"xyz")), Err(Unreadable::ArchiveDamaged));
    let cut = archive[..archive.len() - 30].to_vec();
    assert_eq!(open(cut).err(), Some(Unreadable::ArchiveDamaged));
}
