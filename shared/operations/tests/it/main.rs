//! Operations on a store on the embedded engine.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod copies;
mod cut_tables;
mod deletion;
mod events;
mod import;
mod kept;
mod limits;
mod retention;
mod risks;
mod support;
