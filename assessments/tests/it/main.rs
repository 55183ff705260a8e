//! The crate from outside: bytes in, reports out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

mod assembling;
mod properties;
mod reading;
mod secure_score;
mod support;
