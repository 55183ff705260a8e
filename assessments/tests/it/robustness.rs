//! Files that are damaged, generated, or unreadable: a clear error in bounded memory.

use std::io::{self, Read};
use std::iter::repeat_n;

use assessments::{Excess, Source, Tool, Unreadable, combine, read};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::stream::Stream;

/// Pieces, each with a number of repetitions.
type Pieces = &'static [(&'static str, usize)];

/// A file that is generated from pieces as it is read.
struct Made<I>(I, &'static [u8]);

impl<I: Iterator<Item = &'static [u8]>> Read for Made<I> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.1.is_empty() {
            let Some(next) = self.0.next() else { return Ok(0) };
            self.1 = next;
        }
        self.1.read(out)
    }
}

/// Reads a file of these pieces, and returns its tool.
fn read_pieces(pieces: Pieces) -> Result<Option<Tool>, Unreadable> {
    let repeated = move || pieces.iter().flat_map(|(piece, times)| repeat_n(piece.as_bytes(), *times));
    read(&Stream(move || Made(repeated(), &[]))).map(|contents| contents.tool())
}

/// A part of a file that is large enough to be read in several pieces.
const LINE: &str =
    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";

/// White space of the same length.
const BLANK: &str =
    "                                                                                                    ";

#[test]
fn white_space_alone_is_an_empty_file() {
    assert_eq!(read_pieces(&[("  \r\n\t   ", 1 << 20)]), Err(Unreadable::Empty));
}

#[test]
fn an_endless_text_is_refused() {
    let excess = Err(Unreadable::Excess(Excess::Text));
    assert_eq!(read_pieces(&[("{\"a\": \"", 1), (LINE, 50_000)]), excess);
    assert_eq!(
        read_pieces(&[("[{\"controlScores\": [{\"description\": \"", 1), (LINE, 50_000), ("\"}]}]", 1)]),
        excess
    );
    assert_eq!(read_pieces(&[("{\"", 1), (LINE, 50_000), ("\": 1}", 1)]), excess, "a name is a text");
}

#[test]
fn an_endless_row_is_refused() {
    let excess = Err(Unreadable::Excess(Excess::Part));
    assert_eq!(read_pieces(&[("[\"", 1), (LINE, 40_000), ("\",", 1), (BLANK, 400_000)]), excess);
    assert_eq!(read_pieces(&[("Control ID,Requirement,Result,Criticality,Details\n\"", 1), (LINE, 400_000)]), excess);
}

#[test]
fn endless_nesting_is_refused() {
    let excess = Err(Unreadable::Excess(Excess::Nesting));
    assert_eq!(read_pieces(&[("[", 1 << 20)]), excess);
    assert_eq!(read_pieces(&[("{\"a\":", 1 << 20)]), excess);
    assert_eq!(
        read_pieces(&[("{\"MetaData\": {}, \"Results\": {}, \"Raw\": ", 1), ("[", 1 << 20)]),
        excess,
        "in a skipped value"
    );
}

#[test]
fn an_endless_number_is_refused_or_skipped() {
    assert!(matches!(read_pieces(&[("{\"a\": 1", 1), ("0", 1 << 20), ("}", 1)]), Err(Unreadable::Malformed(_))));
    let far_inside = [("[{\"controlScores\": [], \"a\": {\"b\": {\"c\": {\"d\": 1", 1), ("0", 1 << 20), ("}}}}]", 1)];
    let source = far_inside.map(|(piece, times)| piece.repeat(times)).concat().into_bytes();
    assert_eq!(read(&source).unwrap().tool(), Some(Tool::SecureScore));
}

#[test]
fn a_large_list_is_read_row_by_row() {
    const ROW: &str =
        r#"{"id": "1", "userId": "a", "createdDateTime": "2026-01-20T00:00:00Z", "appDisplayName": "x"},"#;
    assert_eq!(read_pieces(&[("[", 1), (ROW, 100_000), ("{}]", 1)]), Ok(None));
}

#[test]
fn utf_16_that_breaks_far_inside_is_refused() {
    let start: Vec<u8> = "\u{feff}[\"".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let text: Vec<u8> = LINE.repeat(1000).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let broken = [start, text, vec![0x00, 0xdc], vec![b'"', 0, b']', 0]].concat();
    assert_eq!(read(&broken).unwrap_err(), Unreadable::Encoding);
}

#[test]
fn a_failing_source_is_distinguished_from_a_bad_file() {
    let denied = || Err::<io::Empty, _>(io::ErrorKind::PermissionDenied.into());
    assert_eq!(read(&denied).unwrap_err(), Unreadable::Io(io::ErrorKind::PermissionDenied));
    let torn = Stream(|| io::Cursor::new(b"[{\"controlScores\": [").chain(Torn));
    assert_eq!(read(&torn).unwrap_err(), Unreadable::Io(io::ErrorKind::ConnectionReset));
}

/// Fails when it is read.
struct Torn;

impl Read for Torn {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

#[test]
fn a_file_that_cannot_be_opened_again_is_an_error() {
    let opened = std::cell::Cell::new(false);
    let once = || match opened.replace(true) {
        false => Ok(io::Cursor::new(b"[{\"controlScores\": []}]")),
        true => Err(io::ErrorKind::NotFound.into()),
    };
    assert_eq!(read(&once as &dyn Source).unwrap_err(), Unreadable::Io(io::ErrorKind::NotFound));
}

/// Returns one small file of each list that is read.
pub(crate) fn files() -> Vec<Value> {
    let user = json!({ "id": "a", "userPrincipalName": "a@example.com", "assignedLicenses": [{ "skuId": "s" }] });
    let score = json!({ "controlName": "OneAdmin", "score": "1", "scoreInPercentage": "20", "count": "1" });
    let decision = json!({ "state": "Planned", "updatedDateTime": "2026-01-01T00:00:00Z" });
    let sign_in = json!({ "id": "1", "userId": "a", "createdDateTime": "2026-01-20T00:00:00Z", "appDisplayName": "x" });
    vec![
        json!({ "value": [user], "@odata.nextLink": "x", "@odata.count": 2 }),
        json!({ "value": [{ "id": "1", "azureTenantId": "t", "controlScores": [score] }] }),
        json!({ "value": [{ "id": "OneAdmin", "azureTenantId": "t", "maxScore": "5", "controlStateUpdates": [decision] }] }),
        json!([{ "roleTemplateId": "62e90394-69f5-4237-9190-012177145e10", "members": [{ "id": "a" }] }]),
        json!({ "value": [sign_in] }),
    ]
}

proptest! {
    /// Returns damage at any position: a changed byte, or the rest cut off.
    #[test]
    fn damage_anywhere_is_an_error_or_an_issue(
        file in 0..5_usize, place in any::<Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut bytes = files()[file].to_string().into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        if cut {
            bytes.truncate(place);
        }
        match read(&bytes) {
            Ok(contents) => drop(combine([contents])),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
