//! Small valid files of every tool with structural changes: never a panic, and a report only if it is consistent.
//!
//! `PROPTEST_CASES` sets the number of files per test.

use assessments::{Assembled, assemble, combine, read};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use crate::robustness::files;
use crate::support::settings;

/// Files in JSON.
const DOCUMENTS: [&str; 5] = [
    include_str!("../fixtures/results.json"),
    include_str!("../fixtures/product_report.json"),
    include_str!("../fixtures/maester.json"),
    include_str!("../fixtures/prowler.ocsf.json"),
    include_str!("../fixtures/zerotrust.json"),
];

/// Tables.
const TABLES: [&str; 2] = [include_str!("../fixtures/results.csv"), include_str!("../fixtures/prowler.csv")];

/// JSON that replaces a value. Some of it is invalid: a second field of the same name, text that breaks off.
const VALUES: [&str; 30] = [
    "null",
    "true",
    "0",
    "-1",
    "0.5",
    "1e308",
    "1e999",
    "4294967296",
    "18446744073709551615",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "\"\"",
    "\" \"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\u{202e}\u{1f512}\"",
    "\"2026-02-30T99:99:99Z\"",
    "\"9999-12-31T23:59:59.999999999-14:00\"",
    "\"/Date(99999999999999999)/\"",
    "\"1/0\"",
    "\"NaN\"",
    "\"<b>&#x110000;<script>\"",
    "\"[](\"",
    "[]",
    "{}",
    "[null]",
    "{\"\": null}",
    "null, \"Results\": {}, \"Tests\": [], \"value\": []",
    "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
    "\"cut off",
];

/// Text that is inserted between two bytes.
const TOKENS: [&str; 16] =
    ["\"", "\"\"", "'", ",", ";", "\t", "\n", "\r\n", "\0", "\u{feff}", "{", "]", "\\", "=1+1", "\u{1f512}", "e99999"];

/// Beginnings of noise, so that it passes as text of some encoding and format.
const STARTS: [&[u8]; 7] = [b"", b"{", b"[{", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf{", b"Control ID,"];

/// A change of a document at one position.
#[derive(Debug, Clone)]
enum Change {
    /// Another value replaces it.
    Replace(Index, &'static str),
    /// An element or field is removed.
    Remove(Index),
    /// An element is repeated many times.
    Repeat(Index, usize),
    /// A value from another position replaces it.
    Copy(Index, Index),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<Index>;
    prop_oneof![
        3 => (place(), select(&VALUES[..])).prop_map(|(at, value)| Change::Replace(at, value)),
        1 => place().prop_map(Change::Remove),
        1 => (place(), 2..60_usize).prop_map(|(at, times)| Change::Repeat(at, times)),
        1 => (place(), place()).prop_map(|(to, from)| Change::Copy(to, from)),
    ]
}

impl Change {
    fn make(&self, document: &mut Value) {
        let mut places = Vec::new();
        collect_places(document, String::new(), &mut places);
        let place = |index: &Index| index.get(&places);
        match self {
            Self::Replace(to, value) => *at(document, place(to)) = marker(value).into(),
            Self::Remove(from) => match at(document, place(from)) {
                Value::Array(list) => drop(list.pop()),
                Value::Object(fields) => drop(fields.keys().next().cloned().and_then(|name| fields.remove(&name))),
                value => *value = Value::Null,
            },
            Self::Repeat(list, times) => {
                if let Value::Array(list) = at(document, place(list)) {
                    *list = list.iter().cycle().take(list.len() * times).cloned().collect();
                }
            }
            Self::Copy(to, from) => {
                let copy = at(document, place(from)).clone();
                *at(document, place(to)) = copy;
            }
        }
    }
}

/// Collects the paths of a document's values, as pointers.
fn collect_places(value: &Value, here: String, places: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                collect_places(value, format!("{here}/{index}"), places);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect_places(value, format!("{here}/{name}"), places);
            }
        }
        _ => {}
    }
    places.push(here);
}

fn at<'a>(document: &'a mut Value, place: &str) -> &'a mut Value {
    document.pointer_mut(place).unwrap()
}

/// Returns a placeholder for one of the values, some of which cannot be part of a valid document.
fn marker(value: &str) -> String {
    format!("@@{}@@", VALUES.iter().position(|other| *other == value).unwrap())
}

fn written(document: &Value) -> String {
    let text = document.to_string();
    VALUES.iter().fold(text, |text, value| text.replace(&format!("\"{}\"", marker(value)), value))
}

/// The encoding of a file.
#[derive(Debug, Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16,
    /// With a byte in the middle changed.
    Broken,
}

fn encoded(text: &str, encoding: Encoding) -> Vec<u8> {
    let mut bytes: Vec<u8> = match encoding {
        Encoding::Utf8 => return text.as_bytes().to_vec(),
        Encoding::Utf16 | Encoding::Broken => {
            ["\u{feff}", text].concat().encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
    };
    if matches!(encoding, Encoding::Broken) {
        let middle = bytes.len() / 4 * 2 + 1;
        bytes[middle] = 0xd8;
    }
    bytes
}

fn encoding() -> impl Strategy<Value = Encoding> {
    prop_oneof![3 => Just(Encoding::Utf8), 1 => Just(Encoding::Utf16), 1 => Just(Encoding::Broken)]
}

/// Processes a file as far as possible: the result is a clear error, or consistent reports.
fn take_in(bytes: &[u8]) -> Result<(), TestCaseError> {
    let contents = match read(&bytes) {
        Ok(contents) => contents,
        Err(error) => {
            prop_assert!(!error.to_string().is_empty());
            return Ok(());
        }
    };
    for run in combine([contents]).runs {
        if let Ok(report) = assemble(&run, &settings()) {
            assert_adds_up(&report)?;
        }
    }
    Ok(())
}

fn assert_adds_up(Assembled { body, .. }: &Assembled) -> Result<(), TestCaseError> {
    let controls = &body.figures.controls;
    let by_status = controls.secure + controls.fixed + controls.in_progress + controls.open + controls.drifted;
    prop_assert_eq!(controls.assessed, by_status);
    prop_assert_eq!((controls.assessed + controls.not_assessed) as usize, body.checks.len());
    prop_assert!(controls.assessed > 0 && body.figures.score <= 100 && body.top_risks.len() <= 5);
    prop_assert!(serde_json::to_value(body).is_ok());
    Ok(())
}

/// Returns every small file, as text.
fn texts() -> Vec<String> {
    let lists = files().into_iter().map(|list| list.to_string());
    DOCUMENTS.iter().chain(&TABLES).map(|text| (*text).to_owned()).chain(lists).collect()
}

#[test]
fn unchanged_they_are_all_read() {
    for text in texts() {
        assert!(read(&text.as_bytes()).is_ok(), "{text}");
        take_in(text.as_bytes()).unwrap();
    }
}

proptest! {
    #[test]
    fn another_structure_is_an_error_or_an_issue(
        file in any::<Index>(), changes in vec(change(), 1..8), encoding in encoding(),
    ) {
        let documents: Vec<_> = texts().into_iter().filter_map(|text| serde_json::from_str::<Value>(&text).ok()).collect();
        let mut document = file.get(&documents).clone();
        for change in changes {
            change.make(&mut document);
        }
        take_in(&encoded(&written(&document), encoding))?;
    }

    #[test]
    fn text_put_in_or_taken_out_anywhere_is_an_error_or_an_issue(
        file in any::<Index>(),
        changes in vec((any::<Index>(), 0..40_usize, select(&TOKENS[..]), 1..3_usize), 1..6),
    ) {
        let mut bytes = file.get(&texts()).clone().into_bytes();
        for (place, removed, token, times) in changes {
            let place = place.index(bytes.len().max(1)).min(bytes.len());
            let end = (place + removed).min(bytes.len());
            bytes.splice(place..end, token.repeat(times).into_bytes());
        }
        take_in(&bytes)?;
    }

    #[test]
    fn no_bytes_cause_a_panic(
        start in select(&STARTS[..]),
        noise in vec(any::<u8>(), 0..2_000),
    ) {
        take_in(&[start, &noise].concat())?;
    }
}
