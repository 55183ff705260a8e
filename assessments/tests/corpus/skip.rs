//! Prints why tests are skipped.

use std::io::{self, Write};
use std::sync::Once;

/// Prints why tests are skipped, bypassing the test harness, which hides the output of passing tests.
pub(crate) fn say_once(told: &Once, why: &str) {
    told.call_once(|| io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap());
}
