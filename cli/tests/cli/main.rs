//! The command as its users run it: the real binary, against a service that it runs itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod crash;
mod documents;
mod editing;
mod hostile_text;
mod importing;
mod intake;
#[path = "../../../assessments/tests/intake/mod.rs"]
mod intake_cases;
mod members;
mod operating;
mod provisioning;
mod recording;
mod serving;
#[path = "../../../assessments/tests/corpus/skip.rs"]
mod skip;
mod support;
