//! All formats that are read: recognizing a file, reading it, and combining the contents of several files.

mod combine;
mod companions;
mod contents;
mod fingerprint;
mod read;
mod table;

pub use combine::{Combined, combine};
pub use contents::Contents;
pub use read::{format_names, read};
