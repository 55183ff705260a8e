//! The crate from outside: bytes in, reports out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on is to fail")]

mod archives;
mod assembling;
mod collect;
mod controls;
mod corpus;
mod corpus_scubagear;
mod cut_tables;
mod damage;
mod directory;
mod maester;
mod mutations;
mod permutations;
mod properties;
mod prowler;
mod reading;
mod real_files;
mod robustness;
mod same_run;
mod secure_score;
#[path = "../stream/mod.rs"]
mod stream;
mod support;
mod zerotrust;
