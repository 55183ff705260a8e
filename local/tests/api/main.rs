//! The service as its clients see it: requests and responses through the local gateway, the functions and the engine.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agents;
mod billable_users;
mod changes;
mod concurrency;
mod conditional;
mod controls;
mod copies;
#[path = "../../../assessments/tests/corpus/mod.rs"]
#[allow(dead_code, reason = "the other tests of the corpus name single files")]
mod corpus;
mod cursor;
mod dashboard;
mod document_schedules;
mod erasure;
mod events;
mod expiring;
mod faults;
mod formats;
mod functions;
mod gateway;
mod imports;
mod incident;
mod inspection;
mod isolation;
mod keys;
#[cfg(feature = "pdf")]
#[path = "../../../cli/tests/cli/moto.rs"]
mod moto;
mod names;
mod night;
mod notifications;
mod pages;
mod parameters;
mod posture_report;
mod posture_reports;
mod removed;
mod repairing;
mod report_summaries;
mod requests;
mod risks;
#[path = "../../../assessments/tests/samples/mod.rs"]
mod samples;
mod schedules;
#[path = "../../../assessments/tests/intake_2/mod.rs"]
mod second_cases;
mod server;
mod sharing;
mod stale;
mod streaming;
mod support;
mod template;
mod ten_years;
mod tenants;
mod trends;
mod usage;

#[cfg(feature = "pdf")]
use corpus as corpus_files;
