//! Tests that are skipped say so.

use std::io::{self, Write};
use std::sync::Once;

/// Tells why tests are skipped, past the test harness, which keeps what tests that pass print to itself.
pub(crate) fn say_once(told: &Once, why: &str) {
    told.call_once(|| io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap());
}
