//! The collector against the stand-in, in virtual time.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod failures;
mod hostile;
mod interrupted;
mod limits;
mod refusals;
mod support;
mod tokens;
mod whole;
