//! Endless files, generated as they are read: a clear error in bounded memory.
//!
//! `MEMORY_MEGABYTES` sets their length; it must be far more than may be kept.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod stream;

use std::io::{Cursor, Read, repeat};
use std::{env, fs};

use assessments::{Excess, Unreadable, read};

use stream::Stream;

/// Default length of a file in megabytes.
const MEGABYTES: u64 = 80;

/// Maximum memory of a read in megabytes: the largest part that is kept, in a buffer that doubles as it grows.
const MOST_KEPT: u64 = 64;

/// Returns whether an error is the expected one.
type IsDue = fn(&Unreadable) -> bool;

/// Returns the peak memory of the process in megabytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

/// Beginnings, the byte that is repeated endlessly, and the error.
const FILES: [(&str, u8, IsDue); 8] = [
    ("", b' ', |error| *error == Unreadable::Empty),
    ("\u{feff}", b'\n', |error| *error == Unreadable::Empty),
    ("", b'[', |error| *error == Unreadable::Excess(Excess::Nesting)),
    ("{\"MetaData\": {}, \"Results\": {\"AAD\": \"", b'x', |error| *error == Unreadable::Excess(Excess::Text)),
    ("{\"MetaData\": {}, \"Results\": {\"AAD\": 1", b'0', |error| *error == Unreadable::Excess(Excess::Part)),
    ("{\"MetaData\": {}, \"Results\": {\"AAD\": [", b' ', |error| *error == Unreadable::Excess(Excess::Part)),
    ("Control ID,Requirement,Result", b',', |error| matches!(error, Unreadable::UnknownFormat { found: "text" })),
    ("Control ID,Requirement,Result,Criticality,Details\n\"", b'\n', |error| {
        *error == Unreadable::Excess(Excess::Part)
    }),
];

#[test]
fn an_endless_file_is_an_error_in_bounded_memory() {
    let megabytes = env::var("MEMORY_MEGABYTES").map_or(MEGABYTES, |text| text.parse().unwrap());
    let before = peak();
    for (start, byte, is_due) in FILES {
        let file = Stream(move || Cursor::new(start).chain(repeat(byte).take(megabytes << 20)));
        let error = read(&file).unwrap_err();
        assert!(is_due(&error), "{start:?} and {byte} without end: {error:?}");
        let kept = peak() - before;
        eprintln!("{start:?} and {byte} without end: {kept} MB at most so far");
        assert!(kept < MOST_KEPT, "{start:?} and {byte} without end keeps {kept} MB");
    }
}
