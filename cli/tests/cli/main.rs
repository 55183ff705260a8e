//! The command as its users run it: the real binary, against a service that it runs itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accepting;
mod assigning;
mod certifying;
mod collecting;
mod command_lines;
#[cfg_attr(not(feature = "pdf"), allow(dead_code, reason = "only PDFs are made of real results here"))]
#[path = "../../../assessments/tests/corpus/mod.rs"]
mod corpus_files;
#[cfg(feature = "pdf")]
mod corpus_pdfs;
mod crash;
mod documents;
#[cfg(feature = "pdf")]
mod documents_of_all;
mod editing;
mod erasing;
mod guides;
mod hostile_text;
mod importing;
mod intake;
#[path = "../../../assessments/tests/intake/mod.rs"]
mod intake_cases;
mod intake_cases_2;
mod members;
mod mending;
mod moto;
mod moving;
mod notifying;
mod operating;
mod options;
mod peer;
#[cfg(feature = "pdf")]
#[path = "../../../functions/report-pdf/tests/poppler/mod.rs"]
mod poppler;
mod provisioning;
mod pruning;
mod recording;
mod requesting;
mod restoring;
#[path = "../../../assessments/tests/it/controls/same.rs"]
mod same;
#[path = "../../../assessments/tests/samples/mod.rs"]
mod samples;
mod scheduling;
#[expect(dead_code, reason = "the command reads folders itself")]
#[path = "../../../assessments/tests/intake_2/mod.rs"]
mod second_cases;
mod serving;
mod showing;
mod support;
mod writing;
